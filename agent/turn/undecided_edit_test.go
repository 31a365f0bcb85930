package turn_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/emendo-dev/emendo/agent/agenttest"
	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/idetest"
	"github.com/emendo-dev/emendo/ide/ledger"
)

// waysToAccept are the ways in which a whole edit is accepted. Without a review, the
// user cannot decide about what is left of it.
var waysToAccept = []struct {
	name      string
	mode      policy.Mode
	abilities frontend.Abilities
	byHand    bool // the user accepts it in a review
}{
	{name: "at once, no user", mode: policy.AutoEdit},
	{name: "at once, by the mode", mode: policy.AutoEdit, abilities: frontend.Abilities{Asks: true}},
	{name: "at once, reviewed later", mode: policy.AutoEdit, abilities: frontend.Abilities{Reviews: true, Asks: true}},
	{name: "permission", mode: policy.Default, abilities: frontend.Abilities{Asks: true}},
	{name: "review", mode: policy.Default, abilities: frontend.Abilities{Reviews: true, Asks: true}, byHand: true},
}

// The file changes on disk before the edit is accepted, so that both of its hunks would
// change the same line. One is applied, and the call ends with what became of each. What
// is then in the place of the other may look like its old text or its new one.
func TestAnEditThatIsRefusedInPartEndsItsCall(t *testing.T) {
	for _, c := range []overlapping{
		{name: "old", text: "p\nx\nq\n1\n2\n3\nx\n", proposed: "P\nx\nQ\n1\n2\n3\nw\n", found: "p\nx\nq\n1\n2\n3\n", want: "P\nx\nQ\n1\n2\n3\n"},
		{name: "new", text: "x\n1\n2\n3\nx\n", proposed: "w\n1\n2\n3\nw\n", found: "x\n", want: "w\n"},
	} {
		for _, tt := range waysToAccept {
			t.Run(c.name+" "+tt.name, func(t *testing.T) {
				edit := agenttest.Call("write_file", map[string]any{"file_path": "f", "content": c.proposed})
				agenttest.InWorld(t, map[string]string{"f": c.text}, []modeltest.Reply{{edit}, agenttest.Done()}, func(t *testing.T, w *agenttest.World) {
					w.Can = tt.abilities
					c.check(t, w, tt.mode, tt.byHand)
				})
			})
		}
	}
}

// overlapping is an edit of two hunks that are found to overlap.
type overlapping struct{ name, text, proposed, found, want string }

