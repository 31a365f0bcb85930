package turn_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/agenttest"
	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/tools"
)

// eliciting is a client that can ask the model's questions.
type eliciting struct {
	*agenttest.World
	elicit func(context.Context, frontend.Elicitation) (frontend.Elicited, error)
}

func (e eliciting) Elicit(ctx context.Context, q frontend.Elicitation) (frontend.Elicited, error) {
	return e.elicit(ctx, q)
}

// plan restarts the world with the tools to plan and to ask.
func plan(w *agenttest.World, elicit func(context.Context, frontend.Elicitation) (frontend.Elicited, error)) {
	w.Stop()
	w.Options = func(o *state.Options) {
		o.Tools = append([]tools.Tool{tools.WriteFile}, agenttest.PlanningTools()...)
		o.PlansDir = filepath.Join(w.State, "plans")
		if elicit != nil {
			o.Client = eliciting{w, elicit}
		}
	}
	w.Start()
}

func noAnswer(context.Context, frontend.Elicitation) (frontend.Elicited, error) {
	return frontend.Elicited{Cancelled: true}, nil
}

func TestUnusableToolsAreNotOffered(t *testing.T) {
	always := []string{"write_file", "write_todos"}
	for _, c := range []struct {
		name    string
		mode    policy.Mode
		alone   bool // no user available
		silent  bool // the client has no way to elicit
		offered []string
	}{
		{name: "default", mode: policy.Default, offered: []string{"ask_user", "enter_plan_mode", "exit_plan_mode"}},
		{name: "editing freely", mode: policy.AutoEdit, offered: []string{"ask_user", "enter_plan_mode", "exit_plan_mode"}},
		{name: "planning", mode: policy.Plan, offered: []string{"ask_user", "exit_plan_mode"}},
		{name: "asking nothing", mode: policy.Yolo, offered: []string{"ask_user"}},
		{name: "a client that cannot elicit", mode: policy.Default, silent: true, offered: []string{"enter_plan_mode", "exit_plan_mode"}},
		{name: "nobody there", mode: policy.Default, alone: true},
		{name: "nobody there, planning", mode: policy.Plan, alone: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			agenttest.InWorld(t, nil, []modeltest.Reply{{modeltest.Say("ok")}}, func(t *testing.T, w *agenttest.World) {
				w.Can = frontend.Abilities{Asks: !c.alone}
				if c.silent {
					plan(w, nil)
				} else {
					plan(w, noAnswer)
				}
				s := w.Session(c.mode)
				w.Prompt(s, "go")
				var got []string
				for _, tool := range w.LastRequest().Tools {
					got = append(got, tool.Name)
				}
				if want := append(append(slices.Clone(always), c.offered...), "invoke_agent"); !slices.Equal(got, want) {
					t.Errorf("offered %q, want %q", got, want)
				}
				folder := filepath.Join(w.State, "plans", s.ID())
				named := c.mode == policy.Plan && !c.alone
				if strings.Contains(w.LastRequest().System, folder) != named {
					t.Errorf("the prompt names the folder of plans: %v, want %v", !named, named)
				}
				if fi, err := os.Stat(folder); (err == nil) != (c.mode == policy.Plan && !c.alone) || err == nil && fi.Mode().Perm() != 0o700 {
					t.Errorf("the folder of plans: %v, %v", fi, err)
				}
			})
		})
	}
}

func TestCallsOfToolsThatAreNotOfferedAreDenied(t *testing.T) {
	replies := []modeltest.Reply{{
		agenttest.Call("write_file", map[string]any{"file_path": "plan.md", "content": "Do it.\n"}),
		agenttest.Call("exit_plan_mode", map[string]any{"plan_filename": "plan.md"}),
		agenttest.Call("ask_user", map[string]any{"questions": []any{map[string]any{"header": "h", "question": "q?", "type": "text"}}}),
	}, {modeltest.Say("ok")}}
	agenttest.InWorld(t, nil, replies, func(t *testing.T, w *agenttest.World) {
		w.Can = frontend.Abilities{}
		plan(w, nil)
		s := w.Session(policy.Plan)
		w.Prompt(s, "go")
		rs := agenttest.Results(w.LastRequest())
		if rs[0].Failed || !rs[1].Failed || !rs[2].Failed || !strings.Contains(rs[1].Output, "No user is available") || !strings.Contains(rs[2].Output, "No user is available") {
			t.Errorf("the model got %+v", rs)
		}
		if m := s.Info().Mode; m != policy.Plan || len(w.Questions) > 0 {
			t.Errorf("in mode %s after %d questions", m, len(w.Questions))
		}
	})
}

