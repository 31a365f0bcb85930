package ledger

import (
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/ide"
)

// A text is joined and hashed only to compare it with a remembered one: every keystroke asks.
func TestOnlyATextAsLongAsARememberedOneIsHashed(t *testing.T) {
	text := ide.NewText(strings.Repeat("a line\n", 10_000))
	var p past
	p.remember(text, placed{hunks: []spanOf{{a: 1}}})
	if m, ok := p.find(ide.NewText(text.String())); !ok || m.spans[0].a != 1 {
		t.Errorf("the remembered text is not found: %v", m)
	}
	if _, ok := p.find(text.Splice(0, 1, "b")); ok {
		t.Error("another text of the same length is found")
	}
	var longer []*ide.Text // a joined text stays so
	for range 2 {
		longer = append(longer, text.Splice(0, 0, "typed"))
	}
	if n := testing.AllocsPerRun(1, func() {
		if _, ok := p.find(longer[0]); ok {
			t.Error("a longer text is found")
		}
		longer = longer[1:]
	}); n > 0 {
		t.Errorf("a longer text was joined: %v allocations", n)
	}
}
