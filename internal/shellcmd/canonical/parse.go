package canonical

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"

	"github.com/emendo-dev/emendo/internal/visible"
)

// Parse reads a command as bash does. Without a file it says why not.
func Parse(command string) (*syntax.File, string) {
	if why := suspicious(command); why != "" {
		return nil, why
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(true)).Parse(strings.NewReader(command), "")
	if err != nil {
		return nil, "bash would not understand it: " + err.Error()
	}
	if !apart(file, command) {
		return nil, "it has a comment that bash reads as a part of a word"
	}
	return file, ""
}

// apart says whether every comment begins where a word could. The parser also
// sees one right behind the quoted end mark of a here-document, where bash sees
// more of the mark, and commands behind it.
func apart(file *syntax.File, source string) bool {
	ok := true
	syntax.Walk(file, func(n syntax.Node) bool {
		if c, is := n.(*syntax.Comment); is && c.Hash.Offset() > 0 {
			ok = ok && strings.IndexByte(" \t\n;&|()<>", source[c.Hash.Offset()-1]) >= 0
		}
		return ok
	})
	return ok
}

// What a command may be to be parsed at all. The parser recurses, so its
// input is bounded before it is asked.
const (
	MaxParsed  = 16 << 10 // bytes
	MaxNesting = 256      // brackets inside brackets
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
	if len(s) > MaxParsed {
		return fmt.Sprintf("it is longer than %d bytes", MaxParsed)
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
		if depth > MaxNesting {
			return fmt.Sprintf("it is nested deeper than %d brackets", MaxNesting)
		}
	}
	return ""
}

// Ambiguous reports whether a text inside a command holds what shells and
// locales may read in several ways: a line that is continued, a backslash near
// a here-document or behind a character of several bytes.
func Ambiguous(s string) bool {
	return strings.Contains(s, "\\\n") || strings.Contains(s, "<<") && strings.Contains(s, `\`) || behindWide.MatchString(s)
}

var behindWide = regexp.MustCompile(`[^\x00-\x7f]\\`)
