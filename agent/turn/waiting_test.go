package turn_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/emendo-dev/emendo/agent/agenttest"
	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/internal/settings"
	"github.com/emendo-dev/emendo/tools"
)

// going has the turns of a world go on past their proposed edits.
func going(w *agenttest.World, wait settings.EditsWait) {
	w.Stop()
	w.Wait = wait
	w.Start()
}

func changing(file, old, new string) modeltest.Reply {
	return modeltest.Reply{modeltest.Call("replace", fmt.Sprintf(`{"file_path":%q,"old_string":%q,"new_string":%q}`, file, old, new))}
}

func command(line string) modeltest.Reply {
	return modeltest.Reply{modeltest.Call("run_shell_command", fmt.Sprintf(`{"command":%q}`, line))}
}

// tenEdits are ten edits in five files, with a command after the fifth.
func tenEdits() (files map[string]string, replies []modeltest.Reply) {
	files = map[string]string{}
	for i := range 10 {
		name := fmt.Sprintf("f%d.txt", i/2)
		files[name] = "first\n2\n3\n4\n5\n6\nsecond\n"
		if i == 5 {
			replies = append(replies, command("make"))
		}
		replies = append(replies, changing(name, []string{"first", "second"}[i%2], fmt.Sprintf("new-%d", i)))
	}
	return files, append(replies, agenttest.Done())
}

// waits returns the questions of calls that wait.
func waits(w *agenttest.World) (l []frontend.Question) {
	for _, q := range w.Questions {
		if len(q.Preview.Waits) > 0 {
			l = append(l, q)
		}
	}
	return l
}

func pendingHunks(w *agenttest.World, s string) (n int) {
	for _, cs := range w.Ledger.List(s, "", "") {
		for _, f := range cs.Files {
			for _, h := range f.Hunks {
				if h.State == ledger.Pending {
					n++
				}
			}
		}
	}
	return n
}

func TestATurnEndsByItselfWhenItsWaitIsAnswered(t *testing.T) {
	for choice, pending := range map[string]int{"accept_all": 5, "go_on": 10} {
		t.Run(choice, func(t *testing.T) {
			files, replies := tenEdits()
			agenttest.InWorld(t, files, replies, func(t *testing.T, w *agenttest.World) {
				going(w, settings.WaitTurn)
				w.Answer = func(_ context.Context, q frontend.Question) (frontend.Answer, error) {
					if len(q.Preview.Waits) > 0 {
						return frontend.Answer{OptionID: choice}, nil
					}
					return frontend.Answer{OptionID: "allow_once"}, nil
				}
				s := w.Session(policy.Default)
				if end := w.Prompt(s, "ten"); end.StopReason != transcript.EndTurn {
					t.Errorf("it ended with %s", end.StopReason)
				}
				if l := waits(w); len(l) != 1 || len(l[0].Preview.Waits) != 5 {
					t.Errorf("it waited with %+v", l)
				}
				if n := pendingHunks(w, s.ID()); n != pending {
					t.Errorf("%d hunks are pending, want %d", n, pending)
				}
				if got := strings.Contains(w.ReadFile("f0.txt"), "new-0"); got != (choice == "accept_all") {
					t.Errorf("the first edit is on disk: %t", got)
				}
			})
		})
	}
}

