package present

import (
	"context"
	"slices"

	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/lsp/chat"
	"github.com/emendo-dev/emendo/lsp/client"
)

// actParams are the params of emendo/view/act.
type actParams struct {
	SessionID string              `json:"sessionId"`
	ID        string              `json:"id"` // of an item or a question
	ActionID  string              `json:"actionId"`
	Version   int64               `json:"version"` // of the view that the user saw
	Text      string              `json:"text"`
	Values    map[string][]string `json:"values"`
}

// acted answers emendo/view/act.
type acted struct {
	Steps []view.Step `json:"steps,omitzero"`
}

// Act answers emendo/view/act: it does what the user chose. What came after the version that
// the user saw is not decided.
func (v *Views) Act(_ context.Context, p actParams) (any, error) {
	o := v.get(p.SessionID)
	if o == nil {
		return nil, client.Invalid("session %s is not open", p.SessionID)
	}
	v.mu.Lock()
	i := slices.IndexFunc(v.asks, func(a *asked) bool { return a.q.ID == p.ID })
	var a *asked
	if i >= 0 {
		a = v.asks[i]
	}
	v.mu.Unlock()
	o.mu.Lock()
	defer o.mu.Unlock()
	if a != nil {
		if since, known := o.asks[p.ID]; !known || since > p.Version {
			return nil, client.Invalid("the question %s came after version %d of what was shown", p.ID, p.Version)
		}
		return acted{}, a.answerTo(p)
	}
	item, ok := o.fold.Item(p.ID)
	switch {
	case !ok:
		return nil, client.Invalid("there is no %s any more: %v", p.ID, errAnswered)
	case !slices.ContainsFunc(item.Actions, func(a view.Action) bool { return a.ID == p.ActionID }):
		return nil, client.Invalid("%s cannot be done with %s now", p.ActionID, p.ID)
	}
	switch p.ActionID {
	case view.Stop:
		stopped := chat.CancelParams{SessionID: p.SessionID}
		if item.Kind == view.KindCall {
			stopped.CallID = p.ID
		}
		return acted{}, v.turns.Cancel(stopped)
	case view.Copy:
		return acted{[]view.Step{{Copy: o.fold.Markdown(p.ID)}}}, nil
	}
	panic("present: no way to do " + p.ActionID)
}
