package agent_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/tools"
	"github.com/emendo-dev/emendo/tools/user"
)

// eliciting is a client that can ask the model's questions.
type eliciting struct {
	*world
	elicit func(context.Context, frontend.Elicitation) (frontend.Elicited, error)
}

func (e eliciting) Elicit(ctx context.Context, q frontend.Elicitation) (frontend.Elicited, error) {
	return e.elicit(ctx, q)
}

// plan restarts the world with the tools to plan and to ask.
func (w *world) plan(elicit func(context.Context, frontend.Elicitation) (frontend.Elicited, error)) {
	w.stop()
	w.options = func(o *state.Options) {
		o.Tools = append([]tools.Tool{tools.NewWriteFile()}, planningTools()...)
		o.PlansDir = filepath.Join(w.state, "plans")
		if elicit != nil {
			o.Client = eliciting{w, elicit}
		}
	}
	w.start()
}

func planningTools() []tools.Tool {
	return []tools.Tool{user.NewWriteTodos(), user.NewAskUser(), tools.NewEnterPlanMode(), tools.NewExitPlanMode()}
}

// Elicit answers at random.
func (l *life) Elicit(ctx context.Context, _ frontend.Elicitation) (frontend.Elicited, error) {
	select {
	case <-time.After(l.ms(60)):
	case <-ctx.Done():
		return frontend.Elicited{}, context.Cause(ctx)
	}
	switch l.n(4) {
	case 0:
		return frontend.Elicited{}, pick(l.chaos, errNobody, frontend.ErrCannotElicit)
	case 1:
		return frontend.Elicited{Cancelled: true}, nil
	}
	return frontend.Elicited{Values: [][]string{{pick(l.chaos, "yes", "")}, nil}}, nil
}