func TestWithNobodyATurnStandsAtItsWaitAndACancelEndsItThere(t *testing.T) {
	files, replies := tenEdits()
	reads := modeltest.Reply{modeltest.Call("read_file", `{"file_path":"f1.txt"}`), modeltest.Call("grep_search", `{"pattern":"new-3"}`), modeltest.Call("list_directory", `{"dir_path":"."}`), modeltest.Call("glob", `{"pattern":"*.txt"}`)}
	agenttest.InWorld(t, files, append(replies[:6:6], reads, agenttest.Done()), func(t *testing.T, w *agenttest.World) {
		going(w, settings.WaitTurn)
		w.Answer = func(ctx context.Context, _ frontend.Question) (frontend.Answer, error) {
			<-ctx.Done()
			return frontend.Answer{}, context.Cause(ctx)
		}
		s := w.Session(policy.Default)
		wait := w.Begin(s, "ten")
		synctest.Wait()
		if l := waits(w); len(l) != 1 {
			t.Fatalf("%d calls wait", len(l))
		}
		if got := w.States()["run_shell_command"]; got[len(got)-1] != transcript.AwaitingReview {
			t.Errorf("the command is %v", got)
		}
		s.Cancel("")
		if end, err := wait(); err != nil || end.StopReason != transcript.StopCancelled {
			t.Errorf("it ended with %s, %v", end.StopReason, err)
		}
		if n := pendingHunks(w, s.ID()); n != 5 || strings.Contains(w.ReadFile("f1.txt"), "new") {
			t.Errorf("%d hunks are pending, and the file is %q", n, w.ReadFile("f1.txt"))
		}
		w.Prompt(s, "read")
		got := agenttest.Results(w.LastRequest())
		for i, want := range []string{"new-3", "f1.txt", "bytes, proposed", "f1.txt"} {
			if r := got[len(got)-4+i]; !strings.Contains(r.Output, want) {
				t.Errorf("result %d lacks %q: %q", i, want, r.Output)
			}
		}
	})
}

func TestWithNeverNothingWaits(t *testing.T) {
	files, replies := tenEdits()
	agenttest.InWorld(t, files, replies, func(t *testing.T, w *agenttest.World) {
		going(w, settings.WaitNever)
		s := w.Session(policy.Default)
		if end := w.Prompt(s, "ten"); end.StopReason != transcript.EndTurn || len(waits(w)) != 0 || pendingHunks(w, s.ID()) != 10 {
			t.Errorf("it ended with %s, %d waits, %d pending hunks", end.StopReason, len(waits(w)), pendingHunks(w, s.ID()))
		}
		told := false
		for _, r := range w.Model.Requests() {
			for _, x := range agenttest.Results(r) {
				told = told || strings.Contains(x.Output, "without your proposed edits") && strings.Contains(x.Output, "f0.txt")
			}
		}
		if !told {
			t.Error("no result names the files that the command saw without the edits")
		}
	})
}

// A verdict and its comment reach the model with the next request, once, also of one hunk of
// several; an edit of a rejected one goes with it.
func TestVerdictsAreToldOnceAtTheNextRequest(t *testing.T) {
	replies := []modeltest.Reply{changing("a.txt", "one", "two"), changing("a.txt", "two", "three"), agenttest.Done(), agenttest.Done(), agenttest.Done()}
	agenttest.InWorld(t, map[string]string{"a.txt": "one\n"}, replies, func(t *testing.T, w *agenttest.World) {
		going(w, settings.WaitTurn)
		s := w.Session(policy.Default)
		w.Prompt(s, "edit")
		if n := pendingHunks(w, s.ID()); n != 2 {
			t.Fatalf("%d hunks are pending", n)
		}
		base := w.Ledger.List(s.ID(), "", "")[0]
		if _, err := w.Agent.Resolve(t.Context(), []ledger.Decision{{ChangeSetID: base.ID, Action: ledger.Reject}}, "because-1"); err != nil {
			t.Fatal(err)
		}
		for n := range 2 {
			w.Prompt(s, "next")
			text := fmt.Sprintf("%+v", w.LastRequest().Messages)
			if c := strings.Count(text, "because-1"); c != 1 {
				t.Errorf("after %d prompts the comment is there %d times", n+1, c)
			}
			if c := strings.Count(text, "with the change that it builds on"); c != 1 {
				t.Errorf("after %d prompts the edit on top is told %d times", n+1, c)
			}
		}
	})
}

// renaming edits by a language server, like rename_symbol.
type renaming struct{ tools.Tool }

