package policy

import "github.com/emendo-dev/emendo/internal/sandbox"

// asksAlways is a sandbox in which only commands that read run unasked.
var asksAlways = Shell{Level: sandbox.Isolated, Ask: AskAlways}
