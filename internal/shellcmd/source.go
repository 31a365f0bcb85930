package shellcmd

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/emendo-dev/emendo/internal/visible"
)

// What a command may be to be parsed at all. The parser recurses, so its
// input is bounded before it is asked.
const (
	maxParsed  = 16 << 10 // bytes
	maxNesting = 256      // brackets inside brackets
)

// continued is a line end behind a backslash that the parser reads in another
// way than bash: at the end of a comment, where bash begins a new command; and
// within a word, where bash sees what follows as if it stood there, so that
// "$\
// (rm x)" runs something.
var continued = regexp.MustCompile(`(?m)(^|[\s;&|()<>])#.*\\$|(^|[^ \t])\\$`)

// suspicious says why a command is not taken as what it looks like; empty
// when nothing speaks against it.
func suspicious(s string) string {
	if len(s) > maxParsed {
		return fmt.Sprintf("it is longer than %d bytes", maxParsed)
	}
	if !utf8.ValidString(s) {
		return "it is no valid UTF-8"
	}
	if strings.Contains(s, "\\\n") && continued.MatchString(s) {
		return "it has a line end behind a backslash where it is read in more than one way"
	}
	if (len(s)-len(strings.TrimRight(s, `\`)))%2 != 0 {
		return "it ends in a backslash, which bash may leave out"
	}
	depth := 0
	for _, r := range s {
		switch {
		case strings.ContainsRune("([{", r):
			depth++
		case strings.ContainsRune(")]}", r):
			depth = max(depth-1, 0)
		case r == '\r':
			return "it holds a carriage return, which the shell keeps and the eye does not see"
		case r != '\t' && r != '\n' && visible.Hidden(r):
			return fmt.Sprintf("it holds the invisible character %U", r)
		}
		if depth > maxNesting {
			return fmt.Sprintf("it is nested deeper than %d brackets", maxNesting)
		}
	}
	return ""
}

// ambiguous reports whether a text inside a command holds what shells and
// locales may read in several ways: a line that is continued, a backslash near
// a here-document or behind a character of several bytes.
func ambiguous(s string) bool {
	return strings.Contains(s, "\\\n") || strings.Contains(s, "<<") && strings.Contains(s, `\`) || behindWide.MatchString(s)
}

var behindWide = regexp.MustCompile(`[^\x00-\x7f]\\`)
