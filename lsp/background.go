package lsp

import (
	"context"

	"github.com/emendo-dev/emendo/internal/rpc"
	"github.com/emendo-dev/emendo/internal/visible"
)

// inBackground runs what a command does that calls the model or edits open
// files. A client without emendo's plugin is answered null at once, and told the
// outcome by a message: eglot reports no change of a document while it waits for
// a command, and gives up after some seconds. The plugin is answered the outcome.
func (s *server) inBackground(ctx context.Context, do func(context.Context) (result any, text string, err error)) (any, error) {
	if s.can.session {
		result, text, err := do(ctx)
		if err == nil {
			s.tell(ctx, infoMessage, text)
		}
		return result, err
	}
	running := s.spawn(func() {
		switch _, text, err := do(s.life); {
		case s.life.Err() != nil:
		case err != nil:
			s.tell(s.life, errorMessage, "emendo: "+visible.Text(err.Error()))
		default:
			s.tell(s.life, infoMessage, text)
		}
	})
	if !running {
		return nil, rpc.ErrClosed
	}
	return nil, nil
}
