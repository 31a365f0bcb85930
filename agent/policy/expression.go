package policy

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"

	"github.com/emendo-dev/emendo/agent/policy/argument"
)

// maxExpression limits the length of an expression, in bytes.
const maxExpression = 2048

// compile compiles an expression in a rule.
func compile(text string) (*regexp.Regexp, error) {
	if len(text) > maxExpression {
		return nil, fmt.Errorf("the expression has %d bytes; the limit is %d", len(text), maxExpression)
	}
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, fmt.Errorf("invalid expression %q: %w", text, err)
	}
	if nested(tree, false) {
		return nil, fmt.Errorf("the expression %q has nested repetitions: remove one of them", text)
	}
	return regexp.Compile(text)
}

// compileCommand compiles an expression for the beginning of a command. Its dot
// matches newlines too, which quotes may contain.
func compileCommand(text string) (*regexp.Regexp, error) {
	if _, err := compile(text); err != nil {
		return nil, err
	}
	return regexp.Compile("^(?s:" + text + ")")
}

// nested reports whether an expression has nested unbounded repetitions, which
// take other engines than Go's exponential time.
func nested(r *syntax.Regexp, inside bool) bool {
	repeats := r.Op == syntax.OpStar || r.Op == syntax.OpPlus || r.Op == syntax.OpRepeat && r.Max < 0
	if repeats && inside {
		return true
	}
	for _, sub := range r.Sub {
		if nested(sub, inside || repeats) {
			return true
		}
	}
	return false
}

// An opening describes how a match of an expression about commands can begin.
// The zero value: with anything.
type opening struct {
	program *syntax.Prog
	lead    string // what precedes the command in such a match
}

// openingOf returns the opening of an anchored expression.
func openingOf(text, lead string) (o opening) {
	if tree, err := syntax.Parse(text, syntax.Perl|syntax.DotNL); err == nil {
		o.lead = lead
		o.program, _ = syntax.Compile(tree.Simplify()) // else anything
	}
	return o
}

// openingOfArguments returns the opening of an expression about all arguments;
// nil if it does not concern the command.
func openingOfArguments(e *regexp.Regexp) *opening {
	begin, _ := e.LiteralPrefix()
	name := strings.TrimPrefix(begin, "\x00")
	if lead := begin[:len(begin)-len(name)] + argument.Command; strings.HasPrefix(begin, lead) {
		o := openingOf(e.String(), lead)
		return &o
	}
	if strings.HasPrefix(name, `"`) && !strings.HasPrefix(argument.Command, name) {
		return nil
	}
	return &opening{}
}

// maxOpening limits how much of a text is matched, in bytes. A text that has
// not failed by then is admitted.
const maxOpening = 1 << 10

// admits reports whether a text with this beginning may match.
func (o opening) admits(s string) bool {
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
func (o opening) follow(from []uint32) (to []uint32) {
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
