package turn_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/emendo-dev/emendo/agent/agenttest"
	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/rewind"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/tools"
)

// commandSets returns the change sets of commands: their files with what they do, and what is
// unreviewed.
func commandSets(w *agenttest.World) []string {
	var l []string
	for _, cs := range w.Ledger.List("", "", "") {
		if cs.Origin != ledger.OfCommand {
			continue
		}
		for _, f := range cs.Files {
			mark := ""
			if f.Runs {
				mark = " runs"
			}
			l = append(l, strings.TrimPrefix(f.Path, w.Dir+"/")+" "+string(f.Op)+mark+string(f.Omitted)+fmt.Sprint(" ", len(f.Hunks), cs.Unreviewed()))
		}
	}
	return l
}

// again is a command of another name.
type again struct{ writing }

func (again) Spec() tools.Spec {
	s := writing{}.Spec()
	s.Name = "again"
	return s
}

// What a command changed is one change set, applied and to be reviewed: what the project's
// tools run by themselves first, ignored files not at all.
func TestWhatACommandChangedIsAChangeSet(t *testing.T) {
	large := strings.Repeat("0123456789abcde\n", 1<<17) // 2 MiB
	changes := map[string]string{"Makefile": "all:\n\ttrue\n", "a.txt": "two\n", "b.bin": "\x00\x01", "gone.txt": "", "large.txt": large + "more\n", "new.txt": "new\n", "log.log": "x\n", "same.txt": "same\n"}
	files := map[string]string{"Makefile": "all:\n", "a.txt": "one\n", "gone.txt": "gone\n", "large.txt": large, "same.txt": "same\n", ".emendoignore": "*.log\n", "log.log": "old\n"}
	agenttest.InWorld(t, files, []modeltest.Reply{agenttest.Calls("run"), agenttest.Done(), agenttest.Done(), agenttest.Done()}, func(t *testing.T, w *agenttest.World) {
		w.Options = func(o *state.Options) { o.Tools = append(o.Tools, writing{&w.Dir, changes}) }
		w.Can = frontend.Abilities{Asks: true, Reviews: true}
		w.Stop()
		w.Start()
		s := w.Session(policy.Yolo)
		w.Prompt(s, "go")
		want := []string{"Makefile modify runs 1 6", "a.txt modify 1 6", "b.bin createbinary 1 6", "gone.txt delete 1 6", "large.txt modifylarge 1 6", "new.txt create 1 6"}
		if got := commandSets(w); !slices.Equal(got, want) {
			t.Fatalf("the change sets are %q, want %q", got, want)
		}
		cs := w.Ledger.List("", "", "")[0]
		if cs.State != ledger.Accepted || cs.CallID == "" || cs.TurnID == "" || cs.Title != "run" {
			t.Errorf("the change set is %+v", cs)
		}
		if text := agenttest.TextOf(w.LastRequest()); strings.Contains(text, "edit_decisions") {
			t.Errorf("the model is told of decisions: %s", text)
		}
		w.Prompt(s, "and?")
		if text := agenttest.TextOf(w.LastRequest()); strings.Contains(text, "edit_decisions") {
			t.Errorf("in the next turn the model is told of decisions: %s", text)
		}
		r, err := w.Agent.Resolve(t.Context(), []ledger.Decision{{ChangeSetID: cs.ID, Action: ledger.Undo}}, "")
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Conflicts) != 1 || !strings.Contains(r.Conflicts[0].Reason, "no copy") {
			t.Errorf("the conflicts are %+v", r.Conflicts)
		}
		for name, text := range map[string]string{"Makefile": "all:\n", "a.txt": "one\n", "b.bin": "!", "gone.txt": "gone\n", "large.txt": large + "more\n", "new.txt": "!"} {
			if got := w.ReadFile(name); got != text && !(text == "!" && strings.HasPrefix(got, "!")) {
				t.Errorf("undone, %s has %.80q", name, got)
			}
		}
		w.Prompt(s, "and?")
		if text := agenttest.TextOf(w.LastRequest()); !strings.Contains(text, "decided on what commands had changed") {
			t.Errorf("the model is not told: %s", text)
		}
	})
}

// A later command of the session that changes the same lines is not taken for the user, and is
// undone with the earlier change.
func TestALaterCommandIsNotTheUser(t *testing.T) {
	replies := []modeltest.Reply{{agenttest.Replace("f", "a", "b")}, agenttest.Calls("run"), agenttest.Calls("again"), agenttest.Done(), agenttest.Done()}
	agenttest.InWorld(t, map[string]string{"f": "a\n"}, replies, func(t *testing.T, w *agenttest.World) {
		w.Options = func(o *state.Options) {
			o.Tools = append(o.Tools, writing{&w.Dir, map[string]string{"f": "c\n"}}, again{writing{&w.Dir, map[string]string{"f": "d\n"}}})
		}
		w.Stop()
		w.Start()
		s := w.Session(policy.Yolo)
		w.Prompt(s, "go")
		w.Prompt(s, "and?")
		if text := agenttest.TextOf(w.LastRequest()); strings.Contains(text, "edit_decisions") {
			t.Errorf("the model is told of decisions: %s", text)
		}
		sets := w.Ledger.List("", "", "")
		if len(sets) != 3 || sets[0].Origin != ledger.OfEdit || sets[0].Unreviewed() != 1 {
			t.Fatalf("the change sets are %+v", sets)
		}
		for i, want := range slices.Backward([]string{"a\n", "b\n"}) {
			r, err := w.Agent.Resolve(t.Context(), []ledger.Decision{{ChangeSetID: sets[i].ID, Action: ledger.Undo}}, "")
			if got := w.ReadFile("f"); err != nil || len(r.Conflicts) > 0 || got != want {
				t.Errorf("after change %d was undone, the file has %q: %+v, %v", i, got, r.Conflicts, err)
			}
		}
	})
}

