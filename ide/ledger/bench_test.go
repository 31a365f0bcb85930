package ledger_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/idetest"
	"github.com/emendo-dev/emendo/ide/ledger"
)

// A keystroke in a document of 10,000 lines with 200 pending hunks: at the end, where
// no range moves, and an Enter at the top, where all do. The workspace's work is
// included.
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

// Accepting, undoing and accepting again 3,000 hunks in an open file as one group, each
// by its ID.
func BenchmarkAcceptAll(b *testing.B) {
	for _, c := range []struct {
		name   string
		hunks  int
		pieces time.Duration
	}{{"300 hunks", 300, 0}, {"3000 hunks", 3000, 0}, {"3000 hunks reported in pieces", 3000, time.Millisecond}} {
		b.Run(c.name, func(b *testing.B) {
			hunks := c.hunks
			w := newWorld(b)
			w.e.OnEdit = func(int, ide.Edit) idetest.Answer { return idetest.Answer{Pieces: c.pieces} }
			base := numbered(hunks * 5)
			var lines []int
			var ds []ledger.Decision
			for i := range hunks {
				lines = append(lines, 1+i*5)
				ds = append(ds, ledger.Decision{ChangeSetID: "set1", HunkID: fmt.Sprintf("set1.%d", i+1), Action: ledger.Accept})
			}
			w.open("a.go", base)
			w.propose("a.go", capitals(base, lines...))
			w.l.Watch(func(ledger.ChangeSet, bool) {})
			for b.Loop() {
				if r := w.resolve(ds...); len(r.Applied) != hunks {
					b.Fatal(r.Conflicts[0])
				}
				w.e.Undo()
			}
		})
	}
}
