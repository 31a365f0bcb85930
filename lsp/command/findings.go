package command

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/agent/view/phrase"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/internal/rpc"
	"github.com/emendo-dev/emendo/lsp/client"
)

// reviewArgs name the changes to review.
type reviewArgs struct {
	URI       string `json:"uri"` // of a file or folder in the repository
	Of        string `json:"of"`  // empty: uncommitted
	Ref       string `json:"ref"` // of commit and branch
	SessionID string `json:"sessionId"`
}

// reviewed are what of the repository can be reviewed.
var reviewed = []string{"uncommitted", "staged", "commit", "branch"}

// reviewChanges has changes reviewed in a conversation.
func (t *Table) reviewChanges(_ context.Context, a reviewArgs) (rpc.Work, error) {
	a.Of = cmp.Or(a.Of, "uncommitted")
	if !slices.Contains(reviewed, a.Of) {
		return nil, client.Invalid("of: want uncommitted, staged, commit or branch, got %q", a.Of)
	}
	f, now := t.Client.Focus.Current(), t.Client.Workspace.Snapshot()
	return func(ctx context.Context) (any, error) {
		h, err := t.Client.Host.Get(ctx)
		if err != nil {
			return nil, err
		}
		p, d, err := h.Agent.Review(ctx, agent.DiffOf{URI: a.URI, Of: a.Of, Ref: a.Ref})
		switch {
		case err != nil:
			return nil, err
		case len(p.Blocks) == 0:
			return nil, client.Unable("%s", phrase.Say("plain.none_changed").Text)
		}
		p.Snapshot, p.Focus = now, &f
		return t.start(a.SessionID, p, view.Task{What: "review_changes", LeftOut: d.Left})(ctx)
	}, nil
}

// onFinding are what the model can be asked about a finding.
var onFinding = map[string]task{
	"fix":     tasks["emendo.fix"],
	"explain": {"explain", "Explain a problem in the code in %s.", explainFinding},
}

// finding does something with a finding.
func (t *Table) finding(_ context.Context, a client.FindingArgs) (rpc.Work, error) {
	a.Action = cmp.Or(a.Action, "explain")
	x, asks := onFinding[a.Action]
	if !asks && a.Action != "dismiss" {
		return nil, client.Invalid("action: want fix, explain or dismiss, got %q", a.Action)
	}
	focus := t.Client.Focus.Current()
	var cursor ide.Position
	if len(focus.Selections) > 0 {
		cursor = focus.Selections[0].Start
	}
	f, ok := t.Review.Finding(a.ID, focus.Active, cursor)
	switch {
	case !ok && a.ID != "":
		return nil, client.Invalid("no finding %q", a.ID)
	case !ok:
		return nil, client.Unable("%s", phrase.Say("plain.none_found").Text)
	case !asks:
		return func(ctx context.Context) (any, error) {
			h, err := t.Client.Host.Get(ctx)
			if err != nil {
				return nil, err
			}
			return nil, h.Agent.Dismiss(ctx, f.ID)
		}, nil
	}
	uri, lines := t.Review.FindingPlace(f)
	at, p, err := t.target(client.TargetArgs{URI: uri, Range: &lines})
	if err != nil {
		return nil, err
	}
	text := fmt.Sprintf(x.format, at.words()) + " " + x.defaultInstruction + fmt.Sprintf(aboutFinding, f.Severity, f.Title, f.Message)
	p.Blocks = []transcript.Block{{Type: transcript.TextBlock, Text: text}, at.block(p.Snapshot)}
	if !t.Client.Can.View { // the review may still run
		return t.Chat.Turns.StartBehind(f.SessionID, p), nil
	}
	return t.start(f.SessionID, p, at.task(x.name, f.Title)), nil
}
