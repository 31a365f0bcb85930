package policy

import (
	"fmt"
	"regexp"
	"regexp/syntax"
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
