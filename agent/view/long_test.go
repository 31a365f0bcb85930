package view_test

import (
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/agent/view/viewtest"
)

// live returns how many bytes are in use.
func live() int {
	runtime.GC()
	runtime.GC() // what the first made free is counted
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// A long conversation comes in pages, each of which is small, and which have every item once;
// what they leave out is found and can be brought. The fold keeps the content once.
func TestLongConversationsComeInPages(t *testing.T) {
	long := viewtest.Long{Turns: 1000, Output: 7500}
	if testing.Short() {
		long.Turns = 60
	}
	before, content := live(), 0
	c := newConversation()
	for u := range long.Updates() {
		if e, ok := u.Event.(transcript.ToolUpdate); ok {
			content += len(e.Display)
		}
		c.Add(u)
	}
	items := viewtest.ItemsOfTurn * long.Turns
	// Beside the content an item has its texts, actions and places in lists: about 1 kB. The
	// content twice would be far more than that.
	if used, most := live()-before, content+content/10+items*2<<10; used > most {
		t.Errorf("%d items with %d bytes of output take %d bytes, want at most %d", items, content, used, most)
	}
	const bytes = 512 << 10
	var all []view.Item
	for earlier, at := true, ""; earlier; {
		var page []view.Item
		page, earlier = c.Page(view.Page{Before: at, Items: 197, Bytes: bytes}) // which ends in a turn
		raw, err := json.Marshal(page)
		if err != nil {
			t.Fatal(err)
		}
		if len(raw) > bytes+len(page)+2 || len(page) == 0 { // with the commas between them
			t.Fatalf("a page of %d items has %d bytes", len(page), len(raw))
		}
		at = viewtest.First(page)
		all = append(page, all...)
	}
	seen, turns := map[string]bool{}, 0
	for _, i := range all {
		if seen[i.ID] && i.Kind != view.KindTurn { // one that is on two pages is above items of both
			t.Errorf("%s came twice", i.ID)
		}
		if i.Kind == view.KindTurn && !seen[i.ID] {
			turns++
		}
		seen[i.ID] = true
		if i.Kind == view.KindCall && (i.Parts[0].Text != "" || i.Parts[0].Size == 0) {
			t.Fatalf("a folded call is %+v", i)
		}
	}
	if len(seen) != items || turns != long.Turns {
		t.Errorf("all pages have %d items and %d turns, want %d and %d", len(seen), turns, items, long.Turns)
	}
	found := c.Find(viewtest.LongNeedle).LookUp(nil)
	if !slices.Equal(found, []string{viewtest.LongFound}) {
		t.Fatalf("the word is found in %v", found)
	}
	if i, ok := c.Item(found[0]); !ok || !strings.Contains(i.Parts[0].Text, viewtest.LongNeedle) {
		t.Errorf("it brings %+v", i)
	}
	runtime.KeepAlive(c)
	c = nil
	if left := live() - before; left > 2<<20 {
		t.Errorf("%d bytes stay in use", left)
	}
}

// BenchmarkPage measures the newest page of a long conversation beside its floor, which is to
// encode what it has.
func BenchmarkPage(b *testing.B) {
	c := newConversation()
	for u := range (viewtest.Long{Turns: 1000, Output: 7500}).Updates() {
		c.Add(u)
	}
	page := view.Page{Items: 200, Bytes: 512 << 10}
	items, _ := c.Page(page)
	b.Run("page", func(b *testing.B) {
		for b.Loop() {
			c.Page(page)
		}
	})
	b.Run("floor", func(b *testing.B) {
		for b.Loop() {
			if _, err := json.Marshal(items); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("find", func(b *testing.B) {
		for b.Loop() {
			if l := c.Find(viewtest.LongNeedle).LookUp(nil); len(l) != 1 {
				b.Fatal(fmt.Sprint(l))
			}
		}
	})
}
