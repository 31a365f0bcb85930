// Package visible makes text show all that is in it. Commands, names, answers and
// edits are written by whoever wants the user to take them for something else; what
// a screen does not show is spelled out before the user decides. It knows nothing
// of what the text is.
package visible

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Hidden says whether a reader would not see the character, or take it for a
// space: controls, line end and tab included, the marks that change the order of
// text, tags, separators other than space, and the letters and marks that are blank
// or whatever a font makes of them. The marks that make an emoji of a sign, or a sign
// of that, and the wide space of Chinese and Japanese are written by everybody.
func Hidden(r rune) bool {
	switch {
	case ' ' <= r && r <= '~', selects(r), r == '\u3000':
		return false
	case r == '\u2800', r >= 0xE0000 && r <= 0xE0FFF: // the empty Braille pattern; tags and what is like them
		return true
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Zs, unicode.Zl, unicode.Zp, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// selects reports whether a mark makes an emoji of the sign before it, or a sign of
// that.
func selects(r rune) bool { return r == '\ufe0e' || r == '\ufe0f' }

// Text is s with every hidden character but line end and tab as \u{…}, its number
// in hexadecimal digits, and what is no UTF-8 as U+FFFD. So are the marks of emojis
// where they stand behind no sign: nobody sees them there.
func Text(s string) string {
	var b strings.Builder
	var last rune
	for _, r := range strings.ToValidUTF8(s, "\uFFFD") {
		shown := !Hidden(r) && (!selects(r) || last > unicode.MaxASCII && (unicode.IsSymbol(last) || unicode.IsPunct(last)))
		if last = r; shown || r == '\n' || r == '\t' {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, `\u{%04X}`, r)
		}
	}
	return b.String()
}

// Line is Text for what belongs on one line, such as the name of a file: line ends
// and tabs are spelled out too, or a name could pass for lines of its own, and so
// are all marks of emojis, or it could pass for another name.
func Line(s string) string { return lineEnds.Replace(Text(s)) }

var lineEnds = strings.NewReplacer("\n", `\u{000A}`, "\t", `\u{0009}`, "\ufe0e", `\u{FE0E}`, "\ufe0f", `\u{FE0F}`)

// OneLine returns s with each run of white space, line ends included, as one
// space.
func OneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// Short returns s cut to at most n characters, with an ellipsis where it was cut.
func Short(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

// Clip cuts a line after n characters and marks the cut for a model. It reports
// whether the line is whole.
func Clip(line string, n int) (short string, whole bool) {
	if len(line) <= n || utf8.RuneCountInString(line) <= n {
		return line, true
	}
	at := 0
	for range n {
		_, size := utf8.DecodeRuneInString(line[at:])
		at += size
	}
	return line[:at] + "... [truncated]", false
}
