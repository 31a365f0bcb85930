package tools

import (
	"regexp"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

var (
	// extended is an alternation as extended globs have it. One of a single
	// alternative may be a name: "report(1).txt".
	extended    = regexp.MustCompile(`([@?+*!])\(([^()/]*)\)`)
	convertible = map[string]string{"@": "{", "?": "{,"}
)

// newPattern checks a glob. "@(a|b)" and "?(a|b)" are written as the braces that
// mean the same; other extended globs are an error, since they would match
// nothing.
func newPattern(param, pattern string) (string, error) {
	var refused string
	pattern = extended.ReplaceAllStringFunc(pattern, func(group string) string {
		mark, inner := group[:1], group[2:len(group)-1]
		if !strings.Contains(inner, "|") && mark != "!" && mark != "@" {
			return group
		}
		open, ok := convertible[mark]
		if !ok {
			refused = group
			return group
		}
		return open + strings.ReplaceAll(inner, "|", ",") + "}"
	})
	if refused != "" {
		return "", Errorf(InvalidParams, "%s has %s, an extended glob that is not supported; use {a,b} for alternatives, and a second call or an exclusion for the rest", param, Shown(refused))
	}
	if !doublestar.ValidatePattern(pattern) {
		return "", Errorf(InvalidParams, "%s is not a valid glob: %s has an unclosed [ or {, or ends in a backslash", param, Shown(pattern))
	}
	return pattern, nil
}
