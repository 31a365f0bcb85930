package view_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/agent/view/viewtest"
)

// waiting returns a prompt that waits.
func waiting(id, text string) view.Queued {
	return view.Queued{TurnID: "of " + id, MessageID: id, Blocks: []transcript.Block{{Type: transcript.TextBlock, Text: text}}}
}

// inOrder returns the IDs of items in the order of the screen.
func inOrder(items []view.Item) string {
	var l []string
	for _, i := range items {
		l = append(l, i.ID)
	}
	return strings.Join(l, " ")
}

// Prompts that wait stand behind everything else, in their order; one that is taken is the
// prompt of its turn.
func TestQueuedPromptsStandLast(t *testing.T) {
	c := newConversation()
	say := func(turn, message, text string) {
		c.Add(transcript.Update{TurnID: turn, Event: transcript.UserChunk{MessageID: message, Block: transcript.Block{Type: transcript.TextBlock, Text: text}}})
	}
	c.Run("t1")
	say("t1", "m1", "one")
	fold := viewtest.New(all(c))
	step := func(what, want string) {
		t.Helper()
		fold.Apply(c.Changes())
		if got := inOrder(fold.Items()); got != want {
			t.Errorf("%s: the client has %s, want %s", what, got, want)
		}
		if d := cmp.Diff(all(c), fold.Items()); d != "" {
			t.Errorf("%s: the client has something else (-there is +it has):\n%s", what, d)
		}
	}
	steer := waiting("s", "mind this")
	steer.Steer = true
	c.Queue([]view.Queued{steer, waiting("a", "first"), waiting("b", "second")}, false)
	step("three wait", "t1 m1 s a b")
	c.Queue([]view.Queued{waiting("b", "second"), waiting("a", "first, changed"), waiting("c", "third")}, false)
	step("another order", "t1 m1 b a c")
	c.Add(transcript.Update{TurnID: "t1", Event: transcript.TurnEnded{StopReason: transcript.EndTurn}})
	c.Run("t2")
	say("t2", "b", "second")
	say("t3", "m4", "of another process")
	step("one was taken", "t1 m1 t2 b t3 m4 a c")
	c.Queue([]view.Queued{waiting("b", "second"), waiting("c", "third")}, true)
	step("paused", "t1 m1 t2 b t3 m4 c")
	c.Rewind("t2")
	step("rewound", "t1 m1 c")
}

// What can be done with a prompt depends on where it stands.
func TestActionsOfQueuedPrompts(t *testing.T) {
	c := newConversation()
	actions := func() string {
		var l []string
		for _, i := range all(c) {
			var ids []string
			for _, a := range i.Actions {
				ids = append(ids, a.ID)
			}
			l = append(l, i.ID+" "+string(i.State)+" "+i.Note.Text+": "+strings.Join(ids, " "))
		}
		return strings.Join(l, "\n")
	}
	steer := waiting("s", "mind this")
	steer.Steer = true
	c.Run("t")
	c.Queue([]view.Queued{steer, waiting("a", "1"), waiting("b", "2"), waiting("c", "3")}, false)
	want := `s waiting For the running turn: edit interrupt remove
a waiting Next: edit down steer interrupt remove
b waiting Next: edit up down steer interrupt remove
c waiting Next: edit up front steer interrupt remove`
	if got := actions(); got != want {
		t.Errorf("while a turn runs:\n%s\nwant\n%s", got, want)
	}
	c.Run("")
	c.Queue([]view.Queued{waiting("a", "1")}, true)
	if got, want := actions(), "a interrupted Paused: edit resume interrupt remove"; got != want {
		t.Errorf("paused: %s, want %s", got, want)
	}
}
