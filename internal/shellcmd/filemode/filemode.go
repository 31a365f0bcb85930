// Package filemode reads modes of files as chmod takes them. It knows no program.
package filemode

import (
	"regexp"
	"strconv"
	"strings"
)

// SetsID reports whether a word is a mode by which others run a file with the rights of its
// owner or its group, such as u+s and 4755.
func SetsID(mode string) bool {
	if n, err := strconv.ParseUint(strings.TrimLeft(mode, "ugoa=+-"), 8, 32); err == nil {
		return n&0o6000 != 0
	}
	return symbolic.MatchString(mode)
}

var symbolic = regexp.MustCompile(`^[ugoarwxXst,+=-]*[+=][rwxXt]*s[ugoarwxXst,+=-]*$`)
