package search

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

var (
	// extended matches an alternation of extended globs. One with a single
	// alternative may be part of a name: "report(1).txt".
	extended    = regexp.MustCompile(`([@?+*!])\(([^()/]*)\)`)
	convertible = map[string]string{"@": "{", "?": "{,"}
)

// An ExtendedError reports an extended glob that has no plain equivalent. Its
// value is the part that is not supported, such as "!(a|b)".
type ExtendedError string

func (e ExtendedError) Error() string {
	return fmt.Sprintf("extended glob %s is not supported", string(e))
}

// Glob checks a glob and returns it in the form that package doublestar matches:
// "@(a|b)" and "?(a|b)" become braces. Other extended globs are an
// [ExtendedError], since they would match nothing.
func Glob(pattern string) (string, error) {
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
		return "", ExtendedError(refused)
	}
	if !doublestar.ValidatePattern(pattern) {
		return "", doublestar.ErrBadPattern
	}
	return orNamed(pattern), nil
}

// orNamed makes each part of a pattern that has a class, such as "[slug]", match what
// has that name too.
func orNamed(pattern string) string {
	if strings.ContainsAny(pattern, `\{`) { // parts in braces may have slashes
		return pattern
	}
	parts := strings.Split(pattern, "/")
	for i, part := range parts {
		if strings.Contains(part, "[") && !strings.Contains(part, ",") {
			parts[i] = "{" + part + "," + strings.NewReplacer("[", `\[`, "]", `\]`).Replace(part) + "}"
		}
	}
	return strings.Join(parts, "/")
}