// planningArgs returns random arguments for a planning tool, valid or not.
func (c *chaos) planningArgs(tool string) map[string]any {
	switch tool {
	case "write_todos":
		return map[string]any{"todos": []any{map[string]any{"description": "x", "status": pick(c, "pending", "in_progress", "begun")}}}
	case "ask_user":
		return map[string]any{"questions": []any{map[string]any{"header": "h", "question": "q?", "type": pick(c, "text", "yesno", "choice")}}}
	}
	return map[string]any{"plan_filename": pick(c, "plan.md", "plan.md", "none.md", "../x.md")}
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
			inWorld(t, nil, []modeltest.Reply{{modeltest.Say("ok")}}, func(t *testing.T, w *world) {
				w.abilities = frontend.Abilities{Asks: !c.alone}
				if c.silent {
					w.plan(nil)
				} else {
					w.plan(noAnswer)
				}
				s := w.session(c.mode)
				w.prompt(s, "go")
				var got []string
				for _, tool := range w.last().Tools {
					got = append(got, tool.Name)
				}
				if want := append(append(slices.Clone(always), c.offered...), "invoke_agent"); !slices.Equal(got, want) {
					t.Errorf("offered %q, want %q", got, want)
				}
				folder := filepath.Join(w.state, "plans", s.ID())
				named := c.mode == policy.Plan && !c.alone
				if strings.Contains(w.last().System, folder) != named {
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
		call("write_file", map[string]any{"file_path": "plan.md", "content": "Do it.\n"}),
		call("exit_plan_mode", map[string]any{"plan_filename": "plan.md"}),
		call("ask_user", map[string]any{"questions": []any{map[string]any{"header": "h", "question": "q?", "type": "text"}}}),
	}, {modeltest.Say("ok")}}
	inWorld(t, nil, replies, func(t *testing.T, w *world) {
		w.abilities = frontend.Abilities{}
		w.plan(nil)
		s := w.session(policy.Plan)
		w.prompt(s, "go")
		rs := results(w.last())
		if rs[0].Failed || !rs[1].Failed || !rs[2].Failed || !strings.Contains(rs[1].Output, "No user is available") || !strings.Contains(rs[2].Output, "No user is available") {
			t.Errorf("the model got %+v", rs)
		}
		if m := s.Info().Mode; m != policy.Plan || len(w.questions) > 0 {
			t.Errorf("in mode %s after %d questions", m, len(w.questions))
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
			replies := []modeltest.Reply{{call("ask_user", map[string]any{"questions": []any{map[string]any{"header": "h", "question": "q?", "type": "text"}}})}, {modeltest.Say("ok")}}
			inWorld(t, nil, replies, func(t *testing.T, w *world) {
				var asked frontend.Elicitation
				w.plan(func(_ context.Context, e frontend.Elicitation) (frontend.Elicited, error) {
					asked = e
					return c.answer, c.err
				})
				s := w.session(policy.Yolo)
				end := w.prompt(s, "go")
				if asked.SessionID != s.ID() || asked.TurnID != end.TurnID || asked.CallID == "" || len(asked.Questions) != 1 {
					t.Errorf("asked %+v", asked)
				}
				if r := results(w.last())[0]; !strings.Contains(r.Output, c.result) || r.Failed != c.failed {
					t.Errorf("the model got %+v", r)
				}
			})
		})
	}
}

func TestAPlanApprovedAfterTrustIsRevoked(t *testing.T) {
	replies := []modeltest.Reply{
		{call("write_file", map[string]any{"file_path": "plan.md", "content": "Do it.\n"})},
		{call("exit_plan_mode", map[string]any{"plan_filename": "plan.md"})},
		{modeltest.Say("ok")},
	}
	inWorld(t, nil, replies, func(t *testing.T, w *world) {
		w.plan(nil)
		w.answer = func(_ context.Context, q frontend.Question) (frontend.Answer, error) {
			if filepath.Base(q.Preview.PlanURI.Path()) != "plan.md" {
				t.Errorf("asked about %+v", q.Preview)
			}
			w.trusted = false // while the question is open
			return frontend.Answer{OptionID: "allow_always"}, nil
		}
		s := w.session(policy.Plan)
		w.prompt(s, "go")
		if r := results(w.last())[0]; !r.Failed || s.Info().Mode != policy.Plan {
			t.Errorf("in mode %s; the model got %+v", s.Info().Mode, r)
		}
	})
}

func TestPlansAreDeletedWithTheirSession(t *testing.T) {
	replies := []modeltest.Reply{{call("write_file", map[string]any{"file_path": "plan.md", "content": "Do it.\n"})}, {modeltest.Say("ok")}}
	for _, open := range []bool{true, false} {
		inWorld(t, nil, replies, func(t *testing.T, w *world) {
			w.plan(nil)
			s := w.session(policy.Plan)
			w.prompt(s, "go")
			plan := filepath.Join(w.state, "plans", s.ID(), "plan.md")
			if b, err := os.ReadFile(plan); err != nil || string(b) != "Do it.\n" {
				t.Errorf("the plan is %q, %v", b, err)
			}
			if !open {
				w.stop()
				w.start()
			}
			if err := w.agent.Delete(t.Context(), s.ID()); err != nil {
				t.Fatal(err)
			}
			if _, err := os.Stat(filepath.Dir(plan)); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("its folder is still there: %v", err)
			}
			w.session(policy.Default) // the workspace still works
		})
	}
}

func TestTheEditedPlanIsApproved(t *testing.T) {
	exit := call("exit_plan_mode", map[string]any{"plan_filename": "plan.md"})
	replies := []modeltest.Reply{
		{call("write_file", map[string]any{"file_path": "plan.md", "content": "Do it.\n"})},
		{exit},
		{call("write_file", map[string]any{"file_path": "plan.md", "content": "Do it, and test it.\n"}), exit},
		{modeltest.Say("ok")},
	}
	inWorld(t, nil, replies, func(t *testing.T, w *world) {
		w.plan(nil)
		w.answer = func(_ context.Context, q frontend.Question) (frontend.Answer, error) {
			uri := string(q.Preview.PlanURI)
			if len(w.questions) > 1 {
				if got := w.editor.Text(uri); got != "Do it, and test it.\n" {
					t.Errorf("the open plan is %q", got)
				}
				w.editor.Type(uri, 5, 5, " now") // while the question is open
				return frontend.Answer{OptionID: "allow_once"}, nil
			}
			w.editor.Open(uri, "Do it.\n")
			w.editor.Type(uri, 5, 5, " well")
			return frontend.Answer{OptionID: "reject_once", Feedback: "see my change"}, nil
		}
		s := w.session(policy.Plan)
		w.prompt(s, "go")
		rs := results(w.last())
		if r := rs[len(rs)-1]; r.Failed || !strings.Contains(r.Output, "\nDo it now, and test it.\n") || s.Info().Mode != policy.Default {
			t.Errorf("in mode %s; the model got %+v", s.Info().Mode, r)
		}
	})
}
