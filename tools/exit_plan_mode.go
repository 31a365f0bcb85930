package tools

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
)

// ExitPlanMode is the tool that presents a plan for approval.
var ExitPlanMode = Declare(Spec{
	Name: "exit_plan_mode", Display: "ExitPlanMode", Kind: Switch,
	Needs: Needs{Plans: true, NoYoloMode: true}, NotForAgents: true, Lasting: true, // plan mode may begin in the turn
}, pages, NewParams[exitPlanModeArgs](), prepareExitPlanMode)

type exitPlanModeArgs struct {
	PlanFilename string `json:"plan_filename" jsonschema:"The plan file: its name in the session's plans folder, or its absolute path."`
}

func prepareExitPlanMode(ctx context.Context, env Env, args exitPlanModeArgs) (Action, error) {
	if !env.Planning || env.Plans == nil {
		return Action{}, Errorf(InvalidParams, "the session is not in plan mode, so no plan needs approval; continue with the task")
	}
	folder := env.Plans.Folders()[0]
	env.Snapshot, env.Dir = env.Snapshot.Within(env.Plans), folder
	p, err := Resolve(env, "plan_filename", args.PlanFilename)
	var e *Error
	switch {
	case errors.As(err, &e) && e.Type == NotInWorkspace:
		return Action{}, Errorf(NotInWorkspace, "plan_filename %s is outside the session's plans folder, %s", Shown(args.PlanFilename), Shown(folder))
	case err != nil:
		return Action{}, err
	case !IsPlanName(p.Abs):
		return Action{}, Errorf(InvalidParams, "invalid params: plan_filename: %s is not a .md file", Shown(args.PlanFilename))
	}
	f, err := env.View(ctx, p.Abs)
	if err != nil {
		return Action{}, DiskError("read", args.PlanFilename, err)
	}
	text := f.Text.String()
	if strings.TrimSpace(text) == "" {
		return Action{}, Errorf(InvalidParams, "the plan %s is empty; write it before presenting it", Shown(args.PlanFilename))
	}
	return Action{
		Title:     "Present the plan " + Shown(filepath.Base(p.Abs)),
		Locations: []Location{{Path: p.Abs}},
		Effect:    Presents{p.Abs, text},
	}, nil
}
