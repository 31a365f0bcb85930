// Package user holds the tools that turn to the user: with questions, with the list of
// tasks that the model works through, and with facts to be remembered.
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
func All() []tools.Tool { return []tools.Tool{NewWriteTodos(), NewAskUser(), NewSaveMemory()} }
