package turn_test

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"github.com/emendo-dev/emendo/agent/agenttest"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/tools"
)

// late is a supply whose tool is available from the second request on.
type late struct {
	asked, closed int
	tools         []tools.Tool
}

func (l *late) Tools(context.Context, state.Asker) []tools.Tool {
	l.asked++
	if l.asked == 1 {
		return nil
	}
	return l.tools
}

func (l *late) Close() { l.closed++ }

// greet is a tool that is not built in.
type greet struct{}

func (greet) Spec() tools.Spec {
	return tools.Spec{Name: "greet", Display: "Greet", Kind: tools.Read, Description: "Greets.", Schema: json.RawMessage(`{"type":"object","properties":{}}`)}
}

func (greet) Prepare(context.Context, tools.Env, json.RawMessage) (tools.Action, error) {
	return tools.Action{Title: "Greet", Effect: tools.Reads{}, Run: func(context.Context, func(tools.Progress)) tools.Result {
		return tools.Result{Output: "Good morning."}
	}}, nil
}

// starting is a late supply whose server is still starting at the first call.
type starting struct {
	late
	awaited []string
}

func (s *starting) Await(_ context.Context, tool string) bool {
	s.awaited = append(s.awaited, tool)
	return tool == "greet"
}

// TestACallWaitsForTheServerOfItsTool: the model calls a tool that it knows from earlier
// while its server still starts.
func TestACallWaitsForTheServerOfItsTool(t *testing.T) {
	replies := []modeltest.Reply{
		{modeltest.Call("greet", `{}`), modeltest.Call("frobnicate", `{}`)},
		{modeltest.Call("greet", `{}`)},
		{modeltest.Say("Done.")},
	}
	agenttest.InWorld(t, nil, replies, func(t *testing.T, w *agenttest.World) {
		supply := &starting{late: late{tools: []tools.Tool{greet{}}}}
		w.Stop()
		w.Options = func(o *state.Options) {
			o.Supplies = func(*state.Session) []state.Supply { return []state.Supply{supply} }
		}
		w.Start()
		w.Prompt(w.Session(""), "hello")
		if r := agenttest.Results(w.Model.Requests()[1]); len(r) != 2 || r[0].Output != "Good morning." || !r[1].Failed {
			t.Errorf("the calls have the results %v", r)
		}
		if got := supply.awaited; !slices.Equal(got, []string{"greet", "frobnicate"}) {
			t.Errorf("awaited: %q", got)
		}
	})
}

func TestToolsOfASupplyAreOfferedOnceReady(t *testing.T) {
	replies := []modeltest.Reply{
		{modeltest.Call("greet", `{}`)},
		{modeltest.Call("greet", `{}`)},
		{modeltest.Say("Done.")},
	}
	agenttest.InWorld(t, nil, replies, func(t *testing.T, w *agenttest.World) {
		supply := &late{tools: []tools.Tool{greet{}}}
		w.Stop()
		w.Options = func(o *state.Options) {
			o.Supplies = func(*state.Session) []state.Supply { return []state.Supply{supply} }
		}
		w.Start()
		s := w.Session("")
		w.Prompt(s, "hello")
		requests := w.Model.Requests()
		for i, want := range []bool{false, true, true} {
			if got := slices.ContainsFunc(requests[i].Tools, func(t model.Tool) bool { return t.Name == "greet" }); got != want {
				t.Errorf("request %d offers greet: %t, want %t", i+1, got, want)
			}
		}
		if r := agenttest.Results(requests[1]); len(r) != 1 || !r[0].Failed {
			t.Errorf("the call before the tool was there has the results %v, want a failure", r)
		}
		if r := agenttest.Results(requests[2]); len(r) != 1 || r[0].Failed || r[0].Output != "Good morning." {
			t.Errorf("the call has the results %v", r)
		}
		if supply.closed != 0 {
			t.Error("the supply is closed while its session is open")
		}
		if err := w.Agent.Release(t.Context(), s.ID()); err != nil {
			t.Fatal(err)
		}
		if supply.closed != 1 {
			t.Errorf("the supply was closed %d times, want 1", supply.closed)
		}
	})
}
