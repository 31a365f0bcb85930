package briefing_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/agenttest"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/tools/web"
)

// The system prompt does not change during a turn, which would invalidate the
// provider's cache. A change of the mode is sent beside the results.
func TestInstructionsDoNotChangeDuringATurn(t *testing.T) {
	agenttest.InWorld(t, map[string]string{"AGENTS.md": "Whole cents.", "a.txt": "one\n"}, []modeltest.Reply{agenttest.ReadFileCall("a.txt"), agenttest.ReadFileCall("a.txt"), agenttest.Done(), agenttest.Done()}, func(t *testing.T, w *agenttest.World) {
		s := w.Session(policy.Default)
		w.Model.Replies[0] = append(modeltest.Reply{modeltest.Do(func() {
			if err := s.SetMode(policy.Plan); err != nil {
				t.Error(err)
			}
			if err := os.WriteFile(filepath.Join(w.Dir, "AGENTS.md"), []byte("Fractions."), 0o644); err != nil {
				t.Error(err)
			}
		})}, w.Model.Replies[0]...)
		w.Prompt(s, "look")
		rs := w.Model.Requests()
		for i, r := range rs {
			if r.System != rs[0].System {
				t.Errorf("the system prompt of request %d differs:\n%s", i, cmp.Diff(r.System, rs[0].System))
			}
			if diff := cmp.Diff(r.Tools, rs[0].Tools); diff != "" {
				t.Errorf("the tools of request %d differ:\n%s", i, diff)
			}
		}
		if n := strings.Count(agenttest.TextOf(w.LastRequest()), "The user switched to plan mode"); n != 1 {
			t.Errorf("the mode is sent %d times", n)
		}
		w.Prompt(s, "and now")
		if system := w.LastRequest().System; !strings.Contains(system, "# Plan mode") || !strings.Contains(system, "Fractions.") {
			t.Errorf("the next turn has the old instructions:\n%s", system)
		}
		if n := strings.Count(agenttest.TextOf(w.LastRequest()), "The user switched to plan mode"); n != 1 {
			t.Errorf("the mode is sent %d times", n)
		}
	})
}

// An exclusion applies to the current turn.
func TestExclusionsApplyDuringATurn(t *testing.T) {
	for _, tt := range []struct {
		name string
		do   func(w *agenttest.World, s *agent.Session) error
	}{
		{"a context file", func(w *agenttest.World, s *agent.Session) error {
			return s.Exclude(transcript.Exclusion{Path: filepath.Join(w.Dir, "AGENTS.md")}, true)
		}},
		{"trust", func(w *agenttest.World, _ *agent.Session) error { w.Trusted = false; return nil }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			agenttest.InWorld(t, map[string]string{"AGENTS.md": "Whole cents.", "a.txt": "one\n"}, []modeltest.Reply{agenttest.ReadFileCall("a.txt"), agenttest.Done()}, func(t *testing.T, w *agenttest.World) {
				s := w.Session(policy.Default)
				w.Model.Replies[0] = append(modeltest.Reply{modeltest.Do(func() {
					if err := tt.do(w, s); err != nil {
						t.Error(err)
					}
				})}, w.Model.Replies[0]...)
				w.Prompt(s, "look")
				if strings.Contains(w.LastRequest().System, "Whole cents.") {
					t.Error("it was sent again")
				}
			})
		})
	}
}

// A restricted folder is not offered tools that are always denied. Plan mode keeps its
// tools, because a turn may leave it.
func TestARestrictedFolderOmitsDeniedTools(t *testing.T) {
	for _, tt := range []struct {
		name    string
		trusted bool
		mode    policy.Mode
		want    bool
	}{
		{"trusted", true, policy.Default, true},
		{"trusted, planning", true, policy.Plan, true},
		{"restricted", false, policy.Default, false},
		{"restricted, planning", false, policy.Plan, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			agenttest.InWorld(t, nil, []modeltest.Reply{agenttest.Done()}, func(t *testing.T, w *agenttest.World) {
				w.Options = func(o *state.Options) { o.Tools = append(o.Tools, web.All(web.Options{})...) }
				w.Stop()
				w.Start()
				w.Trusted = tt.trusted
				w.Prompt(w.Session(tt.mode), "look")
				for _, name := range []string{"run_shell_command", "web_fetch"} {
					if got := slices.ContainsFunc(w.LastRequest().Tools, func(x model.Tool) bool { return x.Name == name }); got != tt.want {
						t.Errorf("%s is offered: %t", name, got)
					}
				}
			})
		})
	}
}
