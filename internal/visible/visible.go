// Package visible prepares untrusted text for display. Commands, names, answers and
// edits may be written to look like something else, so hidden characters are escaped
// before the user decides. It also folds and shortens text for the space it has. It
// knows nothing of what the text means.
package visible

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Hidden reports whether a character is invisible or looks like a space: controls
// including line ends and tabs, bidirectional marks, tags, separators other than
// space, and blank or ignorable letters and marks. The emoji and text variation
// selectors and the ideographic space are in common use and do not count.
func Hidden(r rune) bool {
	switch {
	case ' ' <= r && r <= '~', selects(r), r == '\u3000':
		return false
	case r == '\u2800', r >= 0xE0000 && r <= 0xE0FFF: // the blank Braille pattern; tags and similar
		return true
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Zs, unicode.Zl, unicode.Zp, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// selects reports whether r is the text or emoji variation selector.
func selects(r rune) bool { return r == '\ufe0e' || r == '\ufe0f' }

// Text returns s with hidden characters other than line ends and tabs written as
// \u{…}, and invalid UTF-8 as U+FFFD. Variation selectors are escaped unless they
// follow a symbol, since they are invisible elsewhere.
func Text(s string) string {
	if isPlain(s, true) {
		return s
	}
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

// Line is Text for one line, such as the name of a file. It also escapes line ends
// and tabs, with which a name could pass for several lines, and all variation
// selectors, with which it could pass for another name.
func Line(s string) string {
	if isPlain(s, false) {
		return s
	}
	return lineEnds.Replace(Text(s))
}

var lineEnds = strings.NewReplacer("\n", `\u{000A}`, "\t", `\u{0009}`, "\ufe0e", `\u{FE0E}`, "\ufe0f", `\u{FE0F}`)

// OneLine returns s with each run of white space, line ends included, as one
// space.
func OneLine(s string) string {
	if isPlain(s, false) && !strings.Contains(s, "  ") && s == strings.TrimSpace(s) {
		return s
	}
	return strings.Join(strings.Fields(s), " ")
}

// isPlain reports whether a text is of visible ASCII characters and spaces alone, which needs no
// closer look; with lines, line ends and tabs are no matter.
func isPlain(s string, lines bool) bool {
	for i := range len(s) {
		if c := s[i]; (c < ' ' || c > '~') && !(lines && (c == '\n' || c == '\t')) {
			return false
		}
	}
	return true
}

// Short returns s cut to at most n characters, with an ellipsis where it was cut.
func Short(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

// CutBytes cuts s to at most n bytes without breaking a character. It has more than n.
func CutBytes(s string, n int) string {
	for least := max(n-utf8.UTFMax+1, 0); n > least && !utf8.RuneStart(s[n]); n-- { // further back there is no text in UTF-8
	}
	return s[:n]
}

// Bounded returns s, or its first n bytes and a mark if it has more.
func Bounded(s string, n int, mark string) string {
	if len(s) <= n {
		return s
	}
	return CutBytes(s, n) + mark
}

// Block returns text as a block of code in Markdown, whose fence is longer than any in it;
// empty for no text. language may be empty.
func Block(language, text string) string {
	if text == "" {
		return ""
	}
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + language + "\n" + strings.TrimSuffix(text, "\n") + "\n" + fence
}

// ShortLine returns s on one line of at most n characters, as [Line] shows it.
func ShortLine(s string, n int) string { return Short(Line(OneLine(s)), n) }

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
