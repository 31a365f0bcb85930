package demo

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestAnswerIsWrappedHoweverItComes(t *testing.T) {
	text := strings.Repeat("a few words of an answer, and `some code` in it; ", 6) + "done."
	shown := func(size int) string {
		var b strings.Builder
		s := screen{w: &b}
		for rest := text; rest != ""; {
			n := min(size, len(rest))
			s.stream(rest[:n])
			rest = rest[n:]
		}
		s.endStream()
		return b.String()
	}
	whole := shown(len(text))
	for _, size := range []int{1, 3, 7, 50} {
		if got := shown(size); got != whole {
			t.Errorf("in pieces of %d it is\n%s\nnot\n%s", size, got, whole)
		}
	}
	if got := strings.Join(strings.Fields(whole), " "); got != "emendo ▸ "+text {
		t.Errorf("the words are %q", got)
	}
	for line := range strings.Lines(whole) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > width {
			t.Errorf("%d columns: %q", n, line)
		}
	}
}

func TestColoursAreForTerminals(t *testing.T) {
	for _, colour := range []bool{true, false} {
		var b strings.Builder
		s := screen{w: &b, colour: colour}
		s.heading("a title", "a note")
		s.diff("--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n")
		if got := strings.Contains(b.String(), "\x1b["); got != colour {
			t.Errorf("colours wanted: %v; there: %v", colour, got)
		}
	}
}
