package shellcmd

import (
	"github.com/emendo-dev/emendo/internal/shellcmd/program"
)

// A Part is one piece of a command line that is judged on its own.
type Part = program.Part
