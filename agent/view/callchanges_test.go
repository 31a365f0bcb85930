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
