package lsp

import (
	"context"
	"errors"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/internal/visible"
)

type chatArgs struct {
	SessionID string `json:"sessionId"`
}

// chatCommand writes the conversation of a session, or of the current one, to a
// file of Markdown and opens that at the last answer, or tells its name to a
// client that cannot. A message is too small for a long answer.
func (s *server) chatCommand(ctx context.Context, p chatArgs) (any, error) {
	h, err := s.needHost(ctx)
	if err != nil {
		return nil, err
	}
	if h.Transcript == nil {
		return nil, unable("this server keeps no conversations; use `emendo sessions show`")
	}
	id := p.SessionID
	if id == "" {
		id = s.current.get()
	}
	const none = "emendo has no conversation to show yet."
	if id == "" {
		s.tell(ctx, infoMessage, none)
		return nil, nil
	}
	if _, err := s.session(ctx, id); err != nil {
		return nil, err
	}
	file, line, err := h.Transcript(id)
	switch {
	case errors.Is(err, agent.ErrUnknownSession): // it is stored with its first prompt
		s.tell(ctx, infoMessage, none)
		return nil, nil
	case err != nil:
		return nil, err
	}
	uri := ide.FileURI(file)
	if s.can.showDocument {
		at := ide.Position{Line: uint32(line)}
		s.show(string(uri), &ide.Range{Start: at, End: at})
	} else {
		s.tell(ctx, infoMessage, visible.Text(file)+" has the conversation.")
	}
	return struct {
		URI ide.URI `json:"uri"`
	}{uri}, nil
}
