package canonical

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"

	"github.com/emendo-dev/emendo/internal/visible"
)

// Parse parses a command as bash does. If it returns nil, it also returns why.
func Parse(command string) (*syntax.File, string) {
	if why := suspicious(command); why != "" {
		return nil, why
	}
	file, err := newParser().Parse(strings.NewReader(command), "")
	if err != nil {
		return nil, "it does not parse: " + err.Error()
	}
	return file, ""
}

func newParser() *syntax.Parser { return syntax.NewParser(syntax.Variant(syntax.LangBash)) }

// Limits of what is parsed. The parser recurses, so its input is bounded.
const (
	MaxParsed  = 16 << 10 // bytes
	MaxNesting = 256      // brackets inside brackets
)

// continued matches a newline after a backslash that the parser reads
// differently from bash: at the end of a comment, where bash begins a new
// command, and inside a word, where bash joins the lines, so that "$\
// (rm x)" runs something.
var continued = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)(^|[\s;&|()<>])#.*\\$|(^|[^ \t])\\$`)
})

// suspicious returns why a command may not be what it looks like; empty if
// there is no reason.
func suspicious(s string) string {
	if len(s) > MaxParsed {
		return fmt.Sprintf("it is longer than %d bytes", MaxParsed)
	}
	if why := Disguised(s); why != "" {
		return why
	}
	if strings.Contains(s, "\\\n") && continued().MatchString(s) {
		return "it has a newline after a backslash that can be read in more than one way"
	}
	if (len(s)-len(strings.TrimRight(s, `\`)))%2 != 0 {
		return "it ends with a backslash, which bash may drop"
	}
	return ""
}

// Disguised returns why nobody can see what a command is: a clause such as "it contains the
// invisible character U+202E"; empty if it is what it looks like.
func Disguised(s string) string {
	if !utf8.ValidString(s) {
		return "it is not valid UTF-8"
	}
	depth := 0
	for _, r := range s {
		switch {
		case strings.ContainsRune("([{", r):
			depth++
		case strings.ContainsRune(")]}", r):
			depth = max(depth-1, 0)
		case r == '\r':
			return "it contains a carriage return, which is invisible but kept by the shell"
		case r != '\t' && r != '\n' && visible.Hidden(r):
			return fmt.Sprintf("it contains the invisible character %U", r)
		}
		if depth > MaxNesting {
			return fmt.Sprintf("its brackets are nested more than %d deep", MaxNesting)
		}
	}
	return ""
}

// Ambiguous reports whether a text inside a command contains something that
// shells and locales may read differently: a continued line, or a backslash
// near a here-document or after a multi-byte character.
func Ambiguous(s string) bool {
	return strings.Contains(s, "\\\n") || strings.Contains(s, "<<") && strings.Contains(s, `\`) || behindWide().MatchString(s)
}

var behindWide = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[^\x00-\x7f]\\`)
})
