package present

import (
	"context"
	"crypto/rand"
	"slices"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/rewind"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/lsp/client"
)

// backDoers are the actions that take turns back, and undo that.
var backDoers = map[string]doer{"turn/" + view.GoBack: goBack, "status/" + view.Redo: goForth}

// goBack asks what goes back to before a turn's prompt, with what that would do. The answer
// does it.
func goBack(ctx context.Context, v *Views, c chosen) (acted, error) {
	ses, err := v.c.Host.Session(ctx, c.Session)
	if err != nil {
		return acted{}, err
	}
	would, err := v.chat.Sessions.GoBack(ctx, ses, c.ID, rewind.Both, true)
	if err != nil {
		return acted{}, err
	}
	following, err := countAfter(ses, c.ID)
	if err != nil {
		return acted{}, err
	}
	back := view.Rewind{ID: "back-" + rand.Text(), SessionID: c.Session, TurnID: c.ID, Prompt: c.of().Prompt, Following: following, Files: would, Folders: ses.State.Work, Encoding: v.c.Can.Encoding}
	v.askInstead(&asked{q: back.Question(), answer: func(ctx context.Context, p actParams) (acted, error) {
		if p.ActionID == view.Cancel {
			return acted{}, nil
		}
		return v.backTo(ctx, ses, back, rewind.Scope(p.ActionID), c)
	}})
	return acted{}, nil
}

// backTo goes back, unless that would do something else than was asked about: then it asks
// once more.
func (v *Views) backTo(ctx context.Context, ses *agent.Session, back view.Rewind, scope rewind.Scope, c chosen) (acted, error) {
	would, err := v.chat.Sessions.GoBack(ctx, ses, back.TurnID, rewind.Both, true)
	if err != nil {
		return acted{}, err
	}
	following, err := countAfter(ses, back.TurnID)
	if err != nil {
		return acted{}, err
	}
	if following != back.Following || scope != rewind.Conversation && !sameFiles(would, back.Files) {
		if _, err := goBack(ctx, v, c); err != nil {
			return acted{}, err
		}
		return acted{}, client.Unable("something has changed since you were asked: look at the question again")
	}
	if _, err := v.chat.Sessions.GoBack(ctx, ses, back.TurnID, scope, false); err != nil {
		return acted{}, err
	}
	if scope == rewind.Files {
		return acted{}, nil
	}
	return steps(composing(back.Prompt))
}

// countAfter returns how many turns are after one. It asks the session, since its view may have
// been closed or opened again.
func countAfter(ses *agent.Session, turnID string) (int, error) {
	l, err := ses.Prompts()
	if err != nil {
		return 0, err
	}
	i := slices.IndexFunc(l, func(p agent.PromptInfo) bool { return p.TurnID == turnID })
	if i < 0 {
		return 0, errGone
	}
	return len(l) - i - 1, nil
}

// sameFiles reports whether two previews do the same with files.
func sameFiles(a, b rewind.Result) bool {
	if len(a.Changes) != len(b.Changes) || len(a.Conflicts) != len(b.Conflicts) || len(a.Kept) != len(b.Kept) {
		return false
	}
	for i, c := range a.Changes {
		if o := b.Changes[i]; c.Name != o.Name || c.Before != o.Before || c.After != o.After {
			return false
		}
	}
	for i, s := range a.Conflicts {
		if s != b.Conflicts[i] {
			return false
		}
	}
	return true
}

// Rewound drops what a session has forgotten from its view, and what emendo asks about turns, or
// adds what it knows again.
func (v *Views) Rewound(sessionID string, b transcript.Back) {
	v.asks.removeIf(func(a *asked) bool { return a.own && a.q.SessionID == sessionID && a.q.ItemID != "" })
	o := v.get(sessionID)
	if o == nil {
		return
	}
	if !b.Redone {
		if err := o.readTo(b.TurnID); err != nil {
			v.c.Log.Error("read what is before a conversation", "session", sessionID, "err", err)
		}
	}
	o.mu.Lock()
	o.fold.Rewound(b)
	if h := v.c.Host.Current(); h != nil && b.Redone {
		for _, cs := range h.Ledger.List(sessionID, "", "") {
			o.putSet(cs)
		}
	}
	o.mu.Unlock()
	v.send(v.c.Life(), sessionID, o)
}

// goForth undoes the last rewind.
func goForth(ctx context.Context, v *Views, c chosen) (acted, error) {
	ses, err := v.c.Host.Session(ctx, c.Session)
	if err != nil {
		return acted{}, err
	}
	_, err = v.chat.Sessions.GoForth(ctx, ses, false)
	return acted{}, err
}
