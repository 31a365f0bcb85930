package policy

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
)

// maxExpression is how long an expression may be, in bytes.
const maxExpression = 2048

// compile makes an expression that a rule is written with.
func compile(text string) (*regexp.Regexp, error) {
	if len(text) > maxExpression {
		return nil, fmt.Errorf("the expression has %d bytes, and at most %d are read", len(text), maxExpression)
	}
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, fmt.Errorf("the expression %q cannot be read: %w", text, err)
	}
	if nested(tree, false) {
		return nil, fmt.Errorf("the expression %q repeats what repeats itself: take one of the two away", text)
	}
	return regexp.Compile(text)
}

// compileCommand makes an expression for the beginning of a command. Its dot
// stands for line ends too: quotes may hold them.
func compileCommand(text string) (*regexp.Regexp, error) {
	if _, err := compile(text); err != nil {
		return nil, err
	}
	return regexp.Compile("^(?s:" + text + ")")
}

// nested says whether something that is repeated without a bound is repeated
// again, which makes other engines than Go's run for ever.
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

// An opening says what a match of an expression about commands can begin with.
// The zero value: with anything.
type opening struct {
	program *syntax.Prog
	lead    string // what stands before the command in such a match
}

// openingOf is an expression's, bound to the beginning of what it is compared
// with.
func openingOf(text, lead string) (o opening) {
	if tree, err := syntax.Parse(text, syntax.Perl|syntax.DotNL); err == nil {
		o.lead = lead
		o.program, _ = syntax.Compile(tree.Simplify()) // else with anything
	}
	return o
}

// openingOfArguments is that of an expression about all arguments; nil when it is
// about others than the command.
func openingOfArguments(e *regexp.Regexp) *opening {
	begin, _ := e.LiteralPrefix()
	name := strings.TrimPrefix(begin, "\x00")
	if lead := begin[:len(begin)-len(name)] + commandName; strings.HasPrefix(begin, lead) {
		o := openingOf(e.String(), lead)
		return &o
	}
	if strings.HasPrefix(name, `"`) && !strings.HasPrefix(commandName, name) {
		return nil
	}
	return &opening{}
}

// maxOpening is how much of a text is followed, in bytes; what has not failed by
// then may go on.
const maxOpening = 1 << 10

// admits says whether what begins so may go on as a match.
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
			case syntax.InstAlt, syntax.InstAltMatch, syntax.InstCapture, syntax.InstEmptyWidth, syntax.InstFail, syntax.InstNop: // take no character
			}
		}
		if states = o.follow(next); len(states) == 0 {
			return false
		}
	}
	return true
}

// follow are the states that take a character, or have matched, from these on.
// What looks around is taken to be fulfilled.
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
