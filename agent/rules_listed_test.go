package agent_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/agenttest"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/internal/sandbox/sandboxtest"
)

// An answer is listed with its scope, in the session and for its folder; once it is taken
// back, the session asks again.
func TestAnswersAreTakenBack(t *testing.T) {
	for scope, end := range map[policy.Scope]string{policy.Session: " in this session", policy.Project: " in this project", policy.Everywhere: " everywhere, in every project"} {
		t.Run(string(scope), func(t *testing.T) {
			agenttest.InWorld(t, nil, nil, func(t *testing.T, w *agenttest.World) {
				w.UseRules()
				w.Stop()
				w.Start()
				w.Spawn.Scripts = map[string]sandboxtest.Script{"make all": sandboxtest.Print("", 0)}
				w.Answer = agenttest.ChooseAlways(end)
				s := w.Session(policy.Default)
				asked := func() int {
					before := len(w.Questions)
					w.Model.Replies = append(w.Model.Replies, modeltest.Reply{agenttest.RunCommand("make all")}, modeltest.Reply{agenttest.RunCommand("make all")}, agenttest.Done())
					w.Prompt(s, "run it")
					return len(w.Questions) - before
				}
				list := func(sessionID string) []policy.Listed {
					l, err := w.Agent.Rules(t.Context(), sessionID, w.Dir)
					if err != nil {
						t.Fatal(err)
					}
					return slices.DeleteFunc(l, func(r policy.Listed) bool { return !strings.Contains(r.Text, "make") })
				}
				if n := asked(); n != 1 {
					t.Errorf("asked %d times about a command that was always allowed", n)
				}
				l := list(s.ID())
				if len(l) != 1 || l[0].Scope != scope || l[0].Source != policy.OfAnswer || !l[0].Removable || l[0].Added.IsZero() {
					t.Fatalf("listed are %+v", l)
				}
				if n := len(list("")); (n == 1) != (scope != policy.Session) {
					t.Errorf("for the folder %d answers are listed", n)
				}
				if n := asked(); n != 0 {
					t.Errorf("asked %d times in the next turn", n)
				}
				if err := w.Agent.RemoveRule(l[0].ID); err != nil {
					t.Error(err)
				}
				if l := list(s.ID()); len(l) > 0 {
					t.Errorf("removed, listed are %+v", l)
				}
				if n := asked(); n != 1 {
					t.Errorf("removed, asked %d times", n)
				}
			})
		})
	}
}

func TestOnlyAnswersAreTakenBack(t *testing.T) {
	agenttest.InWorld(t, nil, nil, func(t *testing.T, w *agenttest.World) {
		s := w.Session(policy.Default)
		l, err := w.Agent.Rules(t.Context(), s.ID(), "")
		if err != nil || len(l) == 0 {
			t.Fatalf("listed are %v, %v", l, err)
		}
		for _, r := range l {
			if r.ID == "" || r.Text == "" || r.Tier != "builtin" || r.Source != policy.OfProgram || r.Removable {
				t.Errorf("a built-in rule is listed as %+v", r)
			}
			if err := w.Agent.RemoveRule(r.ID); !errors.Is(err, agent.ErrUnknownRule) {
				t.Errorf("remove %s: got %v", r.Text, err)
			}
		}
	})
}
