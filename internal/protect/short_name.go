package protect

import "strings"

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
