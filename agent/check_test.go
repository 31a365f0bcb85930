package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/agenttest"
	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/tools"
	"github.com/emendo-dev/emendo/tools/user"
)

// Random calls are checked against random rules, and then made by a model.
func TestCheckAgreesWithSessions(t *testing.T) {
	files := map[string]string{"a.txt": "one\n", ".env": "KEY=1\n", ".git/config": "", "sub/b.txt": ""}
	agenttest.InWorld(t, files, nil, func(t *testing.T, w *agenttest.World) {
		g := &gambler{rand.New(rand.NewPCG(1, 2))}
		var rules *policy.Engine
		h := &agenttest.SandboxOf{Level: sandbox.Open}
		w.Options = func(o *state.Options) {
			o.MemoryDir, o.Sandbox = t.TempDir(), h
			o.Policy = func(string, []string, bool) *policy.Engine { return rules }
			o.Tools = append(o.Tools, user.SaveMemory, user.WriteTodos, tools.EnterPlanMode)
		}
		w.Stop()
		w.Start()
		w.Answer = func(context.Context, frontend.Question) (frontend.Answer, error) {
			return frontend.Answer{OptionID: "reject_once"}, nil
		}
		came := map[string]int{}
		for n := range 150 {
			var broken []*policy.FileError
			if g.one(10) {
				broken = []*policy.FileError{{File: "f.toml", What: "broken"}}
			}
			rules, h.Level, w.Can.Asks, w.Trusted = policy.New(g.rules(), broken), []sandbox.Level{sandbox.Open, sandbox.Restricted, sandbox.Isolated}[g.IntN(3)], !g.one(4), !g.one(8)
			w.Can.Reviews = false
			mode := pickOf(g, policy.Default, policy.AutoEdit, policy.Plan, policy.Yolo)
			if !w.Trusted && mode != policy.Plan {
				mode = policy.Default // the others are refused
			}
			name, args := g.call(n)
			d, _, err := w.Agent.Check(t.Context(), agent.NewSession{Cwd: w.Dir, Mode: mode}, name, args)
			if err != nil {
				t.Fatal(err)
			}
			got := became(w, mode, name, args)
			if want := d.Kind.String(); got != want {
				t.Fatalf("case %d: in mode %s, trusted %v, with somebody to ask %v, level %v: the check of %s %s says %s by %s (%s), in a session it is %s",
					n, mode, w.Trusted, w.Can.Asks, h.Level, name, args, want, d.Rule, d.Reason, got)
			}
			came[got]++
		}
		if came["allow"] < 15 || came["ask"] < 15 || came["deny"] < 15 {
			t.Errorf("the cases are one-sided: %v", came)
		}
	})
}

// became makes the model call a tool in a new session and returns the outcome.
func became(w *agenttest.World, mode policy.Mode, name string, args json.RawMessage) string {
	w.T.Helper()
	questions, updates := len(w.Questions), len(w.Updates)
	w.Model.Replies = append(w.Model.Replies, agenttest.Calls(name, string(args)), modeltest.Reply{modeltest.Say("ok")})
	w.Prompt(w.Session(mode), "go")
	if len(w.Questions) > questions {
		return "ask"
	}
	for _, u := range w.Updates[updates:] {
		if e, ok := u.Event.(transcript.ToolUpdate); ok && e.State == transcript.Executing {
			return "allow"
		}
	}
	return "deny"
}

// gambler generates random rules and calls.
type gambler struct{ *rand.Rand }

func (g *gambler) one(in int) bool { return g.IntN(in) == 0 }

func pickOf[T any](g *gambler, of ...T) T { return of[g.IntN(len(of))] }

func (g *gambler) rules() (l []*policy.Rule) {
	for range g.IntN(5) {
		r := &policy.Rule{
			Tier: pickOf(g, policy.OfProject, policy.OfUser, policy.OfUser, policy.OfAdmin), Name: fmt.Sprint("rule ", g.IntN(1000)), Priority: g.IntN(3),
			Tools: []string{pickOf(g, "*", "run_shell_command", "run_shell_command", "write_file", "read_*", "save_memory")}, Decision: pickOf(g, policy.Allow, policy.Allow, policy.Ask, policy.Deny),
			Redirects: g.one(2),
		}
		if g.one(3) {
			r.Modes = []policy.Mode{pickOf(g, policy.Default, policy.AutoEdit, policy.Plan, policy.Yolo)}
		}
		if r.Tools[0] == "run_shell_command" && !g.one(3) {
			r.Prefixes = [][]string{strings.Fields(pickOf(g, "git push", "git", "rm", "ls", "echo", "npm test"))}
		}
		l = append(l, r)
	}
	return l
}

func (g *gambler) call(n int) (name string, args json.RawMessage) {
	of := func(argument, value string) json.RawMessage {
		b, err := json.Marshal(map[string]string{argument: value})
		if err != nil {
			panic(err)
		}
		return b
	}
	switch name := pickOf(g, "run_shell_command", "run_shell_command", "run_shell_command", "write_file", "write_file", "read_file", "list_directory", "save_memory", "enter_plan_mode"); name {
	case "run_shell_command":
		return name, of("command", pickOf(g, "ls", "ls -l sub", "cat a.txt | wc -l", "cat .env", "git push", "git push --force", "git status", "timeout 5 git push", "rm -rf sub", "echo x > out", "echo x > .git/config",
			"echo x > .vscode/y", "echo x > ../out", "npm test && ls", "npm test; rm x", "$X", "git $X", "ls \x01", "sh -c 'rm x'", "for i in a; do rm $i; done"))
	case "write_file":
		b, err := json.Marshal(map[string]string{"file_path": pickOf(g, "new.txt", "sub/c.go", ".git/config", ".vscode/x", ".env", "AGENTS.md"), "content": fmt.Sprintln(n)})
		if err != nil {
			panic(err)
		}
		return name, b
	case "read_file":
		return name, of("file_path", pickOf(g, "a.txt", ".env", "sub/b.txt"))
	case "list_directory":
		return name, of("dir_path", ".")
	case "save_memory":
		return name, of("fact", "Tabs.")
	default:
		return name, json.RawMessage("{}")
	}
}
