package agent_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/checkpoint"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/idetest"
)

// rewind goes back to before some prompt, or looks what that would do.
func (c *chaos) rewind(s *agent.Session) {
	prompts, err := s.Prompts()
	if err != nil {
		c.t.Errorf("prompts: %v", err)
	}
	if len(prompts) == 0 {
		return
	}
	turn, dry := pick(c, prompts...).TurnID, c.n(3) == 0
	scope := pick(c, agent.RewindFiles, agent.RewindConversation, agent.RewindBoth)
	_, err = s.Rewind(c.t.Context(), turn, scope, dry)
	switch {
	case errors.Is(err, agent.ErrBusy), errors.Is(err, agent.ErrUnknownTurn), errors.Is(err, ide.ErrRefused):
		return
	case err != nil:
		c.t.Errorf("rewind %s: %v", scope, err)
		return
	case dry || scope == agent.RewindFiles:
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lost[s.ID()] == nil {
		c.lost[s.ID()] = map[int64]bool{}
	}
	begun := false
	for _, u := range c.updates {
		if u.SessionID != s.ID() || u.Replay {
			continue
		}
		if begun = begun || u.TurnID == turn; !begun {
			continue
		}
		switch u.Event.(type) {
		case agent.ModeChanged, agent.ModelChanged, agent.InfoChanged, agent.CommandsChanged:
		default:
			c.lost[s.ID()][u.Seq] = true
		}
	}
}

func edit(path, old, text string) modeltest.Step {
	return modeltest.Call("replace", `{"file_path":"`+path+`","old_string":"`+old+`","new_string":"`+text+`"}`)
}

// lastTurn is the turn that was shown last.
func (w *world) lastTurn() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, u := range slices.Backward(w.updates) {
		if u.TurnID != "" {
			return u.TurnID
		}
	}
	return ""
}

func TestARewindThatCannotBeRecordedChangesNothing(t *testing.T) {
	files := map[string]string{"open.txt": "one\n", "closed.txt": "one\n"}
	replies := []modeltest.Reply{{edit("open.txt", "one", "two"), edit("closed.txt", "one", "two"), create("new.txt", "two\n")}, {modeltest.Say("done")}, {modeltest.Say("still here")}}
	inWorld(t, files, replies, func(t *testing.T, w *world) {
		w.editor.Open(w.uri("open.txt"), "one\n")
		s := w.session(agent.AutoEdit)
		w.prompt(s, "change them")
		w.editor.Open(w.uri("new.txt"), "two\n") // the editor is to delete it
		var mend func()
		w.editor.OnEdit = func(int, ide.Edit) idetest.Answer {
			if mend == nil {
				mend = agent.BreakLog(s)
			}
			return idetest.Answer{}
		}
		if _, err := s.Rewind(t.Context(), w.lastTurn(), agent.RewindBoth, false); err == nil {
			t.Error("it is said to be done")
		}
		mend()
		if got := w.editor.Text(w.uri("open.txt")) + w.file("closed.txt") + w.file("new.txt"); got != "two\ntwo\ntwo\n" {
			t.Errorf("the files hold %q", got)
		}
		w.prompt(s, "well?")
		if !strings.Contains(all(w.last()), "change them") {
			t.Error("the conversation was rewound")
		}
	})
}

func TestARewindSeesWhatTheUserTypesMeanwhile(t *testing.T) {
	replies := []modeltest.Reply{{edit("a.txt", "one", "two")}, {modeltest.Say("done")}}
	inWorld(t, map[string]string{"a.txt": "one\n\n\nlast\n"}, replies, func(t *testing.T, w *world) {
		uri := w.uri("a.txt")
		w.editor.Open(uri, "one\n\n\nlast\n")
		s := w.session(agent.AutoEdit)
		w.prompt(s, "change it")
		typed := false
		w.editor.OnEdit = func(int, ide.Edit) idetest.Answer {
			return idetest.Answer{Before: func() {
				if !typed {
					typed = true
					n := len(w.editor.Text(uri))
					w.editor.Type(uri, n, n, "typed\n")
				}
			}}
		}
		r, err := s.Rewind(t.Context(), w.lastTurn(), agent.RewindFiles, false)
		if err != nil || len(r.Restored) != 1 {
			t.Errorf("got %+v, %v", r, err)
		}
		if got := w.editor.Text(uri); got != "one\n\n\nlast\ntyped\n" {
			t.Errorf("the buffer holds %q", got)
		}
	})
}

func TestASessionThatWasRewoundElsewhere(t *testing.T) {
	replies := []modeltest.Reply{{modeltest.Say("one")}, {modeltest.Say("two")}, {modeltest.Say("three")}}
	inWorld(t, nil, replies, func(t *testing.T, w *world) {
		s := w.session(agent.Default)
		w.prompt(s, "first")
		w.prompt(s, "second")
		turn := w.lastTurn()
		here := w.agent
		w.start() // another process
		other, err := w.agent.Session(t.Context(), s.ID())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := other.Rewind(t.Context(), turn, agent.RewindConversation, false); err != nil {
			t.Fatal(err)
		}
		w.prompt(s, "third")
		if got := all(w.last()); !strings.Contains(got, "first") || strings.Contains(got, "second") {
			t.Errorf("the model was told %q", got)
		}
		if l, _, err := here.List(agent.Listing{}); err != nil || len(l) != 1 || l[0].Turns != 2 {
			t.Errorf("listed: %+v, %v", l, err)
		}
		here.Close()
	})
}

func TestDeletingASessionDeletesItsCheckpoints(t *testing.T) {
	replies := []modeltest.Reply{{edit("a.txt", "one", "two")}, {modeltest.Say("done")}}
	inWorld(t, map[string]string{"a.txt": "one\n"}, replies, func(t *testing.T, w *world) {
		s := w.session(agent.AutoEdit)
		w.prompt(s, "change it")
		dir := filepath.Join(w.state, "checkpoints")
		if l, err := os.ReadDir(dir); err != nil || len(l) != 1 {
			t.Errorf("before: %v, %v", l, err)
		}
		if err := w.agent.Delete(t.Context(), s.ID()); err != nil {
			t.Fatal(err)
		}
		if l, err := os.ReadDir(dir); err != nil || len(l) != 0 {
			t.Errorf("after: %v, %v", l, err)
		}
	})
}

func TestWithoutCheckpointsTheConversationAloneIsRewound(t *testing.T) {
	inWorld(t, nil, []modeltest.Reply{{modeltest.Say("one")}}, func(t *testing.T, w *world) {
		w.stop()
		w.options = func(o *agent.Options) { o.Checkpoints = (*checkpoint.Store)(nil) }
		w.start()
		s := w.session(agent.Default)
		w.prompt(s, "first")
		if _, err := s.Rewind(t.Context(), w.lastTurn(), agent.RewindBoth, false); err == nil {
			t.Error("files are said to be rewound")
		}
		if _, err := s.Rewind(t.Context(), w.lastTurn(), agent.RewindConversation, false); err != nil {
			t.Error(err)
		}
	})
}
