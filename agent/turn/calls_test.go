package turn_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/emendo-dev/emendo/agent/agenttest"
	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/internal/sandbox/sandboxtest"
	"github.com/emendo-dev/emendo/tools"
)

func TestBrokenToolsOnlyFailTheirCall(t *testing.T) {
	acts := func(run func() tools.Result) func() tools.Action {
		return func() tools.Action {
			return tools.Action{Effect: tools.Reads{}, Run: func(context.Context, func(tools.Progress)) tools.Result { return run() }}
		}
	}
	fine := acts(func() tools.Result { return tools.Result{Output: "fine"} })
	edits := func() tools.Action {
		return tools.Action{Effect: tools.Edits{Files: []ledger.Proposed{}}}
	}
	for _, c := range []struct {
		name    string
		kind    tools.Kind
		prepare func() tools.Action
		result  string
	}{
		{name: "a panic in Prepare", kind: tools.Read, prepare: func() tools.Action { panic("oops") }, result: "internal error"},
		{name: "a panic in Prepare of an edit", kind: tools.Edit, prepare: func() tools.Action { panic("oops") }, result: "internal error"},
		{name: "a panic in Run", kind: tools.Read, prepare: acts(func() tools.Result { panic("oops") }), result: "internal error"},
		{name: "no effect", kind: tools.Read, prepare: func() tools.Action { return tools.Action{} }, result: "internal error"},
		{name: "no Run", kind: tools.Read, prepare: func() tools.Action { return tools.Action{Effect: tools.Reads{}} }, result: "internal error"},
		{name: "a reading tool that edits", kind: tools.Read, prepare: edits},
		{name: "an editing tool that reads", kind: tools.Edit, prepare: fine, result: "internal error"},
		{name: "an edit of nothing", kind: tools.Edit, prepare: edits, result: "changes nothing"},
		{name: "a kind that is not known", kind: "think", prepare: fine, result: "fine"},
		{name: "a huge result", kind: tools.Read, prepare: acts(func() tools.Result { return tools.Result{Output: strings.Repeat("ä", 1<<20)} }), result: "characters omitted)"},
		{name: "a huge error", kind: tools.Read, prepare: acts(func() tools.Result {
			return tools.Result{Err: tools.Errorf(tools.Unhandled, "%s", strings.Repeat("x", 1<<20))}
		}), result: "characters omitted)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			agenttest.InWorld(t, nil, []modeltest.Reply{{modeltest.Call("odd", `{}`)}, {modeltest.Say("ok")}}, func(t *testing.T, w *agenttest.World) {
				w.Stop()
				w.Options = func(o *state.Options) { o.Tools = append(o.Tools, agenttest.OddTool{Kind: c.kind, Act: c.prepare}) }
				w.Start()
				w.Prompt(w.Session(""), "go")
				rs := agenttest.Results(w.LastRequest())
				if len(rs) != 1 || !strings.Contains(rs[0].Output, c.result) || len(rs[0].Output) > 80<<10 || rs[0].Failed == (c.result == "fine") && c.name != "a huge result" {
					t.Errorf("%d results, the first %.200q", len(rs), rs[0].Output)
				}
			})
		})
	}
}

func TestACallIsCancelledBeforeItBegins(t *testing.T) {
	agenttest.InWorld(t, map[string]string{"f": "a\n"}, []modeltest.Reply{{agenttest.RunCommand("slow"), agenttest.RunCommand("make"), agenttest.Replace("f", "a", "b")}, {modeltest.Say("ok")}}, func(t *testing.T, w *agenttest.World) {
		w.Spawn.Scripts = map[string]sandboxtest.Script{"slow": {Hangs: true}, "make": sandboxtest.Print("made\n", 0)}
		s := w.Session(policy.Yolo)
		wait := w.Begin(s, "go")
		for _, u := range w.Updates {
			if e, ok := u.Event.(transcript.ToolCall); ok && !strings.Contains(string(e.Args), "slow") {
				s.Cancel(e.CallID)
			}
		}
		synctest.Wait()
		for _, u := range w.Updates {
			if e, ok := u.Event.(transcript.ToolCall); ok && strings.Contains(string(e.Args), "slow") {
				s.Cancel(e.CallID)
			}
		}
		if end, err := wait(); err != nil || end.StopReason != transcript.EndTurn {
			t.Fatalf("%+v %v", end, err)
		}
		for i, r := range agenttest.Results(w.LastRequest()) {
			if !r.Failed || !strings.Contains(r.Output, "cancelled") {
				t.Errorf("result %d: %+v", i, r)
			}
		}
		if n := len(w.Spawn.Started()); n != 1 || w.ReadFile("f") != "a\n" {
			t.Errorf("%d commands ran, the file holds %q", n, w.ReadFile("f"))
		}
	})
}

