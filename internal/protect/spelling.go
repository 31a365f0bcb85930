package protect

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
		l[i] = fold(name)
	}
	return l
}

// fold removes from a name what some file system ignores: case, Unicode
// normalization, characters without width, the name of a stream, dots and
// spaces at the end.
func fold(name string) string {
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

// ofShort returns the level of a name that may be the short form, eight
// characters and three, of a longer one on Windows.
func ofShort(name string) Level {
	stem, ext, _ := strings.Cut(name, ".")
	tilde := strings.LastIndexByte(stem, '~')
	if tilde < 1 || len(stem) > 8 || len(ext) > 3 || strings.Trim(stem[tilde+1:], "0123456789") != "" || tilde == len(stem)-1 {
		return Open
	}
	full := len(stem) == 8 // a number with more digits leaves less room for letters
	stem = stem[:tilde]
	level := Open
	for _, l := range []Level{Watched, Guarded, Sealed} {
		for _, long := range Names(l) {
			if shortens(stem, ext, long, full) {
				level = l
			}
		}
	}
	for _, end := range guardedEnds {
		if ext != "" && strings.HasPrefix(end[1:], ext) {
			level = max(level, Guarded)
		}
	}
	return level
}

// shortens reports whether a stem without its number, and an extension, are
// what Windows makes of a long name: its first letters, or two of them and four
// digits of a checksum.
func shortens(stem, ext, long string, full bool) bool {
	long = strings.TrimLeft(long, ".")
	base, tail := long, ""
	if dot := strings.LastIndexByte(long, '.'); dot > 0 {
		base, tail = strings.ReplaceAll(long[:dot], ".", ""), long[dot+1:]
	}
	if ext != tail[:min(3, len(tail))] {
		return false
	}
	letters := base[:min(6, len(base))]
	if stem == letters || full && len(stem) > 1 && strings.HasPrefix(letters, stem) {
		return true
	}
	return len(stem) == 6 && strings.HasPrefix(base, stem[:2]) && strings.Trim(stem[2:], "0123456789abcdef") == ""
}
