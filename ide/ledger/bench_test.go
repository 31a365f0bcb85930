package ledger_test

import (
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/ide/ledger"
)

// A keystroke in a document of 10,000 lines with 200 pending hunks: at its
// end, where no range moves, and an Enter at its top, where all do. The
// workspace's own work is in it.
func BenchmarkKeystroke(b *testing.B) {
	for _, c := range []struct {
		name, text string
		at         int
	}{{"a letter at the end", "x", -1}, {"a line at the top", "\n", 0}} {
		b.Run(c.name, func(b *testing.B) {
			for _, hunks := range []int{0, 200} {
				b.Run(map[int]string{0: "no hunks", 200: "200 hunks"}[hunks], func(b *testing.B) {
					w := newWorld(b)
					base := strings.Repeat("\tsome line of a program that is neither long nor short\n", 9800)
					var lines []int
					base += numbered(1000)
					for i := range hunks {
						lines = append(lines, 9801+i*5)
					}
					w.open("a.go", base)
					if hunks > 0 {
						w.propose("a.go", capitals(base, lines...))
					}
					w.l.Watch(func(ledger.ChangeSet, bool) {})
					at := c.at
					for b.Loop() {
						if c.at < 0 {
							at = len(w.text("a.go"))
						}
						w.e.Type(w.uri("a.go"), at, at, c.text)
					}
				})
			}
		})
	}
}
