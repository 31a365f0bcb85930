package present

import (
	"context"
	"crypto/rand"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/rewind"
	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/lsp/client"
)

// backDoers are the actions that take turns back.
var backDoers = map[string]doer{"turn/" + view.GoBack: goBack}

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
	of := c.of()
	back := view.Rewind{ID: "back-" + rand.Text(), SessionID: c.Session, TurnID: c.ID, Prompt: of.Prompt, Following: of.Following, Files: would, Folders: ses.State.Work, Encoding: v.c.Can.Encoding}
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
	if c.of().Following != back.Following || scope != rewind.Conversation && !sameFiles(would, back.Files) {
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

// Rewound drops what a session has forgotten from its view.
func (v *Views) Rewound(sessionID, turnID string) {
	o := v.get(sessionID)
	if o == nil {
		return
	}
	o.mu.Lock()
	o.fold.Rewind(turnID)
	o.mu.Unlock()
	v.send(v.c.Life(), sessionID, o)
}