func (r renaming) Spec() tools.Spec {
	s := r.Tool.Spec()
	s.Name, s.AwaitsReview, s.Aliases, s.Similar, s.FormerNames, s.ClaudeNames, s.EditorCommands = "renaming", true, nil, nil, nil, nil, nil
	return s
}

// What a language server would edit waits for the decisions on the turn's edits, also on one of the
// same response, and is then a proposal like others.
func TestAnEditByALanguageServerWaits(t *testing.T) {
	edit, rename := changing("a.txt", "one", "two"), modeltest.Reply{modeltest.Call("renaming", `{"file_path":"a.txt","old_string":"two","new_string":"three"}`)}
	for name, replies := range map[string][]modeltest.Reply{
		"the next response": {edit, rename, agenttest.Done()},
		"the same response": {slices.Concat(edit, rename), agenttest.Done()},
	} {
		t.Run(name, func(t *testing.T) {
			agenttest.InWorld(t, map[string]string{"a.txt": "one\n"}, replies, func(t *testing.T, w *agenttest.World) {
				w.Options = func(o *state.Options) { o.Tools = append(o.Tools, renaming{tools.Replace}) }
				going(w, settings.WaitTurn)
				w.Answer = func(_ context.Context, q frontend.Question) (frontend.Answer, error) {
					if got := w.ReadFile("a.txt"); got != "one\n" {
						t.Errorf("when it asks, the file has %q", got)
					}
					return frontend.Answer{OptionID: "accept_all"}, nil
				}
				s := w.Session(policy.Default)
				w.Prompt(s, "edit")
				if l := waits(w); len(l) != 1 {
					t.Errorf("it asked %d times", len(l))
				}
				if n := pendingHunks(w, s.ID()); n != 1 || w.ReadFile("a.txt") != "two\n" {
					t.Errorf("%d hunks are pending, and the file has %q", n, w.ReadFile("a.txt"))
				}
			})
		})
	}
}

// An edit of a file that the turn moves waits until the move is decided; its text is proposed at the
// new place then.
func TestAnEditOfAMovedFileWaits(t *testing.T) {
	move := modeltest.Reply{modeltest.Call("move_file", `{"source_path":"a.txt","destination_path":"b.txt"}`)}
	for _, accepts := range []bool{true, false} {
		agenttest.InWorld(t, map[string]string{"a.txt": "one\n"}, []modeltest.Reply{move, changing("b.txt", "one", "two"), agenttest.Done()}, func(t *testing.T, w *agenttest.World) {
			w.Options = func(o *state.Options) { o.Choices.Tools = append(o.Choices.Tools, tools.MoveFile) }
			going(w, settings.WaitTurn)
			w.Answer = func(context.Context, frontend.Question) (frontend.Answer, error) {
				if accepts {
					return frontend.Answer{OptionID: "accept_all"}, nil
				}
				return frontend.Answer{OptionID: "cancel"}, nil
			}
			s := w.Session(policy.Default)
			w.Prompt(s, "move and edit")
			if l := waits(w); len(l) != 1 {
				t.Errorf("it asked %d times", len(l))
			}
			if !accepts {
				if got := w.ReadFile("a.txt"); got != "one\n" || pendingHunks(w, s.ID()) != 1 {
					t.Errorf("cancelled: the file has %q, and %d hunks are pending", got, pendingHunks(w, s.ID()))
				}
				return
			}
			sets := w.Ledger.List(s.ID(), "", "")
			if got := w.ReadFile("b.txt"); got != "one\n" || len(sets) != 2 || pendingHunks(w, s.ID()) != 1 {
				t.Fatalf("the file has %q, and there are %+v", got, sets)
			}
			if _, err := w.Agent.Resolve(t.Context(), []ledger.Decision{{ChangeSetID: sets[1].ID, Action: ledger.Accept}}, ""); err != nil || w.ReadFile("b.txt") != "two\n" {
				t.Errorf("accepted: %v, %q", err, w.ReadFile("b.txt"))
			}
		})
	}
}
