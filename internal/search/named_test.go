package search

import (
	"testing"

	"github.com/bmatcuk/doublestar/v4"
)

// A part of a pattern that is the name of something there counts as that name.
func TestAPatternPartMayBeAName(t *testing.T) {
	for _, c := range []struct {
		pattern, path string
		want          bool
	}{
		{"app/[slug]/**", "app/[slug]/page.tsx", true},
		{"app/[slug]/**", "app/s/page.tsx", true},
		{"app/[slug]/**", "app/slug/page.tsx", false},
		{"**/[slug]/*.tsx", "app/[slug]/page.tsx", true},
		{"app/[...all]/*.tsx", "app/[...all]/page.tsx", true},
		{"[ab].txt", "a.txt", true},
		{"[ab].txt", "[ab].txt", true},
		{"[ab].txt", "c.txt", false},
	} {
		pattern, err := Glob(c.pattern)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := doublestar.Match(pattern, c.path); err != nil || got != c.want {
			t.Errorf("%s (%s) and %s: %v, %v", c.pattern, pattern, c.path, got, err)
		}
	}
}
