package agent_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/agenttest"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/rewind"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/idetest"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/internal/settings"
)

// A reworked world has a session with two turns: the first changed two files, of which one is open,
// and the second changed one again, made one and deleted one.
func reworked(t *testing.T, mode policy.Mode, f func(t *testing.T, w *agenttest.World, s *agent.Session, turns []string)) {
	t.Helper()
	files := map[string]string{"closed.txt": "one\n", "open.txt": "one\n", "old.txt": "old\n"}
	replies := []modeltest.Reply{
		{edit("closed.txt", "one", "two"), edit("open.txt", "one", "two")},
		{modeltest.Say("first answer")},
		{edit("closed.txt", "two", "three"), create("new.txt", "new\n"), create("old.txt", "older\n")},
		{modeltest.Say("second answer")},
		{modeltest.Say("third answer")},
	}
	agenttest.InWorld(t, files, replies, func(t *testing.T, w *agenttest.World) {
		w.Editor.Open(w.URI("open.txt"), "one\n")
		s := w.Session(mode)
		w.Prompt(s, "first")
		w.Prompt(s, "second")
		l, err := s.Prompts()
		if err != nil || len(l) != 2 {
			t.Fatalf("prompts: %+v, %v", l, err)
		}
		f(t, w, s, []string{l[0].TurnID, l[1].TurnID})
	})
}

// look returns what the files of a reworked world hold.
func look(w *agenttest.World) string {
	text := w.Editor.Text(w.URI("open.txt"))
	for _, name := range []string{"closed.txt", "old.txt", "new.txt"} {
		b, err := os.ReadFile(filepath.Join(w.Dir, name))
		if err != nil {
			b = []byte("no " + name + "\n")
		}
		text += string(b)
	}
	return strings.ReplaceAll(strings.TrimSpace(text), "\n", ", ")
}

const (
	atStart    = "one, one, old, no new.txt"
	afterFirst = "two, two, old, no new.txt"
	afterBoth  = "two, three, older, new"
)

func TestRedoUndoesRewindsInTurn(t *testing.T) {
	for _, restarts := range []bool{false, true} {
		reworked(t, policy.AutoEdit, func(t *testing.T, w *agenttest.World, s *agent.Session, turns []string) {
			hunks := func() string { return statesOf(w, s) }
			before := hunks()
			back := func(turn string, want string) {
				t.Helper()
				if _, err := s.Rewind(t.Context(), turn, rewind.Both, false); err != nil || look(w) != want {
					t.Errorf("rewound: %s, %v; want %s", look(w), err, want)
				}
			}
			back(turns[1], afterFirst)
			back(turns[0], atStart)
			if restarts {
				w.Stop()
				w.Start()
				w.Editor.Open(w.URI("open.txt"), "one\n")
				var err error
				if s, err = w.Agent.Session(t.Context(), s.ID()); err != nil {
					t.Fatal(err)
				}
			}
			forth := func(files string, prompts int) {
				t.Helper()
				if !s.State.Files.CanRedo() {
					t.Error("it says that nothing can be redone")
				}
				would, err := s.Redo(t.Context(), true)
				if err != nil || len(would.Changes) == 0 {
					t.Errorf("looked: %+v, %v", would, err)
				}
				r, err := s.Redo(t.Context(), false)
				if err != nil || look(w) != files {
					t.Errorf("redone: %+v, %v: %s; want %s", r, err, look(w), files)
				}
				if l, err := s.Prompts(); err != nil || len(l) != prompts {
					t.Errorf("the prompts are %+v, %v", l, err)
				}
			}
			forth(afterFirst, 1)
			forth(afterBoth, 2)
			if l, _ := s.Prompts(); len(l) != 2 || l[0].TurnID != turns[0] || l[1].TurnID != turns[1] {
				t.Errorf("the turns are %+v, want %v", l, turns)
			}
			if _, err := s.Redo(t.Context(), false); !errors.Is(err, rewind.ErrNoRedo) || s.State.Files.CanRedo() {
				t.Errorf("once more: %v", err)
			}
			if got := hunks(); got != before {
				t.Errorf("the hunks are %s, want %s", got, before)
			}
			back(turns[0], atStart) // the journal has all of it again
			w.Prompt(s, "third")
			if got := agenttest.TextOf(w.LastRequest()); strings.Contains(got, "second") || !strings.Contains(got, "third") {
				t.Errorf("the model got %q", got)
			}
			if _, err := s.Redo(t.Context(), false); !errors.Is(err, rewind.ErrNoRedo) || look(w) != atStart {
				t.Errorf("after a prompt: %v, %s", err, look(w))
			}
		})
	}
}

