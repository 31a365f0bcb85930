package tools

import (
	"context"

	"github.com/emendo-dev/emendo/internal/visible"
)

// EnterPlanMode is the tool that switches to plan mode.
var EnterPlanMode = Declare(Spec{
	Name: "enter_plan_mode", Display: "EnterPlanMode", Kind: Switch,
	Needs: Needs{Plans: true, NoPlanMode: true, NoYoloMode: true}, NotForAgents: true, Lasting: true,
}, pages, NewParams[enterPlanModeArgs](), prepareEnterPlanMode)

type enterPlanModeArgs struct {
	Reason string `json:"reason,omitempty" jsonschema:"Why to plan first, in one line for the user."`
}

func prepareEnterPlanMode(_ context.Context, env Env, args enterPlanModeArgs) (Action, error) {
	if env.Planning {
		return Action{}, Errorf(InvalidParams, "the session is already in plan mode")
	}
	reason, whole := visible.Clip(visible.OneLine(args.Reason), 300)
	if !whole {
		reason += " …"
	}
	title := "Plan first"
	if reason != "" {
		title += ": " + Shown(reason)
	}
	return Action{Title: title, Effect: Plans{reason}}, nil
}
