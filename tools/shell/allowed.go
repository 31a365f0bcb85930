package shell

import (
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/tools"
)

// Allowed says whether every simple command of r begins with one of the
// prefixes, word by word, and is all that would run. A command that writes to
// a file by redirection is not covered, since no prefix speaks of the file.
func Allowed(prefixes []string, r tools.Runs) bool {
	return r.Static && len(r.Simple) > 0 && !slices.ContainsFunc(r.Simple, func(command string) bool {
		return !slices.ContainsFunc(prefixes, func(p string) bool { return begins(command, p) })
	})
}

func begins(command, prefix string) bool {
	have, want := strings.Fields(command), strings.Fields(prefix)
	return len(want) > 0 && len(have) >= len(want) && slices.Equal(have[:len(want)], want)
}
