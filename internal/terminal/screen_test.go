package terminal

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"unicode/utf8"
)

// maxShown is a limit as callers have it.
const maxShown = 16 << 10

func render(pieces ...string) string {
	t := NewTranscript()
	for _, p := range pieces {
		t.Write([]byte(p))
	}
	t.End()
	return t.Text(MaxKept)
}

func TestScreen(t *testing.T) {
	for _, c := range []struct{ name, output, want string }{
		{"plain text", "a\nb", "a\nb"},
		{"the white space at both ends", " M a\n\n", " M a\n\n"},
		{"line ends of Windows", "a\r\nb\r\n", "a\nb\n"},
		{"a progress bar", "10%\r50%\r100% done\n", "100% done\n"},
		{"a shorter line painted over a longer", "loading\rok\n", "okading\n"},
		{"a line that is erased first", "loading\r\x1b[Kok\n", "ok\n"},
		{"backspaces", "ab\b\bcd", "cd"},
		{"colours", "\x1b[1;31mred\x1b[0m\x1b(B\x0f\n", "red\n"},
		{"a title", "\x1b]0;title\aa\x1b]8;;http://x\x1b\\b\n", "ab\n"},
		{"an escape before a colour", "\x1b\x1b[31mred\n", "red\n"},
		{"an escape before a letter of two bytes", "\x1bé\n", "é\n"},
		{"an escape before a line's end of Windows", "a\x1b\r\nb\n", "a\nb\n"},
		{"a title without end", "\x1b]0;title\nkept\n", "\nkept\n"},
		{"several bars at once", "a 1\nb 1\n\x1b[2Aa 2\x1b[K\nb 2\x1b[K\n", "a 2\nb 2\n"},
		{"bars that are taken away", "keep\na\nb\n\x1b[2A\x1b[Jdone\n", "keep\ndone\n"},
		{"a cleared screen keeps its text", "a\n\x1b[2J\x1b[Hb\n", "a\nb\n"},
		{"a tab", "a\tb", "a\tb"},
		{"a NUL", "a\x00b\n", `a\x00b` + "\n"},
		{"bytes that are no text", "caf\xe9 x\n", `caf\xe9 x` + "\n"},
		{"a character that is cut off", "a\xe2\x82", `a\xe2\x82`},
		{"a character that turns the direction", "a\u202eb", `a\u202eb`},
		{"tag characters", "a\U000e0041", `a\U000e0041`},
		{"a family", "👨‍👩‍👧", "👨‍👩‍👧"},
		{"a move beyond all bounds", "a\x1b[99999999999Db\x1b[99999999999Ac\n", "bc\n"},
		{"the replacement character", "a\ufffdb", "a\ufffdb"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := render(c.output); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if got := render(strings.SplitAfter(c.output, "")...); got != c.want {
				t.Errorf("character by character, got %q, want %q", got, c.want)
			}
			if got := render(bytewise(c.output)...); got != c.want {
				t.Errorf("byte by byte, got %q, want %q", got, c.want)
			}
		})
	}
}

