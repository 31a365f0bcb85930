package agent_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/hooks"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/state"
)

var (
	_ frontend.Client   = (*world)(nil)
	_ frontend.Follower = (*world)(nil)
)

// told returns the events since the last call, with W for the workspace's folder.
func (w *world) told() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	l := w.events
	w.events = nil
	for i := range l {
		l[i] = strings.ReplaceAll(l[i], w.dir, "W")
	}
	return l
}

// A front end is told what a session works with when that has changed, and only then.
func TestChangesBesideTheConversationAreTold(t *testing.T) {
	const agentFile = ".emendo/agents/mine.md"
	yes := reply(modeltest.Say("Yes."))
	inWorld(t, nil, []modeltest.Reply{yes, yes, yes, yes, yes}, func(t *testing.T, w *world) {
		s := w.session(policy.Default)
		write := func(name, text string) {
			path := filepath.Join(w.dir, name)
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
					if err := os.Remove(filepath.Join(w.dir, name)); err != nil {
						t.Fatal(err)
					}
				}
			}, []string{`agents_found {"agents":[]}`, `memory_changed {"fileCount":0}`}},
		} {
			tt.change()
			w.prompt(s, "a")
			if got := w.told(); !slices.Equal(got, tt.want) {
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
		hooked(t, nil, []modeltest.Reply{reply(modeltest.Say("Yes."))}, lines{"BeforeAgent": nil, "SessionEnd": nil}, func(t *testing.T, w *world, p *played) {
			w.stop()
			before := w.options
			w.options = func(o *state.Options) {
				before(o)
				o.Hooks = hooks.Config{Hooks: o.Hooks.Hooks, Quiet: quiet}
			}
			w.start()
			s := w.session(policy.Default)
			w.prompt(s, "a")
			if err := w.agent.Release(t.Context(), s.ID()); err != nil {
				t.Fatal(err)
			}
			if got := w.told(); !slices.Equal(got, want) {
				t.Errorf("quiet %t: told %q, want %q", quiet, got, want)
			}
		})
	}
}
