package present

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/lsp/client"
)

// actParams are the params of emendo/view/act.
type actParams struct {
	SessionID string              `json:"sessionId"` // empty: the window's view
	ID        string              `json:"id"`        // of an item, a question or a hunk
	ActionID  string              `json:"actionId"`
	Version   int64               `json:"version"` // of the view that the user saw
	Text      *string             `json:"text"`
	Values    map[string][]string `json:"values"`
	Blocks    []json.RawMessage   `json:"blocks"`
}

// value returns the first value of a field; empty if there is none.
func (p actParams) value(field string) string {
	if l := p.Values[field]; len(l) > 0 {
		return l[0]
	}
	return ""
}

// acted answers emendo/view/act.
type acted struct {
	Steps    []view.Step    `json:"steps,omitzero"`
	Problems []view.Problem `json:"problems,omitzero"` // nothing was done, because of these
	Notice   *view.Item     `json:"notice,omitzero"`   // says what was done, and is in no view
}

// steps answers an action with what the client has to do.
func steps(l ...view.Step) (acted, error) { return acted{Steps: l}, nil }

// target says with which thing an action is done.
type target struct {
	Kind    string // of an item, or one of those that no items have
	Actions []view.Action
	Item    view.Item // of an item
	Session string    // its session; empty: none
	view    *opened   // in which it is; nil: the window's
}

// chosen is an action that the user chose.
type chosen struct {
	actParams
	target
}

// doer does an action in the views. It is called without locks, and may take as long as the action does.
type doer func(context.Context, *Views, chosen) (acted, error)

// doers have what every action does: by its ID, or by KIND/ID where it is another one for
// things of that kind. Each table is in the file of its subject.
var doers = []map[string]doer{turnDoers, promptDoers, backDoers, queueDoers, statusDoers, taskDoers, hunkDoers, groupDoers, changeDoers, noticeDoers, sessionDoers, commentDoers, listDoers, textDoers, undoDoers, terminalDoers}

// unlisted are the actions that no item lists: they take a text, such as a name or a code block.
var unlisted = []string{openText, applyCode}

// doerOf returns what does an action with things of a kind, or nil.
func doerOf(kind, id string) doer {
	id, _, _ = strings.Cut(id, ":") // what follows says which of several
	for _, name := range []string{kind + "/" + id, id} {
		for _, table := range doers {
			if do := table[name]; do != nil {
				return do
			}
		}
	}
	return nil
}

// Act answers emendo/view/act: it does what the user chose, unless that came after what they
// saw.
func (v *Views) Act(ctx context.Context, p actParams) (any, error) {
	switch a := v.asks.find(p.ID); {
	case a == nil:
	case strings.HasPrefix(p.ActionID, view.ShowDiff+":"):
		return diffOfQuestion(ctx, v, a, p)
	case p.ActionID == openText:
		return openNamed(ctx, v, chosen{p, target{Kind: "question", Item: a.q.Texts(), Session: a.q.SessionID}})
	default:
		return v.answer(ctx, a, p)
	}
	t, err := v.target(ctx, p)
	if err != nil {
		return nil, err
	}
	listed := slices.ContainsFunc(t.Actions, func(a view.Action) bool { return a.ID == p.ActionID }) ||
		slices.ContainsFunc(t.Item.Lines, func(l view.Line) bool { return l.Action != nil && l.Action.ID == p.ActionID })
	do := doerOf(t.Kind, p.ActionID)
	if do == nil || !listed && !slices.Contains(unlisted, p.ActionID) && !isAboutAll(t.Kind, p.ActionID) {
		return nil, errNotNow
	}
	return do(ctx, v, chosen{p, t})
}

// target finds what an action is to be done with.
func (v *Views) target(ctx context.Context, p actParams) (target, error) {
	if p.SessionID == "" {
		return v.targetInWindow(ctx, p)
	}
	o := v.get(p.SessionID)
	if o == nil {
		return target{}, errNotOpen(p.SessionID)
	}
	if err := o.readTo(p.ID); err != nil {
		return target{}, err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := checkVersion(p.Version, o.version); err != nil {
		return target{}, err
	}
	o.foldNews()
	item, ok := o.item(p.ID)
	switch {
	case !ok:
		return target{}, errGone
	case o.offers.isNewer(p.ID, p.Version):
		return target{}, errNewer
	}
	return target{Kind: string(item.Kind), Actions: item.Actions, Item: item, Session: p.SessionID, view: o}, nil
}

// checkVersion returns why the user cannot have seen a version of a view.
func checkVersion(seen, now int64) error {
	if seen > now {
		return client.Invalid("there is no version %d of what is shown yet: it is %d", seen, now)
	}
	return nil
}

// What is said of an action on what has changed since the user saw it.
var (
	errGone   = client.Invalid("this is not there any more: it was decided, sent or removed meanwhile")
	errNotNow = client.Invalid("this cannot be done now: what was shown has changed meanwhile")
	errNewer  = client.Invalid("this has changed since it was shown: look at it again")
)

// errNotOpen says that a conversation is not open.
func errNotOpen(sessionID string) error {
	return client.Invalid("session %s is not open: get its view first", sessionID)
}
