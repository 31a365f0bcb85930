package present

import (
	"context"
	"strconv"
	"strings"

	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/lsp/client"
)

// The actions that no item lists: they take a text that stands in it.
const (
	openText  = "open"
	applyCode = "apply"
)

// openNamed has the client open the file that a text of an item names: what the model has
// written is not trusted to name others.
func openNamed(ctx context.Context, v *Views, c chosen) (acted, error) {
	if c.Text == nil || strings.TrimSpace(*c.Text) == "" {
		return acted{}, client.Invalid("invalid params: text is missing")
	}
	if c.view != nil {
		view.Fill(c.view.ses.State.Log.Reread, true, v.c.Can.Encoding, &c.Item)
	}
	if !c.Item.HasText(strings.TrimSpace(*c.Text)) {
		return acted{}, client.Invalid("%s does not stand in %s", *c.Text, c.ID)
	}
	f, err := filesOf(ctx, v, c)
	if err != nil {
		return acted{}, err
	}
	place, err := f.resolve(strings.TrimSpace(*c.Text))
	if err != nil {
		return acted{}, err
	}
	return steps(view.Step{Open: &place})
}

// diffOfQuestion has the client compare the texts of the part of a question whose number among
// its diffs follows a colon: of the whole file where that is known, else of the lines that the
// part shows.
func diffOfQuestion(ctx context.Context, v *Views, a *asked, p actParams) (acted, error) {
	_, number, _ := strings.Cut(p.ActionID, ":")
	n, err := strconv.Atoi(number)
	var diffs []view.Part
	for _, part := range a.q.Parts {
		if part.Kind == view.Diff {
			diffs = append(diffs, part)
		}
	}
	if err != nil || n < 0 || n >= len(diffs) {
		return acted{}, client.Invalid("%s cannot be done with %s", p.ActionID, p.ID)
	}
	part := diffs[n]
	if h := v.c.Host.Current(); h != nil && a.q.ItemID != "" {
		for _, cs := range h.Ledger.List(a.q.SessionID, "", "") {
			if cs.CallID != a.q.ItemID {
				continue
			}
			if both, err := v.compared(ctx, h.Ledger, view.Changed{ChangeSetID: cs.ID, URI: part.Place.URI}); err == nil {
				return steps(view.Step{Diff: []view.Compared{both}})
			}
		}
	}
	both := view.Compared{Place: *part.Place}
	for _, r := range part.Rows {
		if r.Mark != "+" {
			both.Old += r.Text + "\n"
		}
		if r.Mark != "-" {
			both.New += r.Text + "\n"
		}
	}
	return steps(view.Step{Diff: []view.Compared{both}})
}
