package ide

import (
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"
)

// count counts the units of a string in the simplest way.
func count(s string, e Encoding) int {
	switch e {
	case UTF8:
		return len(s)
	case UTF16:
		return len(utf16.Encode([]rune(s)))
	}
	return utf8.RuneCountInString(s)
}

// checkPosition compares the position of a byte with one counted plainly, and
// goes back from it.
func checkPosition(t *testing.T, text *Text, off int, e Encoding) {
	t.Helper()
	line := text.LineAt(off)
	start := text.LineStart(line)
	body := strings.TrimRight(text.Line(line), "\r\n")
	inside, at := body, start+len(body)
	if off-start <= len(body) { // else it is in the line end
		inside, at = body[:off-start], off
	}
	// Back to the start of a character that the byte is inside of.
	for n := 1; n < utf8.UTFMax && n <= len(inside); n++ {
		begin := len(inside) - n
		if _, size := utf8.DecodeRuneInString(body[begin:]); size > n {
			inside, at = inside[:begin], at-n
			break
		}
	}
	want := Position{uint32(line), uint32(count(inside, e))}
	if got := text.Position(off, e); got != want {
		t.Errorf("%s: byte %d of %q: got %v, want %v", e, off, text, got, want)
	}
	if back, err := text.Offset(want, e); err != nil || back != at {
		t.Errorf("%s: %v of %q: got %d, %v; want %d", e, want, text, back, err, at)
	}
}

func TestPositionsAreCountedInTheEditorsUnits(t *testing.T) {
	for _, s := range []string{
		"", "plain", "plain\n", "a\r\nb\r\n", "a\rb\r", "\r\n", "\n\r\n\r", "no final\nline end",
		"é", "日本\né", "a👩‍👩‍👧b\r\n👍", "𝒳\u0301x", "\ufeffx", "\u2028 is no line end", "a\xffb\xc3\n\xf0\x9f\x98", "\xf0\x9f", "\x80\x80\x80\x80\x80", "tab\tand\x00nul",
	} {
		text := NewText(s)
		for off := 0; off <= len(s); off++ {
			for _, e := range []Encoding{UTF8, UTF16, UTF32} {
				checkPosition(t, text, off, e)
			}
		}
	}
}

func TestOffsetsOfOddPositions(t *testing.T) {
	text := NewText("a👍b\r\né\n")
	for _, c := range []struct {
		name string
		p    Position
		e    Encoding
		want int
	}{
		{"between the halves of a character", Position{0, 2}, UTF16, 1},
		{"after both halves", Position{0, 3}, UTF16, 5},
		{"inside the bytes of a character", Position{0, 3}, UTF8, 1},
		{"past the end of a line", Position{0, 99}, UTF16, 6},
		{"past the end of a line by far", Position{1, 1<<32 - 1}, UTF16, 10},
		{"past the end of a line, in bytes", Position{0, 1<<32 - 1}, UTF8, 6},
		{"the last, empty line", Position{2, 0}, UTF32, 11},
		{"a character in the empty line", Position{2, 5}, UTF32, 11},
		{"the line after the last", Position{3, 0}, UTF16, 11},
	} {
		if got, err := text.Offset(c.p, c.e); err != nil || got != c.want {
			t.Errorf("%s: got %d, %v; want %d", c.name, got, err, c.want)
		}
	}
	for _, p := range []Position{{4, 0}, {1<<32 - 1, 0}} {
		if off, err := text.Offset(p, UTF16); err == nil {
			t.Errorf("%v: got %d, want an error", p, off)
		}
	}
	if _, _, err := text.Offsets(Range{Position{1, 0}, Position{0, 1}}, UTF16); err == nil {
		t.Error("a range that ends before it starts has offsets")
	}
	r := text.Range(1, 8, UTF16)
	if a, b, err := text.Offsets(r, UTF16); err != nil || a != 1 || b != 8 {
		t.Errorf("%v: got %d, %d, %v", r, a, b, err)
	}
}
