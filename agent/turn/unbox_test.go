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
	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/internal/shellcmd"
	"github.com/emendo-dev/emendo/tools"
)

// boxed is a tool whose command uses git, and that records where it ran.
type boxed struct {
	use shellcmd.GitUse
	ran *[]tools.Access
}

func (boxed) Spec() tools.Spec {
	return tools.Spec{Name: "boxed", Kind: tools.Execute, Schema: json.RawMessage(`{"type": "object"}`)}
}

func (b boxed) Prepare(context.Context, tools.Env, json.RawMessage) (tools.Action, error) {
	run := func(w tools.Access) func(context.Context, func(tools.Progress)) tools.Result {
		return func(context.Context, func(tools.Progress)) tools.Result {
			*b.ran = append(*b.ran, w)
			return tools.Result{Output: "ran"}
		}
	}
	return tools.Action{Effect: tools.Runs{Analysis: shellcmd.Analysis{Command: "git it", Git: b.use}}, Run: run(tools.Access{}), WithAccess: run}, nil
}

// In every mode, a git command that cannot work in the sandbox is asked about once and
// then runs outside once. If the session cannot ask, it is denied, and the result says
// how the user can allow it.
func TestGitCommandsOutsideTheSandbox(t *testing.T) {
	commit, config, push := shellcmd.GitUse{Calls: true, Writes: true}, shellcmd.GitUse{Calls: true, Configures: "git config"}, shellcmd.GitUse{Calls: true, Writes: true, Network: "git push"}
	for _, c := range []struct {
		name  string
		use   shellcmd.GitUse
		level sandbox.Level
		why   string // empty: runs in the sandbox
	}{
		{name: "a commit at level A", use: commit, level: sandbox.Isolated},
		{name: "a commit at level B", use: commit, level: sandbox.Restricted, why: "It writes git's data, which is read-only in the sandbox at level B."},
		{name: "a commit without a sandbox", use: commit, level: sandbox.Open},
		{name: "a setting", use: config, level: sandbox.Isolated, why: "git config writes git's configuration, which is read-only in the sandbox."},
		{name: "a setting without a sandbox", use: config, level: sandbox.Open},
		{name: "a push, which begins inside in this mode", use: push, level: sandbox.Isolated},
		{name: "a push with a network", use: push, level: sandbox.Isolated},
		{name: "a command that reads", use: shellcmd.GitUse{Calls: true, Alone: true}, level: sandbox.Restricted},
		{name: "a command without git", level: sandbox.Restricted},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, asks := range []bool{true, false} {
				agenttest.InWorld(t, nil, []modeltest.Reply{agenttest.Calls("boxed"), agenttest.Done()}, func(t *testing.T, w *agenttest.World) {
					var ran []tools.Access
					w.Can.Asks = asks
					w.Options = func(o *state.Options) {
						o.Tools = append(o.Tools, boxed{c.use, &ran})
						o.Sandbox = &agenttest.SandboxOf{Level: c.level}
					}
					w.Stop()
					w.Start()
					w.Answer = func(context.Context, frontend.Question) (frontend.Answer, error) {
						return frontend.Answer{OptionID: "allow_once"}, nil
					}
					w.Prompt(w.Session(policy.Yolo), "do it")
					switch {
					case c.why == "":
						if len(w.Questions) > 0 || len(ran) != 1 || ran[0].Outside {
							t.Errorf("asked %+v, ran %+v", w.Questions, ran)
						}
					case asks:
						if len(w.Questions) != 1 || !strings.Contains(w.Questions[0].Reason, c.why) || w.Questions[0].Preview.Sandbox != "C" {
							t.Fatalf("asked %+v", w.Questions)
						}
						if slices.ContainsFunc(w.Questions[0].Options, func(o frontend.Option) bool { return o.Kind == frontend.AllowAlways }) {
							t.Errorf("an answer would last: %+v", w.Questions[0].Options)
						}
						if len(ran) != 1 || !ran[0].Outside {
							t.Errorf("it ran with %+v", ran)
						}
					default:
						if sent := agenttest.TextOf(w.LastRequest()); len(ran) > 0 || !strings.Contains(sent, c.why) || !strings.Contains(sent, "--no-sandbox") {
							t.Errorf("ran %+v, the model got %q", ran, sent)
						}
					}
				})
			}
		})
	}
}