// statesOf returns the states of a session's hunks.
func statesOf(w *agenttest.World, s *agent.Session) string {
	var l []string
	for _, cs := range w.Ledger.List(s.ID(), "", "") {
		for _, f := range cs.Files {
			for _, h := range f.Hunks {
				state := filepath.Base(f.Path) + " " + string(h.State)
				if h.Unreviewed() {
					state += ", not reviewed"
				}
				l = append(l, state)
			}
		}
	}
	return strings.Join(l, "; ")
}

func TestRedoneConversationIsTheModelsAgain(t *testing.T) {
	reworked(t, policy.AutoEdit, func(t *testing.T, w *agenttest.World, s *agent.Session, turns []string) {
		if _, err := s.Rewind(t.Context(), turns[1], rewind.Conversation, false); err != nil {
			t.Fatal(err)
		}
		if r, err := s.Redo(t.Context(), false); err != nil || look(w) != afterBoth {
			t.Fatalf("%+v, %v: %s", r, err, look(w))
		}
		w.Prompt(s, "third")
		if got := agenttest.TextOf(w.LastRequest()); !strings.Contains(got, "second answer") || strings.Count(got, "first answer") != 1 {
			t.Errorf("the model got %q", got)
		}
	})
}

func TestARewindIsNotRedoneOverOtherChanges(t *testing.T) {
	for name, change := range map[string]func(w *agenttest.World){
		"a closed file":        func(w *agenttest.World) { put(w, w.T, "closed.txt", "mine\n") },
		"an open file":         func(w *agenttest.World) { w.Editor.Type(w.URI("open.txt"), 0, 0, "mine ") },
		"a file that was gone": func(w *agenttest.World) { put(w, w.T, "new.txt", "mine\n") },
	} {
		t.Run(name, func(t *testing.T) {
			reworked(t, policy.AutoEdit, func(t *testing.T, w *agenttest.World, s *agent.Session, turns []string) {
				if _, err := s.Rewind(t.Context(), turns[0], rewind.Both, false); err != nil {
					t.Fatal(err)
				}
				change(w)
				before := look(w)
				var changed *rewind.ChangedError
				if _, err := s.Redo(t.Context(), false); !errors.As(err, &changed) {
					t.Errorf("redone: %v", err)
				}
				if got := look(w); got != before {
					t.Errorf("the files hold %s, want %s", got, before)
				}
				if l, err := s.Prompts(); err != nil || len(l) != 0 {
					t.Errorf("the prompts are %+v, %v", l, err)
				}
			})
		})
	}
}

// What was still proposed is proposed again, and what was accepted or rejected is so.
func TestRedoBringsProposalsBack(t *testing.T) {
	files := map[string]string{"a.txt": "one\n", "b.txt": "one\n", "c.txt": "one\n", "open.txt": "one\n"}
	replies := []modeltest.Reply{{edit("a.txt", "one", "two"), edit("b.txt", "one", "two"), edit("c.txt", "one", "two"), edit("open.txt", "one", "two")}, {modeltest.Say("done")}}
	agenttest.InWorld(t, files, replies, func(t *testing.T, w *agenttest.World) {
		w.Stop()
		w.Wait = settings.WaitTurn
		w.Start()
		w.Editor.Open(w.URI("open.txt"), "one\n")
		s := w.Session(policy.Default)
		w.Prompt(s, "change them")
		decide := func(n int, a ledger.Action) {
			t.Helper()
			if _, err := w.Agent.Resolve(t.Context(), []ledger.Decision{{ChangeSetID: w.Ledger.List(s.ID(), "", "")[n].ID, Action: a}}, ""); err != nil {
				t.Fatal(err)
			}
		}
		decide(1, ledger.Accept)
		decide(2, ledger.Reject)
		decide(3, ledger.Accept)
		texts := func() string {
			return w.ReadFile("a.txt") + w.ReadFile("b.txt") + w.ReadFile("c.txt") + w.Editor.Text(w.URI("open.txt"))
		}
		const states, text = "a.txt pending; b.txt accepted; c.txt rejected; open.txt accepted", "one\ntwo\none\ntwo\n"
		if got := statesOf(w, s); got != states || texts() != text {
			t.Fatalf("the hunks are %s, the files %q", got, texts())
		}
		if _, err := s.Rewind(t.Context(), lastTurn(w), rewind.Both, false); err != nil || statesOf(w, s) != "a.txt rejected; b.txt rejected; c.txt rejected; open.txt rejected" {
			t.Fatalf("rewound: %v, %s", err, statesOf(w, s))
		}
		if _, err := s.Redo(t.Context(), false); err != nil || statesOf(w, s) != states || texts() != text {
			t.Fatalf("redone: %v, %s, the files %q", err, statesOf(w, s), texts())
		}
		decide(0, ledger.Accept)
		decide(3, ledger.Undo)
		if got := texts(); got != "two\ntwo\none\none\n" {
			t.Errorf("decided after that, the files are %q", got)
		}
	})
}

