package view_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/ide/ledger"
)

// What a client was sent of a call stays what it was while the next is folded: it is encoded
// without a lock.
func TestSentLinesStayAsTheyWere(t *testing.T) {
	c := view.NewConversation(view.Options{})
	c.Add(transcript.Update{TurnID: "t1", Event: transcript.ToolCall{CallID: "c1", Name: "replace", Title: "Edit a.go"}})
	set := func(version uint64, states ...ledger.State) {
		cs := ledger.ChangeSet{ID: "s1", CallID: "c1", Version: version, State: ledger.Accepted}
		for i, s := range states {
			path := "/w/" + string(rune('a'+i)) + ".go"
			cs.Files = append(cs.Files, ledger.FileChange{Path: path, Op: ledger.Modify, Hunks: []ledger.Hunk{{ID: path, State: s}}})
		}
		c.ChangeSet(cs)
	}
	set(1, ledger.Pending, ledger.Pending)
	sent, _ := c.Item("c1")
	was := append([]view.Line(nil), sent.Lines...)
	set(2, ledger.Accepted)
	if diff := cmp.Diff(was, sent.Lines); diff != "" || len(was) < 3 {
		t.Errorf("what was sent has changed (-was +is):\n%s", diff)
	}
}

// A decision on one hunk does not bring the differences of the whole set again: they are neither
// made nor sent.
func TestADecisionKeepsTheDifferences(t *testing.T) {
	c := view.NewConversation(view.Options{})
	c.Add(transcript.Update{TurnID: "t1", Event: transcript.ToolCall{CallID: "c1", Name: "replace", Title: "Edit a.go"}})
	cs := ledger.ChangeSet{ID: "s1", CallID: "c1", Version: 1, State: ledger.Pending, Files: []ledger.FileChange{{
		Path: "/w/a.go", Op: ledger.Modify, Diff: "@@ -1,2 +1,2 @@\n-a\n+b\n c\n",
		Hunks: []ledger.Hunk{{ID: "1", State: ledger.Pending}, {ID: "2", State: ledger.Pending}},
	}}}
	changes := func() (items []view.Item) {
		for _, x := range c.Changes() {
			if x.Item != nil && x.Item.ID == "c1" {
				items = append(items, *x.Item)
			}
		}
		return items
	}
	c.ChangeSet(cs)
	if l := changes(); len(l) != 1 || len(l[0].Parts) == 0 {
		t.Fatalf("at first it is %+v", l)
	}
	decided := cs
	decided.Version, decided.Files = 2, []ledger.FileChange{cs.Files[0]}
	decided.Files[0].Hunks = []ledger.Hunk{{ID: "1", State: ledger.Accepted}, {ID: "2", State: ledger.Pending}}
	c.ChangeSet(decided)
	if l := changes(); len(l) != 1 || l[0].Parts != nil || len(l[0].Lines) == 0 {
		t.Errorf("a decision brings %+v", l)
	}
	if i, _ := c.Item("c1"); len(i.Parts) == 0 || i.Parts[len(i.Parts)-1].Kind != view.Diff {
		t.Errorf("it has %+v", i.Parts)
	}
	decided.Version, decided.Files = 3, []ledger.FileChange{decided.Files[0]}
	decided.Files[0].Diff = "@@ -1,2 +1,2 @@\n-a\n+d\n c\n"
	c.ChangeSet(decided)
	if l := changes(); len(l) != 1 || len(l[0].Parts) == 0 {
		t.Errorf("another difference brings %+v", l)
	}
}

// A prompt with a picture between its texts keeps both of them.
func TestAPromptKeepsAllItsTexts(t *testing.T) {
	c := view.NewConversation(view.Options{})
	for _, b := range []transcript.Block{{Type: transcript.TextBlock, Text: "Look at"}, {Type: transcript.ImageBlock, MIME: "image/png"}, {Type: transcript.TextBlock, Text: "and fix it"}} {
		c.Add(transcript.Update{TurnID: "t1", Event: transcript.UserChunk{MessageID: "m1", Block: b}})
	}
	if p := c.Of("t1").Prompt; p.Text != "Look at\nand fix it" || len(p.Others) != 1 {
		t.Errorf("the prompt is %+v", p)
	}
}
