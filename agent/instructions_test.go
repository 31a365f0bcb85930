package agent_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/agent"
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
	inWorld(t, map[string]string{"AGENTS.md": "Whole cents.", "a.txt": "one\n"}, []modeltest.Reply{readFile("a.txt"), readFile("a.txt"), done(), done()}, func(t *testing.T, w *world) {
		s := w.session(policy.Default)
		w.model.Replies[0] = append(modeltest.Reply{modeltest.Do(func() {
			if err := s.SetMode(policy.Plan); err != nil {
				t.Error(err)
			}
			if err := os.WriteFile(filepath.Join(w.dir, "AGENTS.md"), []byte("Fractions."), 0o644); err != nil {
				t.Error(err)
			}
		})}, w.model.Replies[0]...)
		w.prompt(s, "look")
		rs := w.model.Requests()
		for i, r := range rs {
			if r.System != rs[0].System {
				t.Errorf("the system prompt of request %d differs:\n%s", i, cmp.Diff(r.System, rs[0].System))
			}
			if diff := cmp.Diff(r.Tools, rs[0].Tools); diff != "" {
				t.Errorf("the tools of request %d differ:\n%s", i, diff)
			}
		}
		if n := strings.Count(all(w.last()), "The user switched to plan mode"); n != 1 {
			t.Errorf("the mode is sent %d times", n)
		}
		w.prompt(s, "and now")
		if system := w.last().System; !strings.Contains(system, "# Plan mode") || !strings.Contains(system, "Fractions.") {
			t.Errorf("the next turn has the old instructions:\n%s", system)
		}
		if n := strings.Count(all(w.last()), "The user switched to plan mode"); n != 1 {
			t.Errorf("the mode is sent %d times", n)
		}
	})
}

// An exclusion applies to the current turn.
func TestExclusionsApplyDuringATurn(t *testing.T) {
	for _, tt := range []struct {
		name string
		do   func(w *world, s *agent.Session) error
	}{
		{"a context file", func(w *world, s *agent.Session) error {
			return s.Exclude(transcript.Exclusion{Path: filepath.Join(w.dir, "AGENTS.md")}, true)
		}},
		{"trust", func(w *world, _ *agent.Session) error { w.trusted = false; return nil }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inWorld(t, map[string]string{"AGENTS.md": "Whole cents.", "a.txt": "one\n"}, []modeltest.Reply{readFile("a.txt"), done()}, func(t *testing.T, w *world) {
				s := w.session(policy.Default)
				w.model.Replies[0] = append(modeltest.Reply{modeltest.Do(func() {
					if err := tt.do(w, s); err != nil {
						t.Error(err)
					}
				})}, w.model.Replies[0]...)
				w.prompt(s, "look")
				if strings.Contains(w.last().System, "Whole cents.") {
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
			inWorld(t, nil, []modeltest.Reply{done()}, func(t *testing.T, w *world) {
				w.options = func(o *state.Options) { o.Tools = append(o.Tools, web.All(web.Options{})...) }
				w.stop()
				w.start()
				w.trusted = tt.trusted
				w.prompt(w.session(tt.mode), "look")
				for _, name := range []string{"run_shell_command", "web_fetch"} {
					if got := slices.ContainsFunc(w.last().Tools, func(x model.Tool) bool { return x.Name == name }); got != tt.want {
						t.Errorf("%s is offered: %t", name, got)
					}
				}
			})
		})
	}
}
