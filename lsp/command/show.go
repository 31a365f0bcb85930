package command

import (
	"context"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/lsp/chatdoc"
	"github.com/emendo-dev/emendo/lsp/client"
)

// shows are the commands that open a file.
type shows struct {
	c         *client.Client
	documents *chatdoc.Documents
	chats     *chatdoc.Requests
	logFile   string
}

type chatArgs struct {
	SessionID string `json:"sessionId"`
}

// fileResult answers a command with the file that it opens.
type fileResult struct {
	URI string `json:"uri"`
}

// chat opens the document of a session at the last answer, or names it to a client that
// cannot open it.
func (s *shows) chat(ctx context.Context, p chatArgs) (any, error) {
	ses, err := s.chats.Session(ctx, p.SessionID)
	if err != nil {
		return nil, err
	}
	return s.document(ctx, ses)
}

// document shows the document of a session.
func (s *shows) document(ctx context.Context, ses *agent.Session) (any, error) {
	shown, err := s.documents.Open(ctx, ses.ID())
	if err != nil {
		return nil, err
	}
	switch {
	case s.c.Can.ShowDocument:
		s.c.Show(shown.URI, &shown.Range)
	case shown.Waits: // the user sees it, and wants the rest
	default:
		s.c.Info(ctx, "The conversation is in "+shown.Path)
	}
	return fileResult{shown.URI}, nil
}

// log opens the server's log, or shows the user where it is.
func (s *shows) log(ctx context.Context, _ struct{}) (any, error) {
	if s.logFile == "" {
		s.c.Info(ctx, "There is no log file; emendo logs to standard error.")
		return nil, nil
	}
	uri := string(ide.FileURI(s.logFile))
	if s.c.Can.ShowDocument {
		s.c.Show(uri, nil)
	} else {
		s.c.Info(ctx, "The log file is "+s.logFile)
	}
	return fileResult{uri}, nil
}
