// Package user holds the tools that turn to the user: with questions, with the list of
// tasks that the model works through, and with facts to be remembered.
package user

import (
	"github.com/emendo-dev/emendo/tools"
)

// All returns the tools of this package.
func All() []tools.Tool { return []tools.Tool{NewWriteTodos(), NewAskUser(), NewSaveMemory()} }
