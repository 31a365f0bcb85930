package transcript

import (
	"strings"
	"unicode"
)

// Bounds of a title, in runes: of one made from a prompt, and of one that the
// user gives.
const (
	madeTitle  = 60
	GivenTitle = 200
)

// TitleOf is the first line of a prompt that says anything, cut at a word.
func TitleOf(blocks []Block) string {
	for _, b := range blocks {
		if b.Type != TextBlock {
			continue
		}
		for line := range strings.Lines(b.Text) {
			if title := CleanTitle(line, madeTitle); title != "" {
				return title
			}
		}
	}
	return ""
}

// CleanTitle is a text as one line without characters that nobody sees, of at
// most n runes.
func CleanTitle(s string, n int) string {
	s = strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r):
			return -1
		}
		return r
	}, s)), " ")
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	cut := string(r[:n])
	if i := strings.LastIndexByte(cut, ' '); i > n/2 {
		cut = cut[:i]
	}
	return cut + "…"
}
