package present

import (
	"context"
	"errors"

	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/lsp/chat"
)

// sessionDoers are the actions of the entries of lists of sessions.
var sessionDoers = map[string]doer{
	kindSession + "/" + view.Open:   openSession,
	kindSession + "/" + view.Rename: renameSession,
	kindSession + "/" + view.Fork:   copySession,
	kindSession + "/" + view.Delete: askToDelete,
}

// sessionTarget finds a session by its entry in a list.
func (v *Views) sessionTarget(ctx context.Context, id string) (target, error) {
	ses, err := v.c.Host.Session(ctx, id)
	switch {
	case errors.Is(err, transcript.ErrUnknownSession):
		return target{}, errGone
	case err != nil:
		return target{}, err
	}
	return target{Kind: kindSession, Actions: view.SessionEntry(v.chat.Infos.InList(ses.Info())).Actions, Session: id}, nil
}

func openSession(_ context.Context, v *Views, c chosen) (acted, error) {
	return steps(view.Step{Show: c.ID})
}

func renameSession(ctx context.Context, v *Views, c chosen) (acted, error) {
	title := c.value("title")
	if title == "" && c.Text != nil {
		title = *c.Text
	}
	if problem := view.Missing("title", title); problem != nil {
		return acted{Problems: problem}, nil
	}
	_, err := v.chat.Sessions.Rename(ctx, chat.RenameParams{SessionID: c.ID, Title: title})
	return acted{}, err
}

func copySession(ctx context.Context, v *Views, c chosen) (acted, error) {
	h, err := v.c.Host.Get(ctx)
	if err != nil {
		return acted{}, err
	}
	ses, err := h.Agent.Fork(ctx, c.ID, "")
	if err != nil {
		return acted{}, err
	}
	return steps(view.Step{Show: ses.ID()})
}

// askToDelete asks whether a session is deleted, once for each. The answer does it.
func askToDelete(ctx context.Context, v *Views, c chosen) (acted, error) {
	ses, err := v.c.Host.Session(ctx, c.ID)
	if err != nil {
		return acted{}, err
	}
	v.askInstead(&asked{q: view.DeleteSession(newID("delete"), c.ID, v.chat.Infos.InList(ses.Info())), answer: func(ctx context.Context, p actParams) (acted, error) {
		if p.ActionID != view.Delete {
			return acted{}, nil
		}
		return acted{}, v.chat.Sessions.Remove(ctx, c.ID)
	}})
	return acted{}, nil
}
