package ide

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// linesOf splits a text into lines in the simplest way.
func linesOf(s string) []string {
	var lines []string
	start := 0
	for i := range len(s) {
		if s[i] == '\n' || s[i] == '\r' && (i+1 == len(s) || s[i+1] != '\n') {
			lines = append(lines, s[start:i+1])
			start = i + 1
		}
	}
	return append(lines, s[start:])
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

func TestLineIsFoundFromEachByte(t *testing.T) {
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

// checkText compares a text's lines with those of a plain reading, and looks at
// how it is kept.
func checkText(t *testing.T, text *Text, want string) {
	t.Helper()
	if text.String() != want || text.Len() != len(want) || text.Slice(0, text.Len()) != want {
		t.Fatalf("the text is %q, want %q", text, want)
	}
	if got, want := linesIn(text), linesOf(want); !slices.Equal(got, want) {
		t.Fatalf("the lines are %q, want %q", got, want)
	}
	for i, p := range text.parts {
		if p.s == "" || i < len(text.parts)-1 && p.s[len(p.s)-1] != '\n' || len(p.s) > 3*partSize {
			t.Fatalf("part %d of %d is %q", i, len(text.parts), p.s)
		}
	}
	if few := 4*len(want)/partSize + 2; len(text.parts) > few {
		t.Fatalf("%d bytes are in %d parts", len(want), len(text.parts))
	}
}

// checkSplice splices and compares with a plain string.
func checkSplice(t *testing.T, text *Text, a, b int, s string) *Text {
	t.Helper()
	old := text.String()
	got := text.Splice(a, b, s)
	checkText(t, got, old[:a]+s+old[b:])
	if text.String() != old {
		t.Fatalf("a splice changed the text it was made from: %q", text)
	}
	return got
}

// Every splice of every short text of letters and line ends.
func TestSplicedTextEqualsNewText(t *testing.T) {
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

// A text of many parts is spliced where they meet.
func TestPartsJoinAtLineEnds(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	line := func() string {
		return strings.Repeat("word ", r.IntN(60)) + []string{"\n", "\r\n", "\r", "\n\n"}[r.IntN(4)]
	}
	many := func(n int) string {
		var s strings.Builder
		for range n {
			s.WriteString(line())
		}
		return s.String()
	}
	text := NewText(many(300))
	checkText(t, text, text.String())
	for range 400 {
		near := func() int {
			p := text.parts[r.IntN(len(text.parts))]
			return min(max(p.at+r.IntN(7)-3, 0), text.Len())
		}
		a, b := near(), near()
		if a > b || r.IntN(3) > 0 && b-a > partSize {
			b = min(a+r.IntN(3), text.Len())
		}
		with := []string{"", "\r", "\n", "x", line(), many(40)}[r.IntN(6)]
		text = checkSplice(t, text, a, b, with)
		for range 5 {
			a := r.IntN(text.Len() + 1)
			b := a + r.IntN(text.Len()+1-a)
			if text.Slice(a, b) != text.String()[a:b] {
				t.Fatalf("the slice from %d to %d is %q", a, b, text.Slice(a, b))
			}
		}
		if text.Len() < 20000 {
			text = checkSplice(t, text, text.Len(), text.Len(), many(100))
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
