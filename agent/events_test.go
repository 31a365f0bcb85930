package agent_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/emendo-dev/emendo/agent/agenttest"
	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/hooks"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/state"
)

var (
	_ frontend.Client   = (*agenttest.World)(nil)
	_ frontend.Follower = (*agenttest.World)(nil)
)

// A front end is told what a session works with when that has changed, and only then.
func TestChangesBesideTheConversationAreTold(t *testing.T) {
	const agentFile = ".emendo/agents/mine.md"
	yes := agenttest.Reply(modeltest.Say("Yes."))
	agenttest.InWorld(t, nil, []modeltest.Reply{yes, yes, yes, yes, yes}, func(t *testing.T, w *agenttest.World) {
		s := w.Session(policy.Default)
		write := func(name, text string) {
			path := filepath.Join(w.Dir, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		for _, tt := range []struct {
			name   string
			change func()
			want   []string
		}{
			{"nothing is there", func() {}, nil},
			{"a context file and an agent", func() {
				write("AGENTS.md", "be brief")
				write(agentFile, "---\nname: mine\ndescription: Of mine.\n---\nx")
			}, []string{`agents_found {"agents":[{"name":"mine","description":"Of mine.","file":"W/` + agentFile + `"}]}`, `memory_changed {"fileCount":1}`}},
			{"nothing has changed", func() {}, nil},
			{"another text", func() { write("AGENTS.md", "be kind") }, []string{`memory_changed {"fileCount":1}`}},
			{"all is gone", func() {
				for _, name := range []string{"AGENTS.md", agentFile} {
					if err := os.Remove(filepath.Join(w.Dir, name)); err != nil {
						t.Fatal(err)
					}
				}
			}, []string{`agents_found {"agents":[]}`, `memory_changed {"fileCount":0}`}},
		} {
			tt.change()
			w.Prompt(s, "a")
			if got := w.Told(); !slices.Equal(got, tt.want) {
				t.Errorf("%s: told %q, want %q", tt.name, got, tt.want)
			}
		}
	})
}

// A front end is told of each hook before it runs, unless the user wants no word of hooks.
func TestHooksThatStartAreTold(t *testing.T) {
	for quiet, want := range map[bool][]string{
		false: {`hook_start {"hookName":"BeforeAgent","eventName":"BeforeAgent","source":"user"}`, `hook_start {"hookName":"SessionEnd","eventName":"SessionEnd","source":"user"}`},
		true:  nil,
	} {
		agenttest.WithHooks(t, nil, []modeltest.Reply{agenttest.Reply(modeltest.Say("Yes."))}, agenttest.HookLines{"BeforeAgent": nil, "SessionEnd": nil}, func(t *testing.T, w *agenttest.World, p *agenttest.PlayedHooks) {
			w.Stop()
			before := w.Options
			w.Options = func(o *state.Options) {
				before(o)
				o.Hooks = hooks.Config{Hooks: o.Hooks.Hooks, Quiet: quiet}
			}
			w.Start()
			s := w.Session(policy.Default)
			w.Prompt(s, "a")
			if err := w.Agent.Release(t.Context(), s.ID()); err != nil {
				t.Fatal(err)
			}
			if got := w.Told(); !slices.Equal(got, want) {
				t.Errorf("quiet %t: told %q, want %q", quiet, got, want)
			}
		})
	}
}