func TestAnswersToQuestions(t *testing.T) {
	for _, c := range []struct {
		name   string
		answer frontend.Elicited
		err    error
		result string
		failed bool
	}{
		{name: "answered", answer: frontend.Elicited{Values: [][]string{{"red", "green"}}}, result: `{"answers":{"0":"red, green"}}`},
		{name: "left open", answer: frontend.Elicited{Values: [][]string{{}}}, result: "without answering"},
		{name: "closed", answer: frontend.Elicited{Cancelled: true, Values: [][]string{{"red"}}}, result: "without answering"},
		{name: "failed", err: errors.New("gone"), result: "without answering"},
		{name: "no way to ask", err: frontend.ErrCannotElicit, result: "no way to show", failed: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			replies := []modeltest.Reply{{agenttest.Call("ask_user", map[string]any{"questions": []any{map[string]any{"header": "h", "question": "q?", "type": "text"}}})}, {modeltest.Say("ok")}}
			agenttest.InWorld(t, nil, replies, func(t *testing.T, w *agenttest.World) {
				var asked frontend.Elicitation
				plan(w, func(_ context.Context, e frontend.Elicitation) (frontend.Elicited, error) {
					asked = e
					return c.answer, c.err
				})
				s := w.Session(policy.Yolo)
				end := w.Prompt(s, "go")
				if asked.SessionID != s.ID() || asked.TurnID != end.TurnID || asked.CallID == "" || len(asked.Questions) != 1 {
					t.Errorf("asked %+v", asked)
				}
				if r := agenttest.Results(w.LastRequest())[0]; !strings.Contains(r.Output, c.result) || r.Failed != c.failed {
					t.Errorf("the model got %+v", r)
				}
			})
		})
	}
}

func TestAPlanApprovedAfterTrustIsRevoked(t *testing.T) {
	replies := []modeltest.Reply{
		{agenttest.Call("write_file", map[string]any{"file_path": "plan.md", "content": "Do it.\n"})},
		{agenttest.Call("exit_plan_mode", map[string]any{"plan_filename": "plan.md"})},
		{modeltest.Say("ok")},
	}
	agenttest.InWorld(t, nil, replies, func(t *testing.T, w *agenttest.World) {
		plan(w, nil)
		w.Answer = func(_ context.Context, q frontend.Question) (frontend.Answer, error) {
			if filepath.Base(q.Preview.PlanURI.Path()) != "plan.md" {
				t.Errorf("asked about %+v", q.Preview)
			}
			w.Trusted = false // while the question is open
			return frontend.Answer{OptionID: "allow_always"}, nil
		}
		s := w.Session(policy.Plan)
		w.Prompt(s, "go")
		if r := agenttest.Results(w.LastRequest())[0]; !r.Failed || s.Info().Mode != policy.Plan {
			t.Errorf("in mode %s; the model got %+v", s.Info().Mode, r)
		}
	})
}

func TestPlansAreDeletedWithTheirSession(t *testing.T) {
	replies := []modeltest.Reply{{agenttest.Call("write_file", map[string]any{"file_path": "plan.md", "content": "Do it.\n"})}, {modeltest.Say("ok")}}
	for _, open := range []bool{true, false} {
		agenttest.InWorld(t, nil, replies, func(t *testing.T, w *agenttest.World) {
			plan(w, nil)
			s := w.Session(policy.Plan)
			w.Prompt(s, "go")
			plan := filepath.Join(w.State, "plans", s.ID(), "plan.md")
			if b, err := os.ReadFile(plan); err != nil || string(b) != "Do it.\n" {
				t.Errorf("the plan is %q, %v", b, err)
			}
			if !open {
				w.Stop()
				w.Start()
			}
			if err := w.Agent.Delete(t.Context(), s.ID()); err != nil {
				t.Fatal(err)
			}
			if _, err := os.Stat(filepath.Dir(plan)); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("its folder is still there: %v", err)
			}
			w.Session(policy.Default) // the workspace still works
		})
	}
}

func TestTheEditedPlanIsApproved(t *testing.T) {
	exit := agenttest.Call("exit_plan_mode", map[string]any{"plan_filename": "plan.md"})
	replies := []modeltest.Reply{
		{agenttest.Call("write_file", map[string]any{"file_path": "plan.md", "content": "Do it.\n"})},
		{exit},
		{agenttest.Call("write_file", map[string]any{"file_path": "plan.md", "content": "Do it, and test it.\n"}), exit},
		{modeltest.Say("ok")},
	}
	agenttest.InWorld(t, nil, replies, func(t *testing.T, w *agenttest.World) {
		plan(w, nil)
		w.Answer = func(_ context.Context, q frontend.Question) (frontend.Answer, error) {
			uri := string(q.Preview.PlanURI)
			if len(w.Questions) > 1 {
				if got := w.Editor.Text(uri); got != "Do it, and test it.\n" {
					t.Errorf("the open plan is %q", got)
				}
				w.Editor.Type(uri, 5, 5, " now") // while the question is open
				return frontend.Answer{OptionID: "allow_once"}, nil
			}
			w.Editor.Open(uri, "Do it.\n")
			w.Editor.Type(uri, 5, 5, " well")
			return frontend.Answer{OptionID: "reject_once", Feedback: "see my change"}, nil
		}
		s := w.Session(policy.Plan)
		w.Prompt(s, "go")
		rs := agenttest.Results(w.LastRequest())
		if r := rs[len(rs)-1]; r.Failed || !strings.Contains(r.Output, "\nDo it now, and test it.\n") || s.Info().Mode != policy.Default {
			t.Errorf("in mode %s; the model got %+v", s.Info().Mode, r)
		}
	})
}
