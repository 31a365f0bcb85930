package ide

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// linesOf is the plain reading of what a line is.
func linesOf(s string) []string {
	lines := []string{""}
	for i := 0; i < len(s); i++ {
		last := &lines[len(lines)-1]
		*last += s[i : i+1]
		if s[i] == '\n' || s[i] == '\r' && (i+1 == len(s) || s[i+1] != '\n') {
			lines = append(lines, "")
		}
	}
	return lines
}

func linesIn(t *Text) []string {
	var lines []string
	for i := range t.Lines() {
		lines = append(lines, t.Line(i))
	}
	return lines
}

func TestLinesEndInAnyOfThreeWays(t *testing.T) {
	for _, s := range []string{"", "a", "\n", "\r", "\r\n", "\n\r", "\r\r\n\n", "a\nb", "a\r\nb\rc\n", "\r\n\r\n", "a\r", "a\rb", "one\rtwo\nthree\r\nfour"} {
		if got, want := linesIn(NewText(s)), linesOf(s); !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", s, got, want)
		}
	}
	var zero Text
	if zero.Lines() != 1 || zero.Line(0) != "" || zero.LineAt(0) != 0 || !zero.AtLineStart(0) || zero.Splice(0, 0, "a\n").Lines() != 2 {
		t.Error("the zero value is not the empty text")
	}
}

func TestALineIsFoundFromEachOfItsBytes(t *testing.T) {
	text := NewText("one\r\n\rtwo\n\nthree")
	for i := range text.Lines() {
		for off := text.LineStart(i); off < text.LineStart(i+1); off++ {
			if text.LineAt(off) != i || text.AtLineStart(off) != (off == text.LineStart(i)) {
				t.Errorf("byte %d: line %d, want %d", off, text.LineAt(off), i)
			}
		}
	}
	if text.LineAt(text.Len()) != text.Lines()-1 {
		t.Error("the end is not in the last line")
	}
}

// checkSplice compares a spliced text with one made anew.
func checkSplice(t *testing.T, text *Text, a, b int, s string) *Text {
	t.Helper()
	got, want := text.Splice(a, b, s), NewText(text.String()[:a]+s+text.String()[b:])
	if got.String() != want.String() || !slices.Equal(got.starts, want.starts) {
		t.Fatalf("%q with %q in %d to %d: %q begins lines at %v, want %v", text, s, a, b, got, got.starts, want.starts)
	}
	return got
}

// Every splice of every short text of letters and line ends.
func TestASplicedTextIsTheSameAsANewOne(t *testing.T) {
	var short []string
	for n, last := 0, []string{""}; n < 5; n++ {
		short = append(short, last...)
		var next []string
		for _, s := range last {
			next = append(next, s+"x", s+"\r", s+"\n")
		}
		last = next
	}
	for _, s := range short {
		text := NewText(s)
		for a := 0; a <= len(s); a++ {
			for b := a; b <= len(s); b++ {
				for _, with := range []string{"", "y", "\n", "\r", "\r\n", "\n\r", "\ny", "y\r"} {
					checkSplice(t, text, a, b, with)
				}
			}
		}
	}
}

func TestManySplicesInARowKeepTheLines(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	pieces := []string{"\r", "\n", "\r\n", "a", "é", "👩‍👩‍👧", "\xff", "\n\n", "word word", "\r\r"}
	for range 200 {
		text := NewText("")
		for range 200 {
			a := r.IntN(text.Len() + 1)
			b := min(a+r.IntN(6), text.Len())
			var s strings.Builder
			for range r.IntN(4) {
				s.WriteString(pieces[r.IntN(len(pieces))])
			}
			text = checkSplice(t, text, a, b, s.String())
		}
	}
}

func FuzzSplice(f *testing.F) {
	f.Add("a\r\nb", 2, 3, "\r")
	f.Add("\r", 1, 1, "\n")
	f.Fuzz(func(t *testing.T, s string, a, b int, with string) {
		if a < 0 || b < a || b > len(s) {
			return
		}
		text := checkSplice(t, NewText(s), a, b, with)
		if !slices.Equal(linesIn(text), linesOf(text.String())) {
			t.Fatalf("%q has the lines %q", text, linesIn(text))
		}
		for _, e := range []Encoding{UTF8, UTF16, UTF32} {
			checkPosition(t, text, a, e)
			checkPosition(t, text, min(a+len(with), text.Len()), e)
		}
	})
}

func lines5000() string {
	var s strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&s, "\tif value%d := compute(%d); value%d > limit { return }\n", i, i, i)
	}
	return s.String()
}

func BenchmarkNewText5000Lines(b *testing.B) {
	s := lines5000()
	for b.Loop() {
		NewText(s)
	}
}