// A redo that is refused by the editor, or that cannot be recorded, changes nothing.
func TestARedoThatFailsChangesNothing(t *testing.T) {
	for _, record := range []bool{false, true} {
		reworked(t, policy.AutoEdit, func(t *testing.T, w *agenttest.World, s *agent.Session, turns []string) {
			if _, err := s.Rewind(t.Context(), turns[0], rewind.Both, false); err != nil {
				t.Fatal(err)
			}
			fix := func() {}
			w.Editor.OnEdit = func(int, ide.Edit) idetest.Answer {
				w.Editor.OnEdit = nil
				if record {
					fix = agent.BreakLog(s)
					return idetest.Answer{}
				}
				return idetest.Answer{Refuse: ide.ErrRefused}
			}
			if _, err := s.Redo(t.Context(), false); err == nil || look(w) != atStart {
				t.Errorf("redone: %v, %s", err, look(w))
			}
			fix()
			if l, err := s.Prompts(); err != nil || len(l) != 0 {
				t.Errorf("the prompts are %+v, %v", l, err)
			}
			noAttempt(w, s)
			if _, err := s.Redo(t.Context(), false); err != nil || look(w) != afterBoth {
				t.Errorf("again: %v, %s", err, look(w))
			}
		})
	}
}

// A redo that a killed process left unfinished is undone, unless it was recorded.
func TestAnInterruptedRedoIsUndone(t *testing.T) {
	for _, recorded := range []bool{false, true} {
		reworked(t, policy.AutoEdit, func(t *testing.T, w *agenttest.World, s *agent.Session, turns []string) {
			if _, err := s.Rewind(t.Context(), turns[1], rewind.Both, false); err != nil {
				t.Fatal(err)
			}
			var half []byte
			open := w.URI("new.txt")
			w.Editor.Open(w.URI("closed.txt"), "two\n")
			w.Editor.OnEdit = func(int, ide.Edit) idetest.Answer {
				half, _ = os.ReadFile(attempt(w, s))
				if recorded {
					return idetest.Answer{}
				}
				return idetest.Answer{Refuse: ide.ErrRefused}
			}
			if _, err := s.Redo(t.Context(), false); (err == nil) != recorded || half == nil {
				t.Fatalf("%s: the redo: %v, %q", open, err, half)
			}
			w.Stop()
			if err := os.WriteFile(attempt(w, s), half, 0o600); err != nil {
				t.Fatal(err)
			}
			put(w, t, "new.txt", "new\n") // what was done of it
			put(w, t, "old.txt", "older\n")
			w.Start()
			if _, err := w.Agent.Session(t.Context(), s.ID()); err != nil {
				t.Fatal(err)
			}
			want := "no new.txt"
			if recorded {
				want = "new"
			}
			if got := look(w); !strings.HasSuffix(got, want) {
				t.Errorf("recorded %v: the files hold %s", recorded, got)
			}
			noAttempt(w, s)
		})
	}
}

// A redo by another process is seen with the next prompt.
func TestASessionThatWasRedoneElsewhere(t *testing.T) {
	reworked(t, policy.AutoEdit, func(t *testing.T, w *agenttest.World, s *agent.Session, turns []string) {
		if _, err := s.Rewind(t.Context(), turns[1], rewind.Conversation, false); err != nil {
			t.Fatal(err)
		}
		here := w.Agent
		w.Start() // another process
		other, err := w.Agent.Session(t.Context(), s.ID())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := other.Redo(t.Context(), false); err != nil {
			t.Fatal(err)
		}
		w.Prompt(s, "third")
		if got := agenttest.TextOf(w.LastRequest()); !strings.Contains(got, "second answer") {
			t.Errorf("the model got %q", got)
		}
		if l, _, err := here.List(transcript.Listing{}); err != nil || len(l) != 1 || l[0].Turns != 3 {
			t.Errorf("listed: %+v, %v", l, err)
		}
		here.Close()
	})
}

// What a rewind needs no more is kept until it cannot be redone.
func TestContentsAreKeptForARedo(t *testing.T) {
	reworked(t, policy.AutoEdit, func(t *testing.T, w *agenttest.World, s *agent.Session, turns []string) {
		stored := func() int {
			l, _ := filepath.Glob(filepath.Join(w.State, "checkpoints", s.ID(), "??", "*"))
			return len(l)
		}
		before := stored()
		if _, err := s.Rewind(t.Context(), turns[0], rewind.Both, false); err != nil || stored() < before {
			t.Errorf("rewound: %v, %d contents are left of %d", err, stored(), before)
		}
		w.Prompt(s, "third")
		if n := stored(); n != 0 {
			t.Errorf("after the next prompt %d contents are left", n)
		}
		if slices.Contains(turns, "") {
			t.Error("a turn has no ID")
		}
	})
}
