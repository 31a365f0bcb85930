package view_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/agent/view/viewtest"
	"github.com/emendo-dev/emendo/ide"
)

// kept is a record in memory: the results of calls, by the numbers of their updates.
type kept map[int64]transcript.ToolUpdate

func (k kept) add(u transcript.Update) {
	if e, ok := u.Event.(transcript.ToolUpdate); ok && e.Over() {
		k[u.Seq] = e
	}
}

func (k kept) read(seqs []int64, _ func([]byte) bool, got func(int, transcript.ToolUpdate, error)) {
	for i, seq := range seqs {
		if u, ok := k[seq]; ok {
			got(i, u, nil)
		} else {
			got(i, transcript.ToolUpdate{}, transcript.ErrLost)
		}
	}
}

func newStored() *view.Conversation {
	return view.NewConversation(view.Options{Encoding: ide.UTF16, Stored: true})
}

// A fold that leaves texts to the record says at each time what one says that has all.
func TestWhatIsLeftToTheRecordIsThere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, c, twin, record := &events{t: t}, newStored(), newConversation(), kept{}
		fold := viewtest.New(nil)
		for n := range rapid.IntRange(1, 60).Draw(t, "events") {
			u := g.next()
			u.Seq = int64(n + 1)
			if e, ok := u.Event.(transcript.ToolUpdate); ok && e.Over() {
				if e.Display == "" {
					e.Output += strings.Repeat("\"wörds\"\n", rapid.IntRange(0, 4000).Draw(t, "words"))
				} else {
					e.Display = "```\n" + strings.Repeat("\"wörds\"\n", rapid.IntRange(0, 4000).Draw(t, "words")) + e.CallID + "\n```"
				}
				u.Event = e
			}
			record.add(u)
			g.fold(u, c, twin)
			if to := g.rewinds(); to != "" {
				c.Rewind(to)
				twin.Rewind(to)
			}
			if rapid.IntRange(0, 2).Draw(t, "reads") > 0 {
				continue
			}
			changes := c.Changes()
			view.FillChanges(record.read, ide.UTF16, changes)
			fold.Apply(changes)
			twin.Changes()
			want := all(twin)
			if d := differ(want, fold.Items()); d != "" {
				t.Fatalf("the client has something else (-there is +it has):\n%s", d)
			}
			for _, folded := range []bool{true, false} {
				page := view.Page{Items: 50, Bytes: 40_000, Bodies: !folded}
				has, _ := twin.Page(page)
				got, _ := c.Page(page)
				view.FillAll(record.read, false, ide.UTF16, got)
				if d := differ(endOf(has, got), got); d != "" {
					t.Fatalf("a page has something else (-there is +it has):\n%s", d)
				}
			}
			fold = viewtest.New(want)
			all(c)
			for _, text := range []string{"\"wörds\"", "call", "WÖRDS"} {
				if d := differ(twin.Find(text).LookUp(nil), c.Find(text).LookUp(record.read)); d != "" {
					t.Fatalf("%q is found elsewhere:\n%s", text, d)
				}
			}
			items := c.Below(view.StatusID)
			view.FillAll(record.read, true, ide.UTF16, items)
			if d := differ(view.MarkdownOf(twin.Below(view.StatusID)), view.MarkdownOf(items)); d != "" {
				t.Fatalf("something else is copied:\n%s", d)
			}
		}
	})
}

// endOf returns what the page must be, when all of the same conversation ends as has: since the
// size of a text that is left to the record is estimated, the page may begin later than has. What
// stands above its items comes with them.
func endOf(has, page []view.Item) []view.Item {
	in, above := map[string]bool{}, map[string]bool{}
	for _, i := range page {
		in[i.ID], above[i.Parent] = true, true
	}
	begun := false
	return slices.DeleteFunc(slices.Clone(has), func(i view.Item) bool {
		begun = begun || in[i.ID] && !above[i.ID]
		return !begun && !in[i.ID]
	})
}

// Beside its items, the fold of a long conversation keeps no output; one that the record has lost
// is said to be lost.
func TestALongConversationLeavesItsOutputToTheRecord(t *testing.T) {
	long := viewtest.Long{Turns: 300, Output: 7500}
	if testing.Short() {
		long.Turns = 60
	}
	before, c := live(), newStored()
	for u := range long.Updates() {
		c.Add(u)
	}
	c.Page(view.Page{Items: 200, Bytes: 512 << 10})
	if used, most := live()-before, long.Turns*viewtest.ItemsOfTurn*2<<10; used > most {
		t.Errorf("%d turns take %d bytes, want at most %d", long.Turns, used, most)
	}
	i, _ := c.Item(viewtest.LongFound)
	view.Fill(kept{}.read, true, ide.UTF16, &i)
	if len(i.Parts) != 1 || i.Parts[0].Text != "The record of the session no longer has this text." {
		t.Errorf("a lost output is %+v", i.Parts)
	}
}