// A rewind leaves nothing of what commands changed to review.
func TestARewindTakesBackWhatCommandsChanged(t *testing.T) {
	files := map[string]string{"a.txt": "one\n", "gone.txt": "gone\n"}
	agenttest.InWorld(t, files, []modeltest.Reply{agenttest.Calls("run"), agenttest.Done()}, func(t *testing.T, w *agenttest.World) {
		w.Options = func(o *state.Options) {
			o.Tools = append(o.Tools, writing{&w.Dir, map[string]string{"a.txt": "two\n", "gone.txt": "", "new.txt": "new\n"}})
		}
		w.Stop()
		w.Start()
		s := w.Session(policy.Yolo)
		w.Prompt(s, "go")
		if n := w.Ledger.Unreviewed(s.ID()); n != 3 {
			t.Fatalf("%d hunks are unreviewed", n)
		}
		turn := w.Ledger.List("", "", "")[0].TurnID
		if _, err := s.Rewind(t.Context(), turn, rewind.Files, false); err != nil {
			t.Fatal(err)
		}
		if n := w.Ledger.Unreviewed(s.ID()); n != 0 || w.ReadFile("a.txt") != "one\n" {
			t.Errorf("after the rewind %d hunks are unreviewed, and a.txt has %q", n, w.ReadFile("a.txt"))
		}
	})
}

// server is a command that continues in the background until over is closed.
type server struct {
	writing
	over chan struct{}
}

func (server) Spec() tools.Spec {
	s := writing{}.Spec()
	s.Name = "serve"
	return s
}

func (x server) Prepare(ctx context.Context, env tools.Env, args json.RawMessage) (tools.Action, error) {
	a, err := x.writing.Prepare(ctx, env, args)
	run := func(tools.Access) func(context.Context, func(tools.Progress)) tools.Result {
		return func(context.Context, func(tools.Progress)) tools.Result {
			if err := env.Jobs.Add(job{over: x.over}); err != nil {
				return tools.Result{Err: tools.Errorf(tools.Unhandled, "%v", err)}
			}
			return tools.Result{Output: "serving"}
		}
	}
	a.Run, a.WithAccess = run(tools.Access{}), run
	return a, err
}

// job is a command in the background that does nothing by itself.
type job struct {
	tools.Job
	over chan struct{}
}

func (job) PID() int                { return 1 }
func (job) Command() string         { return "serve" }
func (j job) Over() <-chan struct{} { return j.over }
func (job) State() string           { return "exit 0" }
func (job) Made() string            { return "" }
func (job) Output(int) string       { return "" }
func (job) Met() *tools.Met         { return nil }
func (job) Origin() tools.Origin    { return "" }
func (j job) End() {
	select {
	case <-j.over:
	default:
		close(j.over)
	}
}

// What a command in the background changes is drawn at its end, between turns too. After
// content from outside, before it or since, what it changes of the files that tools run by
// themselves is put back and proposed.
func TestWhatACommandInTheBackgroundChangesAtItsEnd(t *testing.T) {
	for name, replies := range map[string][]modeltest.Reply{
		"without such content": {agenttest.Calls("serve"), agenttest.Done()},
		"after it":             {agenttest.Calls("page"), agenttest.Calls("serve"), agenttest.Done()},
		"with it since":        {agenttest.Calls("serve"), agenttest.Calls("page"), agenttest.Done()},
	} {
		t.Run(name, func(t *testing.T) {
			agenttest.InWorld(t, map[string]string{"Makefile": "all:\n", "a.txt": "one\n"}, replies, func(t *testing.T, w *agenttest.World) {
				over := make(chan struct{})
				w.Options = func(o *state.Options) {
					o.Sandbox = &agenttest.SandboxOf{Level: sandbox.Isolated}
					o.Tools = append(o.Tools, server{writing{dir: &w.Dir}, over}, outside{"page", tools.OfWeb, tools.Reads{}})
				}
				w.Stop()
				w.Start()
				w.Prompt(w.Session(policy.AutoEdit), "go")
				for file, text := range map[string]string{"Makefile": "all:\n\tevil\n", "a.txt": "two\n"} {
					if err := os.WriteFile(filepath.Join(w.Dir, file), []byte(text), 0o600); err != nil {
						t.Fatal(err)
					}
				}
				close(over)
				synctest.Wait()
				want, makefile := []string{"Makefile modify runs 1 2", "a.txt modify 1 2"}, "all:\n\tevil\n"
				if len(replies) == 3 {
					want, makefile = []string{"Makefile modify runs 1 0", "a.txt modify 1 1"}, "all:\n"
				}
				if got := commandSets(w); !slices.Equal(got, want) {
					t.Errorf("the change sets are %q, want %q", got, want)
				}
				if got := w.ReadFile("Makefile") + w.ReadFile("a.txt"); got != makefile+"two\n" {
					t.Errorf("the files have %q", got)
				}
				if n := len(pending(w)); n != len(replies)-2 {
					t.Errorf("%d change sets are pending", n)
				}
			})
		})
	}
}
