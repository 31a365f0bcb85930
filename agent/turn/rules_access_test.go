package turn_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/agenttest"
	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/internal/shellcmd"
	"github.com/emendo-dev/emendo/tools"
)

// reaching is a command that fails unless its sandbox opens a host.
type reaching struct{}

func (reaching) Spec() tools.Spec {
	return tools.Spec{Name: "fetch", Display: "fetch", Kind: tools.Execute, Schema: json.RawMessage(`{"type":"object","additionalProperties":false}`)}
}

func (reaching) Prepare(_ context.Context, _ tools.Env, _ json.RawMessage) (tools.Action, error) {
	line := tools.Runs{Analysis: shellcmd.Analysis{Command: "fetch"}}
	run := func(w tools.Access) func(context.Context, func(tools.Progress)) tools.Result {
		return func(context.Context, func(tools.Progress)) tools.Result {
			if slices.Contains(w.Hosts, "host.example") {
				return tools.Result{Output: "fetched"}
			}
			return tools.Result{Output: "refused", Met: &tools.Met{Wall: tools.Wall{Hosts: []string{"host.example"}}, Runs: line}}
		}
	}
	return tools.Action{Title: "fetch", Effect: line, Run: run(tools.Access{}), WithAccess: run}, nil
}

// What an answer lets a line reach is listed with its scope; once removed, it is asked about
// again.
func TestAccessIsTakenBack(t *testing.T) {
	for scope, option := range map[policy.Scope]string{policy.Session: "allow_always", policy.Project: "allow_always_project"} {
		t.Run(string(scope), func(t *testing.T) {
			agenttest.InWorld(t, nil, nil, func(t *testing.T, w *agenttest.World) {
				w.UseRules()
				rules := w.Options
				w.Options = func(o *state.Options) { rules(o); o.Tools = append(o.Tools, reaching{}) }
				w.Stop()
				w.Start()
				w.Answer = func(context.Context, frontend.Question) (frontend.Answer, error) {
					return frontend.Answer{OptionID: option}, nil
				}
				s := w.Session(policy.Yolo)
				asked := func() int {
					before := len(w.Questions)
					w.Model.Replies = append(w.Model.Replies, agenttest.Calls("fetch"), modeltest.Reply{modeltest.Say("ok")})
					w.Prompt(s, "fetch it")
					return len(w.Questions) - before
				}
				list := func() []policy.Listed {
					l, err := w.Agent.Rules(t.Context(), s.ID(), "")
					if err != nil {
						t.Fatal(err)
					}
					return slices.DeleteFunc(l, func(r policy.Listed) bool { return !strings.Contains(r.Text, "the host host.example") })
				}
				if n := asked(); n != 1 {
					t.Errorf("asked %d times", n)
				}
				l := list()
				if len(l) != 1 || l[0].Scope != scope || l[0].Source != policy.OfAnswer || !l[0].Removable {
					t.Fatalf("listed are %+v", l)
				}
				if n := asked(); n != 0 {
					t.Errorf("asked %d times in the next turn", n)
				}
				if err := w.Agent.RemoveRule(l[0].ID); err != nil || len(list()) > 0 {
					t.Errorf("removed: %v, listed are %+v", err, list())
				}
				if n := asked(); n != 1 {
					t.Errorf("removed, asked %d times", n)
				}
			})
		})
	}
}