func (c overlapping) check(t *testing.T, w *agenttest.World, mode policy.Mode, byHand bool) {
	const overlaps = "it overlaps another change of the same decision"
	changeOnProposal(w, "f", c.found)
	end := w.Begin(w.Session(mode), "rename x")
	sets := w.Ledger.List("", "", "")
	if len(sets) != 1 || len(sets[0].Files[0].Hunks) != 2 {
		t.Fatalf("the edit has other hunks: %+v", sets)
	}
	if byHand {
		r, err := w.Agent.Resolve(t.Context(), []ledger.Decision{{ChangeSetID: sets[0].ID, Action: ledger.Accept}}, "")
		if err != nil || len(r.Applied) != 1 || len(r.Conflicts) != 1 || r.Conflicts[0].Reason != overlaps {
			t.Errorf("the resolution is %+v, %v", r, err)
		}
	}
	if _, err := end(); err != nil {
		t.Fatal(err)
	}
	out := agenttest.Results(w.LastRequest())[0].Output
	if strings.Count(out, "- applied: line") != 1 || strings.Count(out, "- conflicted, not applied: line") != 1 || !strings.Contains(out, ": "+overlaps) {
		t.Errorf("the model got\n%s", out)
	}
	if got := w.ReadFile("f"); got != c.want {
		t.Errorf("the file holds %q", got)
	}
	set, err := w.Ledger.Get(sets[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	state, reason := ledger.Conflicted, overlaps
	if !w.Can.Reviews { // it is withdrawn
		state, reason = ledger.Rejected, ""
	}
	if h := set.Files[0].Hunks; h[0].State != ledger.Accepted || h[1].State != state || h[1].Reason != reason {
		t.Errorf("the hunks are %+v", h)
	}
}

// changeOnProposal writes a file when the first edit has been proposed, before it is
// decided.
func changeOnProposal(w *agenttest.World, name, text string) {
	var once sync.Once
	w.Ledger.Watch(func(ledger.ChangeSet, bool) {
		once.Do(func() {
			if err := os.WriteFile(filepath.Join(w.Dir, name), []byte(text), 0o644); err != nil {
				w.T.Error(err)
			}
		})
	})
}

// The editor undoes the edit while it is applied: its hunk is pending again if it was
// proposed, and stays for a user who can decide about it; one that was applied unasked is
// rejected. The call ends.
func TestAnEditThatIsUndoneWhileItIsAppliedEndsItsCall(t *testing.T) {
	const feedback = "keep it short"
	for _, tt := range waysToAccept {
		if tt.byHand { // its call waits for the user
			continue
		}
		t.Run(tt.name, func(t *testing.T) {
			agenttest.InWorld(t, map[string]string{"f": "a\n"}, []modeltest.Reply{{agenttest.Replace("f", "a", "b")}, agenttest.Done()}, func(t *testing.T, w *agenttest.World) {
				w.Can = tt.abilities
				w.Answer = func(context.Context, frontend.Question) (frontend.Answer, error) {
					return frontend.Answer{OptionID: "allow_once", Feedback: feedback}, nil
				}
				w.Editor.Open(w.URI("f"), "a\n")
				w.Editor.OnEdit = func(int, ide.Edit) idetest.Answer {
					return idetest.Answer{AfterEcho: func() { w.Editor.Undo() }}
				}
				w.Prompt(w.Session(tt.mode), "rename a")
				if got := w.Editor.Text(w.URI("f")); got != "a\n" {
					t.Errorf("the editor has %q", got)
				}
				state, says := ledger.Rejected, "/f: its text was changed back while it was applied. Nothing was changed. The user did not reject it."
				if tt.abilities.Reviews {
					state, says = ledger.Pending, "- not decided yet: line 1"
					if tt.mode != policy.Default {
						state, says = ledger.Rejected, "- undone since it was applied, so the old text is there again: line 1"
					}
				}
				if out := agenttest.Results(w.LastRequest())[0].Output; !strings.Contains(out, says) || strings.Contains(out, "- applied") || strings.Contains(out, feedback) != (tt.mode == policy.Default) {
					t.Errorf("the model got\n%s", out)
				}
				if sets := w.Ledger.List("", "", ""); len(sets) != 1 || sets[0].State != state {
					t.Errorf("the change sets are %+v", sets)
				}
			})
		})
	}
}

// A change that was not applied does not return with a later edit beside it, if no user
// could decide about it: the model has read that it was not made.
func TestAChangeThatWasNotAppliedDoesNotReturn(t *testing.T) {
	for _, tt := range waysToAccept {
		if tt.abilities.Reviews {
			continue
		}
		t.Run(tt.name, func(t *testing.T) {
			edit := agenttest.Call("write_file", map[string]any{"file_path": "f", "content": "P\nx\nQ\n1\n2\n3\nw\n"})
			replies := []modeltest.Reply{{edit}, {agenttest.Replace("f", "Q", "R")}, agenttest.ReadFileCall("f"), {agenttest.Replace("f", "x", "y")}, agenttest.Done(), agenttest.Done()}
			agenttest.InWorld(t, map[string]string{"f": "p\nx\nq\n1\n2\n3\nx\n"}, replies, func(t *testing.T, w *agenttest.World) {
				w.Can = tt.abilities
				changeOnProposal(w, "f", "p\nx\nq\n1\n2\n3\n")
				s := w.Session(tt.mode)
				w.Prompt(s, "rename")
				if got := w.ReadFile("f"); got != "P\ny\nR\n1\n2\n3\n" {
					t.Errorf("the file holds %q", got)
				}
				w.Prompt(s, "and?")
				if text := agenttest.TextOf(w.LastRequest()); strings.Contains(text, "<edit_decisions>") || strings.Contains(text, "rejected by the user") || !strings.Contains(text, "P\nx\nR\n") {
					t.Errorf("the model got\n%s", text)
				}
			})
		})
	}
}
