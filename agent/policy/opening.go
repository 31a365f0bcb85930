package policy

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
)

// An opening is the texts with one of which every match of an expression about commands
// begins. The zero value: a match begins with anything.
type opening []string

// openingOf returns the opening of an expression for the beginning of a command.
func openingOf(text string) opening {
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil
	}
	return openingIn(tree)
}

func openingIn(r *syntax.Regexp) opening {
	switch r.Op {
	case syntax.OpLiteral:
		if r.Flags&syntax.FoldCase == 0 {
			return opening{string(r.Rune)}
		}
	case syntax.OpCapture:
		return openingIn(r.Sub[0])
	case syntax.OpConcat:
		if r.Sub[0].Op == syntax.OpBeginText {
			return openingIn(r.Sub[1])
		}
		return openingIn(r.Sub[0])
	case syntax.OpAlternate:
		var all opening
		for _, sub := range r.Sub {
			o := openingIn(sub)
			if o == nil {
				return nil
			}
			all = append(all, o...)
		}
		return all
	}
	return nil
}

// openingOfArguments returns the opening of an expression about all arguments; concerns reports
// whether it may be about the command.
func openingOfArguments(e *regexp.Regexp) (o opening, concerns bool) {
	begin, _ := e.LiteralPrefix()
	begin = strings.TrimPrefix(begin, "\x00")
	if command, ok := strings.CutPrefix(begin, commandKey); ok {
		return opening{command}, true
	}
	return nil, !strings.HasPrefix(begin, `"`) || strings.HasPrefix(commandKey, begin)
}

// admits reports whether a text with this beginning may match.
func (o opening) admits(s string) bool {
	return len(o) == 0 || slices.ContainsFunc(o, func(text string) bool { return strings.HasPrefix(s, text) || strings.HasPrefix(text, s) })
}
