package shell

import (
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/tools"
)

// Allowed says whether the prefixes cover every part of r, word by word, and
// the parts are all that would run. A command that writes to a file by
// redirection is not covered, since no prefix speaks of the file.
func Allowed(prefixes []string, r tools.Runs) bool {
	return r.Known && len(r.Parts) > 0 && !slices.ContainsFunc(r.Parts, func(part tools.Part) bool {
		return len(part.Writes) > 0 || !part.Passes && !slices.ContainsFunc(prefixes, func(p string) bool { return part.Covered(strings.Fields(p)) })
	})
}
