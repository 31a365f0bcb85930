// Package user holds the tools that turn to the user: with questions, with the list of
// tasks that the model works through, with facts to be remembered, and with what a review finds.
package user

import (
	"embed"

	"github.com/emendo-dev/emendo/tools"
)

// pages are the descriptions of the tools.
//
//go:embed *.md
var pages embed.FS

// All returns the tools of this package.
func All() []tools.Tool { return []tools.Tool{WriteTodos, AskUser, SaveMemory, ReportFinding} }
