package turn

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/model/catalogue"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/subagent"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/tools"
	"github.com/emendo-dev/emendo/tools/user"
)

// plansAt returns the folder of the session's plans. It is empty if the session is not
// in plan mode or if no user is available to approve a plan.
func (t *instructor) plansAt() string {
	s := t.conv.Session
	if s.Info().Mode != policy.Plan || !s.Agent.CanPresentPlans() {
		return ""
	}
	folder := s.Private.PlanFolder(true)
	if folder == nil {
		return ""
	}
	return folder.Folders()[0]
}

// offered reports whether a tool is useful in the session's current state.
func (t *instructor) offered(n tools.Needs) bool {
	a, mode := t.conv.Session.Agent, t.conv.Session.Info().Mode
	return (!n.Trust || t.conv.Session.Trusted()) && (!n.Questions || a.Elicitor() != nil) && (!n.Plans || a.CanPresentPlans()) &&
		(!n.Search || t.models.CanSearch()) && !(n.NoPlanMode && mode == policy.Plan) && !(n.NoYoloMode && mode == policy.Yolo) &&
		(!n.Patches || t.patches()) && (!n.Review || t.reviews)
}

// patches reports whether the model is offered the tool that applies patches: it is
// trained on them, or the user wants it, and no rule excludes the tool for single changes.
func (t *instructor) patches() bool {
	c := t.conv.Session.Agent.Choices()
	traits, _ := c.Catalogue.Traits(t.models.Name())
	return (c.Settings.Tools.ApplyPatch || catalogue.Is(traits.Patches)) && !t.conv.Gate.Excluded()(tools.Spec{Name: "replace"})
}

// runOwn runs an allowed call whose effect is on the session itself. It returns false
// for other calls, which their tools run.
func (c *call) runOwn() (tools.Result, bool) {
	if t, ok := c.tool.(*subagent.Invoke); ok {
		return c.delegated(c.ctx, t), true
	}
	if c.action.Run != nil {
		return tools.Result{}, false
	}
	switch e := c.action.Effect.(type) { //nolint:gochecksumtype // edits and questions are waited for elsewhere
	case tools.Notes:
		c.turn.conv.Emit(transcript.PlanOf(e))
		return user.TodoResult(e), true
	case tools.Finds:
		return c.report(e), true
	case tools.Plans:
		return c.beginPlan(), true
	case tools.Presents:
		return c.startPlan(e), true
	}
	panic(fmt.Sprintf("agent: a call with the effect %T is carried out", c.action.Effect))
}

// beginPlan enters plan mode.
func (c *call) beginPlan() tools.Result {
	s := c.turn.session
	if err := s.SetMode(policy.Plan); err != nil {
		return tools.Result{Err: tools.Errorf(tools.Unhandled, "The session did not go into plan mode: %v", err)}
	}
	c.turn.instructor.modeSent = policy.Plan
	text := "The session is in plan mode now: read and plan, and change nothing."
	if folder := s.Private.PlanFolder(true); folder != nil {
		text += fmt.Sprintf(" Write the plan as a .md file in %s and present it with exit_plan_mode.", folder.Folders()[0])
	}
	return tools.Result{Output: text}
}

// startPlan leaves plan mode with a plan that the user approved.
func (c *call) startPlan(e tools.Presents) tools.Result {
	mode, how := policy.Default, "Edits and commands are put before the user as you make them."
	if c.permission.Answer == frontend.AllowAlways {
		mode, how = policy.AutoEdit, "Edits apply at once; commands are put before the user."
	}
	if err := c.turn.session.SetMode(mode); err != nil {
		return tools.Result{Err: tools.Errorf(tools.Unhandled, "The plan was approved, and the session could not leave plan mode: %v", err)}
	}
	c.turn.instructor.modeSent = mode
	c.turn.models.PlanApproved()
	c.plan = e.Path
	text := c.planText(e)
	if len(text) > maxPlan {
		text = visible.CutBytes(text, maxPlan) + "\n(the rest is omitted; read the file)"
	}
	return tools.Result{
		Output: fmt.Sprintf("The user approved the plan %s, as it stands below. The session is in mode %s now. %s Carry the plan out, step by step.\n%s",
			e.Path, mode, how, transcript.Enclose("plan", text)),
		Display: "Approved.",
	}
}

// planText returns the plan that the user approved, which may have been edited while the
// question was open.
func (c *call) planText(e tools.Presents) string {
	s := c.turn.session
	f, err := s.Agent.Options.Workspace.Snapshot().Within(s.Private.PlanFolder(false)).Read(c.ctx, e.Path)
	if err != nil || strings.TrimSpace(f.Text.String()) == "" {
		return e.Text
	}
	return f.Text.String()
}

// maxPlan limits the text of an approved plan that is sent to the model, in bytes. The
// model reads the plan again because the user may have edited it.
const maxPlan = 16 << 10

// elicit asks the user the model's questions.
func (c *call) elicit(ctx context.Context, e tools.Asks) tools.Result {
	t := c.turn
	c.update(transcript.ToolUpdate{State: transcript.AwaitingApproval})
	if err := t.conv.Outbox.Flush(nil); err != nil { // the call is shown before its questions
		return tools.Result{Err: tools.Errorf(tools.Unhandled, "%v", err)}
	}
	a, err := t.session.Agent.Elicitor().Elicit(ctx, frontend.Elicitation{SessionID: t.session.SessionID, TurnID: t.ID, CallID: c.made.CallID, Questions: e.Questions})
	switch {
	case ctx.Err() != nil:
		return tools.CancelledResult("")
	case errors.Is(err, frontend.ErrCannotElicit):
		return tools.Result{Err: tools.Errorf(tools.PolicyViolation, "The user's editor has no way to show this question. Ask in your answer and end your turn, or go on as you judge best and say what you chose.")}
	case err != nil:
		t.session.Agent.Log.Warn("the user was not asked", "session", t.session.SessionID, "err", err)
		return user.NoAnswerResult()
	case a.Declined:
		return user.DeclinedResult()
	case a.Cancelled:
		return user.NoAnswerResult()
	}
	return user.AnswerResult(e, a.Values)
}
