package agent

import (
	"slices"

	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/tools"
)

// asks lets the model ask, in every mode: the user's answer is all that comes of
// it.
func (g gate) asks() verdict {
	if !g.can.Asks || !g.elicits {
		return denied(tools.PolicyViolation, "nobody to ask", "Nobody is there to answer questions. Choose what seems best, go on, and say in your answer what you chose.")
	}
	return verdict{kind: allow}
}

// plans asks before the session plans, for that ends with a question too.
func (g gate) plans(tool string) verdict {
	switch {
	case g.mode == PlanMode:
		return denied(tools.PolicyViolation, "mode plan", "The session is in plan mode already.")
	case g.mode == Yolo:
		return denied(tools.PolicyViolation, "mode yolo", "In yolo mode nothing waits for approval, so there is no plan mode to go into. Think the steps through and take them.")
	case !g.can.Asks:
		return denied(tools.PolicyViolation, "nobody to ask", "Nobody is there to approve a plan. Think the steps through and go on without plan mode.")
	case slices.Contains(g.allowed, tool):
		return verdict{kind: allow}
	}
	return g.question("mode "+string(g.mode), "The session would read and plan, and change nothing until you approve the plan.")
}

// presents has every plan approved by the user.
func (g gate) presents() verdict {
	switch {
	case g.mode != PlanMode:
		return denied(tools.PolicyViolation, "mode "+string(g.mode), "The session is not in plan mode any more; go on with the task.")
	case !g.can.Asks:
		return denied(tools.PolicyViolation, "nobody to ask", "Nobody is there to approve the plan. Give the plan as your answer and end your turn.")
	}
	return verdict{kind: ask, reason: "The plan is carried out when you approve it."}
}

// plan says whether an edit is of the session's plans only.
func (g gate) plan(e tools.Edits) bool {
	return len(e.Files) > 0 && g.isPlan != nil && !slices.ContainsFunc(e.Files, func(f ledger.Proposed) bool {
		return f.NewPath != "" || !g.isPlan(f.Path)
	})
}
