package lsp

import (
	"fmt"
	"strings"
	"unicode"
)

// visible spells out the characters that a screen does not show, or that change
// how what is around them is shown.
func visible(s string) string {
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(s, "\uFFFD") {
		switch {
		case r == '\n' || r == '\t' || !isHidden(r):
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, `\u{%04X}`, r)
		}
	}
	return b.String()
}

// isHidden says whether a character cannot be told from none, or from a space, or
// moves what is around it. The two that choose between a picture and a letter stay.
func isHidden(r rune) bool {
	return unicode.IsControl(r) || unicode.IsSpace(r) && r != ' ' ||
		unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co, unicode.Other_Default_Ignorable_Code_Point) ||
		unicode.Is(unicode.Variation_Selector, r) && r != '\uFE0E' && r != '\uFE0F'
}

// visibleLines is visible for text of a file, whose lines may end in any way.
func visibleLines(s string) string { return visible(strings.ReplaceAll(s, "\r\n", "\n")) }
