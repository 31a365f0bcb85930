package tools

import (
	"context"
	_ "embed"
	"encoding/json"

	"github.com/emendo-dev/emendo/internal/visible"
)

//go:embed enter_plan_mode.md
var enterPlanModeText string // what the model reads about this tool

type enterPlanMode struct{}

// NewEnterPlanMode returns the tool that switches to plan mode.
func NewEnterPlanMode() Tool { return enterPlanMode{} }

func (enterPlanMode) Spec() Spec {
	return Spec{
		Name: "enter_plan_mode", Display: "EnterPlanMode", Kind: Switch, Description: enterPlanModeText, Schema: enterPlanModeParams.Schema(),
		Needs: Needs{Plans: true, NoPlanMode: true, NoYoloMode: true}, NotForAgents: true, Lasting: true,
	}
}

type enterPlanModeArgs struct {
	Reason string `json:"reason,omitempty" jsonschema:"Why to plan first, in one line for the user."`
}

var enterPlanModeParams = NewParams[enterPlanModeArgs]()

func (enterPlanMode) Prepare(_ context.Context, env Env, raw json.RawMessage) (Action, error) {
	args, err := enterPlanModeParams.Decode(raw)
	if err != nil {
		return Action{}, err
	}
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
