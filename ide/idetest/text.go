package idetest

import (
	"cmp"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/emendo-dev/emendo/ide"
)

// delta returns the smallest single replacement that turns old into new, between
// whole characters and never inside a "\r\n". Editors send this for an undo.
func delta(old, new string) []ide.Splice {
	if old == new {
		return nil
	}
	a := 0
	for a < len(old) && a < len(new) && old[a] == new[a] {
		a++
	}
	for a > 0 && (!startsAt(old, a) || !startsAt(new, a)) {
		a--
	}
	i, j := len(old), len(new)
	for i > a && j > a && old[i-1] == new[j-1] {
		i, j = i-1, j-1
	}
	for i < len(old) && (!startsAt(old, i) || !startsAt(new, j)) {
		i, j = i+1, j+1
	}
	return []ide.Splice{{A: a, B: i, Text: new[a:j]}}
}

// startsAt reports whether a character or line end begins at i.
func startsAt(s string, i int) bool {
	if i >= len(s) || i == 0 {
		return true
	}
	return utf8.RuneStart(s[i]) && !(s[i] == '\n' && s[i-1] == '\r')
}

func sorted[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }

// must panics on an error, which is a mistake in the test.
func must(err error) {
	if err != nil {
		panic(err)
	}
}