// What programs do that draw lines again, or paint a whole screen.
func TestScreenThatIsPainted(t *testing.T) {
	for _, c := range []struct{ name, output, want string }{
		{"a line that is broken by the width alone", "0123456789abcdefghij01234\n\nb\n", "0123456789abcdefghij01234\n\nb\n"},
		{"a line that fills the width", "0123456789\nb\n", "0123456789\nb\n"},
		{"wide characters", "日本語日本語\n", "日本語日本語\n"},
		{"a mark at the beginning", "\u0301x\n", "\u0301x\n"},
		{"a tab at the edge", "01234567\t\tx\n", "01234567\t\tx\n"},
		{"a tab over text goes on in it", "abcdefghij\r\tX\n", "abcdefghXj\n"},
		{"a tab over a tab ends where it ended", "10%\tfoo\r20%\tfoo\n", "20%\tfoo\n"},
		{"a place far to the right", strings.Repeat("a", 600) + "\x1b7\x1b8b\x1b[Ac\n", strings.Repeat("a", 600) + "bc\n"},
		{"a title with a character of many bytes", "\x1b]0;✳ ✓\x1b\\a\n", "a\n"},
		{"another page is gone with its program", "a\n\x1b[?1049h\x1b[Hmenu\x1b[5;3Hhelp\x1b[?1049lb\n", "a\nb\n"},
		{"another page is gone with a reset", "a\n\x1b[?1049h\x1b[Hmenu\r\n日\x1b[3;3Hhelp\x1bc", "a\n"},
		{"what comes after a program that was ended in its page", "start\n\x1b[?1049h\x1b[Hmenu\r\nthread 'main' panicked\r\nFAIL 3 tests\n", "start\nmenu\nthread 'main' panicked\nFAIL 3 tests\n"},
		{"a saved place", "step \x1b7 0\x1b8 1\x1b[u 2\n", "step  2\n"},
		{"a place saved by the other sequence", "a\x1b[sbcd\x1b[uX\n", "aXcd\n"},
		{"a cleared screen keeps its text and begins again", "a\n\x1b[H\x1b[2J\x1b[3Jb\n\x1b[Ac\n", "a\nc\n"},
		{"what begins like a known sequence", "a\x1b[2 q\x1b[!p\x1b[>4;2m\x1b[?25lb\n", "ab\n"},
		{"a forgotten screen", "a\x1bcb\n", "a\nb\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := render(c.output); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if got := render(bytewise(c.output)...); got != c.want {
				t.Errorf("byte by byte, got %q, want %q", got, c.want)
			}
		})
	}
}

func bytewise(s string) []string {
	var l []string
	for i := range len(s) {
		l = append(l, s[i:i+1])
	}
	return l
}

func TestScreenKeepsWhatScrolledAway(t *testing.T) {
	var want strings.Builder
	for i := range 3 * Rows {
		fmt.Fprintf(&want, "line %d\n", i)
	}
	if got := render(want.String()); got != want.String() {
		t.Errorf("got %q", got)
	}
}

func TestScreenBoundsLines(t *testing.T) {
	long := strings.Repeat("x", 5*maxLine/2)
	if got := render("a\n" + long + "\nb\n"); got != "a\n"+long+"\nb\n" {
		t.Errorf("%d bytes came out of %d", len(got), len(long)+5)
	}
}

func TestBinaryOutputIsCounted(t *testing.T) {
	got := render("before\n" + strings.Repeat("\x00\xff\xfe\x01", 100) + "\n" + strings.Repeat("\x80", 99) + "\nafter\n")
	if want := "before\n[binary output, 501 bytes]\nafter\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// latin1 decodes lines as Latin-1.
func latin1(lines []byte, _ string) ([]byte, string) {
	var text []byte
	for _, b := range lines {
		text = utf8.AppendRune(text, rune(b))
	}
	return text, "latin-1"
}

func TestOutputInOtherEncodingsIsDecodedLineByLine(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"r\xe9glage\nd\xe9j\xe0\n", "réglage\ndéjà\n"},
		{"\x1b[31mr\xe9glage\x1b[0m\n", "réglage\n"},
		{"d\xe9j\xe0", "déjà"},
		{"naïve — 日本\n", "naïve — 日本\n"},
		{"\xe9\x01\n", "\\xe9\\x01\n"},
	} {
		for _, size := range []int{1, 2, 3, 5, 100} {
			tr := NewTranscript()
			tr.Decode = latin1
			for in := []byte(c.in); len(in) > 0; {
				n := min(size, len(in))
				if wrote, err := tr.Write(in[:n]); wrote != n || err != nil {
					t.Fatalf("wrote %d of %d, %v", wrote, n, err)
				}
				in = in[n:]
			}
			tr.End()
			if got := tr.Text(1000); got != c.want {
				t.Errorf("%q in pieces of %d is shown as %q, want %q", c.in, size, got, c.want)
			}
		}
	}
}

