package turn_test

import (
	"context"
	"encoding/json"
	"path/filepath"
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

// lacking is a command that fails unless it may reach what it lacks.
type lacking struct {
	wall tools.Wall
	runs *[]tools.Access // what each run could reach
}

func (lacking) Spec() tools.Spec {
	return tools.Spec{Name: "fetch", Display: "fetch", Kind: tools.Execute, Schema: json.RawMessage(`{"type":"object"}`)}
}

func (l lacking) Prepare(_ context.Context, env tools.Env, raw json.RawMessage) (tools.Action, error) {
	var args struct {
		Line       string
		Dir        string
		Background bool
	}
	if err := json.Unmarshal(raw, &args); err != nil {
		return tools.Action{}, err
	}
	e := tools.Runs{Analysis: shellcmd.Analysis{Command: args.Line, Dir: filepath.Join(env.Dir, args.Dir)}, Background: args.Background}
	run := func(a tools.Access) func(context.Context, func(tools.Progress)) tools.Result {
		return func(context.Context, func(tools.Progress)) tools.Result {
			*l.runs = append(*l.runs, a)
			if l.wall.Lacked().Adds(a) {
				return tools.Result{Output: "failed", Met: &tools.Met{Wall: l.wall, Runs: e, Given: a}}
			}
			return tools.Result{Output: "fetched"}
		}
	}
	return tools.Action{Title: args.Line, Effect: e, Run: run(tools.Access{}), WithAccess: run}, nil
}

// A grant holds for the line that it was given to: another command, another folder and the
// background are other lines. What was granted for good holds in later sessions of the project.
func TestAGrantIsOfTheExactLine(t *testing.T) {
	for _, scope := range []string{"in this session", "in this project"} {
		t.Run(scope, func(t *testing.T) {
			agenttest.InWorld(t, map[string]string{"sub/x": ""}, nil, func(t *testing.T, w *agenttest.World) {
				l := lacking{tools.Wall{Hosts: []string{"docs.example.com"}}, &[]tools.Access{}}
				w.UseRules()
				ruled := w.Options
				w.Options = func(o *state.Options) { ruled(o); o.Tools = append(o.Tools, l) }
				w.Stop()
				w.Start()
				s := w.Session(policy.Yolo)
				asked := func(line string) bool {
					before := len(w.Questions)
					w.Model.Replies = append(w.Model.Replies, agenttest.Calls("fetch", line), agenttest.Done())
					w.Prompt(s, "go on")
					return len(w.Questions) > before
				}
				w.Answer = agenttest.ChooseAlways(scope)
				if !asked(`{"line":"get"}`) || len(*l.runs) != 2 {
					t.Fatalf("the first time: %d runs", len(*l.runs))
				}
				w.Answer = agenttest.ChooseAlways("nothing")
				for line, want := range map[string]bool{`{"line":"get"}`: false, `{"line":"get "}`: true, `{"line":"get","dir":"sub"}`: true, `{"line":"get","background":true}`: true} {
					if got := asked(line); got != want {
						t.Errorf("%s: asked %v, want %v", line, got, want)
					}
				}
				w.Stop()
				w.Start()
				s = w.Session(policy.Yolo)
				if got, want := asked(`{"line":"get"}`), scope == "in this session"; got != want {
					t.Errorf("in a later session: asked %v, want %v", got, want)
				}
			})
		})
	}
}

// What was refused to a command is not asked about again until the user speaks.
func TestARefusedAccessIsNotAskedAboutAgain(t *testing.T) {
	agenttest.InWorld(t, nil, []modeltest.Reply{agenttest.Calls("fetch", `{"line":"get"}`), agenttest.Calls("fetch", `{"line":"get"}`), agenttest.Done(), agenttest.Calls("fetch", `{"line":"get"}`), agenttest.Done()}, func(t *testing.T, w *agenttest.World) {
		l := lacking{tools.Wall{Hosts: []string{"docs.example.com"}}, &[]tools.Access{}}
		w.Options = func(o *state.Options) { o.Tools = append(o.Tools, l) }
		w.Stop()
		w.Start()
		w.Answer = agenttest.ChooseAlways("nothing")
		s := w.Session(policy.Yolo)
		w.Prompt(s, "get it")
		if len(w.Questions) != 1 || len(*l.runs) != 2 {
			t.Errorf("%d questions and %d runs, want 1 and 2", len(w.Questions), len(*l.runs))
		}
		w.Prompt(s, "again")
		if len(w.Questions) != 2 {
			t.Errorf("after the user's next message: %d questions, want 2", len(w.Questions))
		}
	})
}

// The answers offer as little as the access calls for.
func TestAccessIsOfferedForAsLongAsItMayLast(t *testing.T) {
	for _, tt := range []struct {
		name string
		wall func(dir string) tools.Wall
		says string
		want []string
	}{
		{"hosts", func(string) tools.Wall { return tools.Wall{Hosts: []string{"docs.example.com", "b.example.com"}} }, "it asked for the hosts docs.example.com and b.example.com", []string{"allow_once", "allow_always", "allow_always_project", "reject_once"}},
		{"one folder", func(string) tools.Wall { return tools.Wall{Write: []string{"/srv/data/out"}} }, "perhaps it could not write /srv/data/out", []string{"allow_once", "allow_always", "allow_always_project", "reject_once"}},
		{"two folders", func(string) tools.Wall { return tools.Wall{Write: []string{"/srv/data/a", "/srv/data/b"}} }, "/srv/data/a and /srv/data/b", []string{"allow_once", "allow_always", "reject_once"}},
		{"the whole network", func(string) tools.Wall { return tools.Wall{Names: []string{"db.example.com"}} }, "it looked for the host db.example.com other than by HTTP", []string{"allow_once", "allow_always", "reject_once"}},
		{"git's data", func(dir string) tools.Wall { return tools.Wall{Write: []string{filepath.Join(dir, ".git")}} }, ".git", []string{"allow_once", "reject_once"}},
		{"a context file", func(dir string) tools.Wall { return tools.Wall{Write: []string{filepath.Join(dir, "AGENTS.md")}} }, "AGENTS.md", []string{"allow_once", "reject_once"}},
		{"a start file of the shell", func(string) tools.Wall { return tools.Wall{Write: []string{"/srv/home/.bashrc"}} }, ".bashrc", []string{"allow_once", "reject_once"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			agenttest.InWorld(t, nil, []modeltest.Reply{agenttest.Calls("fetch", `{"line":"get"}`), agenttest.Done()}, func(t *testing.T, w *agenttest.World) {
				l := lacking{tt.wall(w.Dir), &[]tools.Access{}}
				w.UseRules()
				ruled := w.Options
				w.Options = func(o *state.Options) { ruled(o); o.Tools = append(o.Tools, l) }
				w.Stop()
				w.Start()
				var q frontend.Question
				w.Answer = func(_ context.Context, asked frontend.Question) (frontend.Answer, error) {
					q = asked
					return frontend.Answer{OptionID: "allow_once"}, nil
				}
				w.Prompt(w.Session(policy.Yolo), "get it")
				var ids []string
				for _, o := range q.Options {
					ids = append(ids, o.ID)
				}
				if !slices.Equal(ids, tt.want) || !strings.Contains(q.Reason, tt.says) {
					t.Errorf("got %q about %q\nwant %q about %q", ids, q.Reason, tt.want, tt.says)
				}
				if len(*l.runs) != 2 {
					t.Errorf("%d runs, want 2", len(*l.runs))
				}
			})
		})
	}
}
