package shell

import (
	"fmt"
	"strings"
	"testing"
)

func render(pieces ...string) string {
	t := newTranscript()
	for _, p := range pieces {
		t.Write([]byte(p))
	}
	t.end()
	return t.text(maxKept)
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

func bytewise(s string) []string {
	var l []string
	for i := range len(s) {
		l = append(l, s[i:i+1])
	}
	return l
}

func TestScreenKeepsWhatScrolledAway(t *testing.T) {
	var want strings.Builder
	for i := range 3 * screenLines {
		fmt.Fprintf(&want, "line %d\n", i)
	}
	if got := render(want.String()); got != want.String() {
		t.Errorf("got %q", got)
	}
}

func TestScreenBoundsLines(t *testing.T) {
	long := strings.Repeat("x", 5*screenWidth/2)
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

func TestTranscriptKeepsBothEnds(t *testing.T) {
	tr := newTranscript()
	n := 0
	for i := 0; n < 5*maxKept; i++ {
		k, _ := fmt.Fprintf(tr, "line %07d\n", i)
		n += k
	}
	tr.end()
	if tr.size() != n {
		t.Errorf("size is %d, want %d", tr.size(), n)
	}
	if kept := len(tr.head) + len(tr.tail); kept > 2*maxKept {
		t.Errorf("%d bytes are kept", kept)
	}
	last := fmt.Sprintf("line %07d\n", n/13-1)
	for _, limit := range []int{maxKept, 64 << 10, 100} {
		got := tr.text(limit)
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
	if now := tr.now(); len(now) > maxShown || !strings.HasSuffix(now, last) {
		t.Errorf("now is %d bytes up to %q", len(now), now[len(now)-20:])
	}
}

func FuzzScreen(f *testing.F) {
	f.Add([]byte("a\x1b[2Ab\x1b[Kc\r\x1b[Jd\b\n\x1b]0;x\a"))
	f.Fuzz(func(t *testing.T, b []byte) {
		whole := render(string(b))
		if got := render(bytewise(string(b))...); got != whole {
			t.Errorf("in pieces it is %q, at once %q", got, whole)
		}
		if strings.ContainsAny(whole, "\x00\x1b\r\b") {
			t.Errorf("controls are left in %q", whole)
		}
	})
}