func TestTranscriptKeepsBothEnds(t *testing.T) {
	tr := NewTranscript()
	n := 0
	for i := 0; n < 5*MaxKept; i++ {
		k, _ := fmt.Fprintf(tr, "line %07d\n", i)
		n += k
	}
	tr.End()
	if tr.Size() != n {
		t.Errorf("size is %d, want %d", tr.Size(), n)
	}
	if kept := len(tr.head) + len(tr.tail); kept > 2*MaxKept {
		t.Errorf("%d bytes are kept", kept)
	}
	last := fmt.Sprintf("line %07d\n", n/13-1)
	for _, limit := range []int{MaxKept, 64 << 10, 100} {
		got := tr.Text(limit)
		if !strings.HasPrefix(got, "line 0000000\n") || !strings.HasSuffix(got, last) || len(got) > limit+100 {
			t.Errorf("cut to %d: %d bytes, from %.20q to %q", limit, len(got), got, got[len(got)-20:])
		}
		head, rest, _ := strings.Cut(got, "[… ")
		var out int
		if _, err := fmt.Sscanf(rest, "%d bytes", &out); err != nil {
			t.Fatal(err)
		}
		_, tail, _ := strings.Cut(rest, "\n")
		if len(head)-1+out+len(tail) != n {
			t.Errorf("cut to %d: %d and %d bytes are shown and %d left out of %d", limit, len(head)-1, len(tail), out, n)
		}
	}
	if now := tr.Tail(math.MaxInt, maxShown); len(now) > maxShown || !strings.HasSuffix(now, last) {
		t.Errorf("now is %d bytes up to %q", len(now), now[len(now)-20:])
	}
}

// What is shown of a long output begins with a whole line, or at least with a
// whole character.
func TestTranscriptIsCutBetweenCharacters(t *testing.T) {
	for _, line := range []string{"日本語\n", "日本語", strings.Repeat("é", 30_000) + "\n"} {
		for _, before := range []string{"", "a", "ab"} {
			tr := NewTranscript()
			for size := 0; size < 2*MaxKept; size += len(line) {
				tr.Write([]byte(line))
			}
			tr.Write([]byte(before))
			for name, shown := range map[string]string{"now": tr.Tail(math.MaxInt, maxShown), "the last": tr.Tail(100, 1000), "the text": tr.Text(MaxKept), "a shorter text": tr.Text(1001)} {
				if !utf8.ValidString(shown) || strings.Contains(line[:9], "\n") && name != "the text" && !strings.HasPrefix(shown, line) {
					t.Errorf("%s of %.9q…%q begins with %.12q", name, line, before, shown)
				}
			}
			tr.End()
			tr.Shrink(maxShown)
			if shown := tr.Text(MaxKept); !utf8.ValidString(shown) || len(shown) < maxShown/2 {
				t.Errorf("of %.9q…%q %d bytes are left", line, before, len(shown))
			}
		}
	}
}

func FuzzScreen(f *testing.F) {
	f.Add([]byte("a\x1b[2Ab\x1b[Kc\r\x1b[Jd\b\n\x1b]0;x\a"))
	f.Add([]byte("\x1b[?1049h\x1b[2;4r\x1b[4;3H日\t\x1b[L\x1b[3M\x1b[2@\x1b[P\x1b[X\x1b[9b\x1b[S\x1b[T\x1b7\x1b8e\u0301\x1bM\x1b[2J\x1b[?1049l"))
	f.Fuzz(func(t *testing.T, b []byte) {
		whole := render(string(b))
		if got := render(bytewise(string(b))...); got != whole {
			t.Errorf("in pieces it is %q, at once %q", got, whole)
		}
		if strings.ContainsAny(whole, "\x00\x1b\r\b") {
			t.Errorf("controls are left in %q", whole)
		}
		s := newScreen(NewTranscript())
		s.Write(b)
		for _, l := range s.lines {
			if len(s.lines) > Rows || len(l.text) > maxLine {
				t.Fatalf("%d lines, one of %d characters", len(s.lines), len(l.text))
			}
		}
	})
}
