package argument

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
)

// An Opening is the texts with one of which every match of an expression about commands
// begins. The zero value: a match begins with anything.
type Opening []string

// OpeningOf returns the opening of an expression for the beginning of a command.
func OpeningOf(text string) Opening {
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil
	}
	return opening(tree)
}

func opening(r *syntax.Regexp) Opening {
	switch r.Op {
	case syntax.OpLiteral:
		if r.Flags&syntax.FoldCase == 0 {
			return Opening{string(r.Rune)}
		}
	case syntax.OpCapture:
		return opening(r.Sub[0])
	case syntax.OpConcat:
		if r.Sub[0].Op == syntax.OpBeginText {
			return opening(r.Sub[1])
		}
		return opening(r.Sub[0])
	case syntax.OpAlternate:
		var all Opening
		for _, sub := range r.Sub {
			o := opening(sub)
			if o == nil {
				return nil
			}
			all = append(all, o...)
		}
		return all
	}
	return nil
}

// OpeningOfArguments returns the opening of an expression about all arguments; concerns reports
// whether it may be about the command.
func OpeningOfArguments(e *regexp.Regexp) (o Opening, concerns bool) {
	begin, _ := e.LiteralPrefix()
	begin = strings.TrimPrefix(begin, "\x00")
	if command, ok := strings.CutPrefix(begin, Command); ok {
		return Opening{command}, true
	}
	return nil, !strings.HasPrefix(begin, `"`) || strings.HasPrefix(Command, begin)
}

// Admits reports whether a text with this beginning may match.
func (o Opening) Admits(s string) bool {
	return len(o) == 0 || slices.ContainsFunc(o, func(text string) bool { return strings.HasPrefix(s, text) || strings.HasPrefix(text, s) })
}
