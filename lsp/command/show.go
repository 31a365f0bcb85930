package command

import (
	"context"
	"errors"

	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/lsp/chat"
	"github.com/emendo-dev/emendo/lsp/client"
	"github.com/emendo-dev/emendo/lsp/host"
	"github.com/emendo-dev/emendo/lsp/request"
)

// shows are the commands that open a file.
type shows struct {
	c       *client.Client
	host    *host.Lazy
	current *chat.Current
	logFile string
}

type chatArgs struct {
	SessionID string `json:"sessionId"`
}

// fileResult answers a command with the file that it opens.
type fileResult struct {
	URI ide.URI `json:"uri"`
}

// chat writes the conversation of a session, or of the current one, to a Markdown
// file and opens that at the last answer, or names it to a client that cannot
// open it. A message is too small for a long answer.
func (s *shows) chat(ctx context.Context, p chatArgs) (any, error) {
	h, err := s.host.Need(ctx)
	if err != nil {
		return nil, err
	}
	if h.Transcript == nil {
		return nil, request.Unable("this server writes no transcripts; use `emendo sessions show`")
	}
	id := p.SessionID
	if id == "" {
		id = s.current.ID()
	}
	const none = "emendo has no conversation to show yet."
	if id == "" {
		s.c.Info(ctx, none)
		return nil, nil
	}
	if _, err := s.host.Session(ctx, id); err != nil {
		return nil, err
	}
	file, line, err := h.Transcript(id)
	switch {
	case errors.Is(err, transcript.ErrUnknownSession): // it is stored at its first prompt
		s.c.Info(ctx, none)
		return nil, nil
	case err != nil:
		return nil, err
	}
	uri := ide.FileURI(file)
	if s.c.Can.ShowDocument {
		at := ide.Position{Line: uint32(line)}
		s.c.Show(string(uri), &ide.Range{Start: at, End: at})
	} else {
		s.c.Info(ctx, "The conversation is in "+visible.Text(file))
	}
	return fileResult{uri}, nil
}

// log opens the server's log, or shows the user where it is.
func (s *shows) log(ctx context.Context, _ struct{}) (any, error) {
	if s.logFile == "" {
		s.c.Info(ctx, "There is no log file; emendo logs to standard error.")
		return nil, nil
	}
	uri := ide.FileURI(s.logFile)
	if s.c.Can.ShowDocument {
		s.c.Show(string(uri), nil)
	} else {
		s.c.Info(ctx, "The log file is "+s.logFile)
	}
	return fileResult{uri}, nil
}
