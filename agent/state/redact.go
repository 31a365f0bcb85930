package state

import (
	"strings"

	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/tools"
)

// redacted is an event without the secrets of this process, as it is folded,
// recorded and shown. What the user says and what files hold is theirs, and is
// left alone here; the log keeps the secrets out of that too.
func (a *Process) redacted(e transcript.Event) transcript.Event {
	s := a.Options.Secrets
	switch e := e.(type) { //nolint:gochecksumtype // nothing of another program is in the other events
	case transcript.Text:
		e.Text = s.Piece(e.Text)
		return e
	case transcript.Thought:
		e.Text = s.Piece(e.Text)
		return e
	case transcript.ToolUpdate:
		e.Title, e.Live, e.Output, e.Display, e.Summary = s.Known(e.Title), s.Piece(e.Live), s.Known(e.Output), s.Known(e.Display), s.Known(e.Summary)
		return e
	case transcript.Given:
		e.Text = s.Known(e.Text)
		return e
	case transcript.Notice:
		e.Title, e.Description = s.Text(e.Title), s.Text(e.Description)
		return e
	}
	return e
}

// OverwritesSecret is an error when an edit would put what the model is shown of a
// secret in the place of the secret.
func (a *Process) OverwritesSecret(e tools.Edits) *tools.Error {
	for _, f := range e.Files {
		if f.Base.Text == nil {
			continue
		}
		base := f.Base.Text.String()
		for _, shown := range a.Options.Secrets.Found(base) {
			if strings.Count(f.New, shown) > strings.Count(base, shown) {
				return tools.Errorf(tools.EditFailure, "%s holds a key, which you are shown as %s; nothing was changed. Edit the lines around it with replace, and leave its own line out.", tools.Shown(f.Path), shown)
			}
		}
	}
	return nil
}
