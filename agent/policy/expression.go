package policy

import (
	"fmt"
	"regexp"
	"regexp/syntax"
)

// maxExpression is how long an expression may be, in bytes.
const maxExpression = 2048

// compile makes an expression that a rule is written with, anchored at the
// beginning of what it is compared with or not.
func compile(text string, anchored bool) (*regexp.Regexp, error) {
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
	if anchored {
		text = "^(?:" + text + ")"
	}
	return regexp.Compile(text)
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