func TestADeniedEditDoesNotStopItsNeighbour(t *testing.T) {
	agenttest.InWorld(t, map[string]string{"f": "a\nb\n"}, []modeltest.Reply{
		{agenttest.Call("write_file", map[string]any{"file_path": ".git/config", "content": "x"}), agenttest.Replace("f", "a", "A"), agenttest.Replace("f", "b", "B")}, {modeltest.Say("ok")},
	}, func(t *testing.T, w *agenttest.World) {
		w.Prompt(w.Session(policy.AutoEdit), "go")
		rs := agenttest.Results(w.LastRequest())
		if len(rs) != 3 || !strings.Contains(rs[0].Output, "protected") || rs[1].Failed || rs[2].Failed || w.ReadFile("f") != "A\nB\n" {
			t.Errorf("results %+v, the file holds %q", rs, w.ReadFile("f"))
		}
	})
}

func TestAnEditIsPartlyDecidedByCommands(t *testing.T) {
	text := "one\n2\n3\n4\n5\n6\n7\n8\nnine\n"
	agenttest.InWorld(t, map[string]string{"f": text}, []modeltest.Reply{
		{agenttest.Call("write_file", map[string]any{"file_path": "f", "content": strings.NewReplacer("one", "ONE", "nine", "NINE").Replace(text)})}, {modeltest.Say("ok")},
	}, func(t *testing.T, w *agenttest.World) {
		w.Can = frontend.Abilities{Asks: true}
		w.Answer = func(_ context.Context, q frontend.Question) (frontend.Answer, error) {
			cs, err := w.Ledger.Get(q.Preview.ChangeSetID)
			if err != nil {
				t.Error(err)
			}
			if _, err := w.Agent.Resolve(t.Context(), []ledger.Decision{{ChangeSetID: cs.ID, HunkID: cs.Files[0].Hunks[0].ID, Action: ledger.Reject}}, ""); err != nil {
				t.Error(err)
			}
			return frontend.Answer{OptionID: "allow_once"}, nil
		}
		w.Prompt(w.Session(""), "go")
		if got, want := w.ReadFile("f"), strings.Replace(text, "nine", "NINE", 1); got != want {
			t.Errorf("the file holds %q, want %q", got, want)
		}
	})
}

func TestAllowAlwaysOfAnEditChangesTheMode(t *testing.T) {
	agenttest.InWorld(t, map[string]string{"f": "a\nb\n"}, []modeltest.Reply{{agenttest.Replace("f", "a", "A")}, {agenttest.Replace("f", "b", "B")}, {modeltest.Say("ok")}}, func(t *testing.T, w *agenttest.World) {
		w.Can = frontend.Abilities{Asks: true}
		w.Answer = func(context.Context, frontend.Question) (frontend.Answer, error) {
			return frontend.Answer{OptionID: "allow_always"}, nil
		}
		s := w.Session("")
		w.Prompt(s, "go")
		if s.Info().Mode != policy.AutoEdit || len(w.Questions) != 1 || w.ReadFile("f") != "A\nB\n" {
			t.Errorf("mode %s after %d questions, the file holds %q", s.Info().Mode, len(w.Questions), w.ReadFile("f"))
		}
	})
}

func TestInvalidArgumentsOnlyFailTheirCall(t *testing.T) {
	for _, args := range []string{``, `null`, `[1]`, `{"a":`, `"x"`} {
		t.Run(args, func(t *testing.T) {
			agenttest.InWorld(t, nil, []modeltest.Reply{{modeltest.Part(model.Call{Name: "read_file", Args: json.RawMessage(args)})}, {modeltest.Say("ok")}}, func(t *testing.T, w *agenttest.World) {
				w.Prompt(w.Session(""), "go")
				if rs := agenttest.Results(w.LastRequest()); len(rs) != 1 || !rs[0].Failed {
					t.Errorf("results %+v", rs)
				}
			})
		})
	}
}
