package complete

import (
	"context"
	"errors"

	"github.com/emendo-dev/emendo/agent/transcript"
)

// Before returns where the word at the end of a prompt begins, and a function that
// finds what it can become; false if there is nothing to complete.
func (x *Completer) Before(sessionID, prompt string) (start int, find func(context.Context) ([]Item, error), ok bool) {
	if w, ok := commandBefore(prompt); ok {
		return w.start, func(ctx context.Context) ([]Item, error) {
			known, err := x.commandsOf(ctx, sessionID)
			if errors.Is(err, transcript.ErrUnknownSession) {
				known, err = x.commandsOf(ctx, "")
			}
			return commands(known, w.query, span{}), err
		}, true
	}
	w, ok := mentionBefore(prompt)
	if !ok {
		return 0, nil, false
	}
	focus, snapshot := x.c.Focus.Now(), x.c.Workspace.Snapshot()
	return w.start, func(ctx context.Context) ([]Item, error) {
		a, err := x.mentions(ctx, sessionID, w.query, span{}, focus, snapshot)
		if errors.Is(err, transcript.ErrUnknownSession) { // it has no prompt yet
			a, err = x.mentions(ctx, "", w.query, span{}, focus, snapshot)
		}
		return a.Items, err
	}, true
}
