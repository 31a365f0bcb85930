package export

import (
	"strings"
	"testing"
)

// An editor that opens a transcript shows the last answer from its heading on.
func TestATranscriptIsOpenedAtTheLastAnswer(t *testing.T) {
	const begin = "# Title\n\nabout\n\n## You\n\nWhy?\n\n## emendo\n\nSo.\n\n## You\n\nAnd this?\n" // the last heading is in line 12
	for _, c := range []struct {
		name, text string
		want       int
	}{
		{"a long answer", begin + "\n## emendo\n\n" + strings.Repeat("line\n", 100), 16 + below},
		{"a short answer", begin + "\n## emendo\n\nSo.\n", 18},
		{"no answer yet", begin, 14},
		{"nothing", "# Title\n", 0},
	} {
		if got := LastAnswer(c.text); got != c.want {
			t.Errorf("%s: line %d, want %d", c.name, got, c.want)
		}
	}
}
