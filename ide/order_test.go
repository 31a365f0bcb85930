package ide_test

import (
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/emendo-dev/emendo/ide"
)

// Typed letters that arrive in any order within a few make the text that was typed.
func TestOrder(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 1))
		model := ide.NewWorkspace(nil, ide.UTF16)
		w := ide.NewWorkspace(nil, ide.UTF16)
		const uri, text = "file:///a.txt", "one\r\nzwölf 🎉\r\nthree\n"
		model.Open(uri, "text", 0, text)
		w.Open(uri, "text", 0, text)
		type change struct {
			version int32
			changes []ide.Change
		}
		var sent []change
		for v := int32(1); v <= 12; v++ {
			now := model.Snapshot().Document(ide.ParseURI(uri)).Text
			a := random.IntN(now.Len() + 1)
			r := now.Range(a, a, ide.UTF16)
			if random.IntN(3) == 0 {
				r = now.Range(a, min(now.Len(), a+random.IntN(4)), ide.UTF16)
			}
			c := []ide.Change{{Range: &r, Text: []string{"x", "yz", "\n", "", "é"}[random.IntN(5)]}}
			if err := model.Change(uri, v, c); err != nil {
				t.Fatal(err)
			}
			sent = append(sent, change{v, c})
		}
		for i := range sent { // each overtakes a few
			j := min(len(sent)-1, i+random.IntN(4))
			sent[i], sent[j] = sent[j], sent[i]
		}
		var order ide.Order
		for _, c := range sent {
			_ = order.Change(w, uri, c.version, c.changes) // it may be invalid until an earlier one comes
		}
		got, want := w.Snapshot().Document(ide.ParseURI(uri)), model.Snapshot().Document(ide.ParseURI(uri))
		if got.Text.String() != want.Text.String() || got.Version != want.Version {
			t.Fatalf("seed %d: version %d of %q, want %d of %q", seed, got.Version, got.Text, want.Version, want.Text)
		}
	}
}

// A version that falls long after a change is a client that counts in its own way.
func TestOrderIsForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := ide.NewWorkspace(nil, ide.UTF16)
		w.Open("file:///a.txt", "text", 0, "")
		var order ide.Order
		for _, c := range []struct {
			version int32
			text    string
		}{{9, "a"}, {2, "b"}} {
			if err := order.Change(w, "file:///a.txt", c.version, []ide.Change{{Text: c.text}}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Minute)
		}
		if d := w.Snapshot().Document("file:///a.txt"); d.Text.String() != "b" || d.Version != 2 {
			t.Errorf("version %d is %q", d.Version, d.Text)
		}
		if err := order.Change(w, "file:///b.txt", 1, nil); err == nil {
			t.Error("a document that is not open was changed")
		}
	})
}
