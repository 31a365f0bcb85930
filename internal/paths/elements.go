package paths

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Elements returns the names in a path, in lower case, as the most lenient file
// system sees them. Both kinds of slash separate names.
func Elements(path string) []string {
	l := strings.FieldsFunc(path, func(r rune) bool { return r == '/' || r == '\\' })
	for i, name := range l {
		l[i] = foldName(name)
	}
	return l
}

// foldName removes from a name what some file system ignores: case, Unicode
// normalization, characters without width, the name of a stream, dots and
// spaces at the end.
func foldName(name string) string {
	if plain(name) {
		return strings.ToLower(name)
	}
	if before, _, ok := strings.Cut(name, ":"); ok && before != "" {
		name = before
	}
	name = strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) {
			return -1
		}
		return unicode.ToLower(unicode.ToUpper(r))
	}, norm.NFKC.String(name))
	return strings.TrimRight(norm.NFKC.String(name), ". ")
}

// plain reports whether only the case of a name can be ignored.
func plain(name string) bool {
	for i := range len(name) {
		if c := name[i]; c >= 0x80 || c == ':' {
			return false
		}
	}
	return name == "" || !strings.HasSuffix(name, ".") && !strings.HasSuffix(name, " ")
}
