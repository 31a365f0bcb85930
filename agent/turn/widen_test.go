package turn_test

import (
	"context"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/emendo-dev/emendo/agent/agenttest"
	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/internal/shellcmd"
	"github.com/emendo-dev/emendo/tools"
)

// kept is a command that prints twice, and fails if its sandbox blocks the network.
type kept struct{}

func (kept) Spec() tools.Spec {
	return tools.Spec{Name: "fetch", Display: "fetch", Kind: tools.Execute, Schema: json.RawMessage(`{"type":"object","additionalProperties":false}`)}
}

func (kept) Prepare(context.Context, tools.Env, json.RawMessage) (tools.Action, error) {
	run := func(w tools.Access) func(context.Context, func(tools.Progress)) tools.Result {
		return func(_ context.Context, live func(tools.Progress)) tools.Result {
			live(tools.Progress{Output: "one\n"})
			live(tools.Progress{Output: "one\ntwo\n"})
			if w.Network {
				return tools.Result{Output: "one\ntwo\n"}
			}
			return tools.Result{Output: "one\ntwo\n", Met: &tools.Met{Wall: tools.Wall{Network: true}}}
		}
	}
	return tools.Action{Title: "fetch", Effect: tools.Runs{Analysis: shellcmd.Analysis{Command: "fetch"}}, Run: run(tools.Access{}), WithAccess: run}, nil
}

// Buffered output of a command that has ended is not shown while the user is asked
// about it: a call never returns to an earlier state.
func TestOutputDoesNotOvertakeTheQuestionToWiden(t *testing.T) {
	agenttest.InWorld(t, nil, []modeltest.Reply{agenttest.Calls("fetch"), agenttest.Done()}, func(t *testing.T, w *agenttest.World) {
		w.Options = func(o *state.Options) { o.Tools = append(o.Tools, kept{}) }
		w.Stop()
		w.Start()
		var asked []transcript.CallState // while the user is asked
		w.Answer = func(context.Context, frontend.Question) (frontend.Answer, error) {
			<-time.After(time.Second) // of the bubble's clock: longer than output is buffered
			asked = w.States()["fetch"]
			return frontend.Answer{OptionID: "allow_once"}, nil
		}
		w.Prompt(w.Session(policy.Yolo), "fetch it")
		want := []transcript.CallState{transcript.Validating, transcript.Scheduled, transcript.Executing, transcript.AwaitingApproval}
		if !slices.Equal(asked, want) {
			t.Errorf("while the user is asked the call was in the states %v, want %v", asked, want)
		}
		if got := w.States()["fetch"]; !slices.Equal(got, append(want, transcript.Executing, transcript.Success)) {
			t.Errorf("the call was in the states %v", got)
		}
	})
}
