package turn

import (
	"github.com/emendo-dev/emendo/agent/finding"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/tools"
)

// report keeps a finding of a review. It is shown once it is on disk.
func (c *call) report(e tools.Finds) tools.Result {
	t := c.turn
	if !t.prompt.IsReview() {
		return tools.Result{Err: tools.Errorf(tools.PolicyViolation, "This turn is no review: say in your answer what you found.")}
	}
	a := t.session.Agent
	f := finding.Finding{Finding: e.Finding, ID: a.Options.NewID(), SessionID: t.session.SessionID, TurnID: t.ID, Lines: e.Lines}
	f.Title, f.Message = a.Options.Secrets.Known(f.Title), a.Options.Secrets.Known(f.Message)
	found := transcript.Found{ID: f.ID, Path: f.Path, Line: f.Lines.First + 1, Lines: f.Lines.Text, Severity: f.Severity, Title: f.Title, Message: f.Message}
	if t.conv.EmitDurably(found) == nil { // else the turn ends: it cannot be recorded
		a.Findings.Add(f)
	}
	return tools.Result{Output: "Reported.", Display: f.Message}
}
