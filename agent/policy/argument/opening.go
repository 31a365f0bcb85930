package argument

import (
	"regexp"
	"regexp/syntax"
	"strings"
)

// An Opening describes how a match of an expression about commands can begin.
// The zero value: with anything.
type Opening struct {
	program *syntax.Prog
	lead    string // what precedes the command in such a match
}

// OpeningOf returns the opening of an anchored expression.
func OpeningOf(text, lead string) (o Opening) {
	if tree, err := syntax.Parse(text, syntax.Perl|syntax.DotNL); err == nil {
		o.lead = lead
		o.program, _ = syntax.Compile(tree.Simplify()) // else anything
	}
	return o
}

// OpeningOfArguments returns the opening of an expression about all arguments;
// nil if it does not concern the command.
func OpeningOfArguments(e *regexp.Regexp) *Opening {
	begin, _ := e.LiteralPrefix()
	name := strings.TrimPrefix(begin, "\x00")
	if lead := begin[:len(begin)-len(name)] + Command; strings.HasPrefix(begin, lead) {
		o := OpeningOf(e.String(), lead)
		return &o
	}
	if strings.HasPrefix(name, `"`) && !strings.HasPrefix(Command, name) {
		return nil
	}
	return &Opening{}
}

// maxOpening limits how much of a text is matched, in bytes. A text that has
// not failed by then is admitted.
const maxOpening = 1 << 10

// Admits reports whether a text with this beginning may match.
func (o Opening) Admits(s string) bool {
	if o.program == nil {
		return true
	}
	states := o.follow([]uint32{uint32(o.program.Start)})
	for n, r := range o.lead + s {
		if n > maxOpening {
			break
		}
		var next []uint32
		for _, at := range states {
			switch i := &o.program.Inst[at]; i.Op {
			case syntax.InstMatch:
				return true
			case syntax.InstRune, syntax.InstRune1:
				if i.MatchRune(r) {
					next = append(next, i.Out)
				}
			case syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
				next = append(next, i.Out)
			case syntax.InstAlt, syntax.InstAltMatch, syntax.InstCapture, syntax.InstEmptyWidth, syntax.InstFail, syntax.InstNop: // consume no character
			}
		}
		if states = o.follow(next); len(states) == 0 {
			return false
		}
	}
	return true
}

// follow returns the states reachable from these that consume a character or
// match. Assertions are assumed to hold.
func (o Opening) follow(from []uint32) (to []uint32) {
	seen := map[uint32]bool{}
	for len(from) > 0 {
		at := from[len(from)-1]
		from = from[:len(from)-1]
		if seen[at] {
			continue
		}
		seen[at] = true
		switch i := o.program.Inst[at]; i.Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			from = append(from, i.Out, i.Arg)
		case syntax.InstCapture, syntax.InstEmptyWidth, syntax.InstNop:
			from = append(from, i.Out)
		case syntax.InstMatch, syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
			to = append(to, at)
		case syntax.InstFail:
		}
	}
	return to
}
