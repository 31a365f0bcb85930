package complete

import (
	"context"
	"errors"

	"github.com/emendo-dev/emendo/agent/transcript"
)

// Found is a completion of a prompt in a document.
type Found struct{ Label, Kind, Detail, Text string }

// IsCommand reports whether it is a slash command.
func (f Found) IsCommand() bool { return f.Kind == commandKind }

// Before returns where the word at the end of a prompt begins, and a function that
// finds what it can become; false if there is nothing to complete. complete is false
// if the user should ask again after typing more.
func (x *Completer) Before(sessionID, prompt string) (start int, find func(context.Context) (l []Found, complete bool, err error), ok bool) {
	if w, ok := commandBefore(prompt); ok {
		return w.start, func(ctx context.Context) ([]Found, bool, error) {
			known, err := x.commandsOf(ctx, sessionID)
			if errors.Is(err, transcript.ErrUnknownSession) {
				known, err = x.commandsOf(ctx, "")
			}
			return foundOf(commands(known, w.query, span{})), true, err
		}, true
	}
	w, ok := mentionBefore(prompt)
	if !ok {
		return 0, nil, false
	}
	focus, snapshot := x.c.Focus.Now(), x.c.Workspace.Snapshot()
	return w.start, func(ctx context.Context) ([]Found, bool, error) {
		a, err := x.mentions(ctx, sessionID, w.query, span{}, focus, snapshot)
		if errors.Is(err, transcript.ErrUnknownSession) { // it has no prompt yet
			a, err = x.mentions(ctx, "", w.query, span{}, focus, snapshot)
		}
		return foundOf(a.Items), !a.Incomplete, err
	}, true
}

func foundOf(items []item) []Found {
	l := make([]Found, len(items))
	for i, x := range items {
		l[i] = Found{x.Label, x.Kind, x.Detail, x.InsertText}
	}
	return l
}
