// Package user holds the tools that turn to the user: with questions, and with the
// list of tasks that the model works through.
package user

import (
	"embed"

	"github.com/emendo-dev/emendo/tools"
)

// schemas holds the schemas of the tools, see [tools.NewParams].
//
//go:embed schemas
var schemas embed.FS

// All returns the tools of this package.
func All() []tools.Tool { return []tools.Tool{NewWriteTodos(), NewAskUser()} }
