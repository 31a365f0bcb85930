package state

import (
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/tools"
)

// redacted returns the event without the secrets of this process, for the history,
// the log and the client. It does not change prompts and file contents; the log
// redacts those.
func (a *Process) redacted(e transcript.Event) transcript.Event {
	s := a.Options.Secrets
	switch e := e.(type) { //nolint:gochecksumtype // the other events have no output of programs
	case transcript.Text:
		e.Text = s.Piece(e.Text)
		return e
	case transcript.Thought:
		e.Text = s.Piece(e.Text)
		return e
	case transcript.Reasoning:
		if s.Known(e.Text) != e.Text { // the signature covers the text with the secret
			e.Text, e.Signature = "", nil
		}
		return e
	case transcript.ToolUpdate:
		e.Title, e.Live, e.Output, e.Display, e.Summary = s.Known(e.Title), s.Piece(e.Live), s.Known(e.Output), s.Known(e.Display), s.Known(e.Summary)
		return e
	case transcript.Given:
		e.Text = s.Known(e.Text)
		return e
	case transcript.TurnEnded:
		e.Unasked = slices.Clone(e.Unasked)
		for i := range e.Unasked {
			e.Unasked[i].Command = s.Known(e.Unasked[i].Command)
		}
		return e
	case transcript.Notice:
		e.Title, e.Description = s.Text(e.Title), s.Text(e.Description)
		return e
	}
	return e
}

// OverwritesSecret returns an error if an edit would replace a secret with its
// placeholder.
func (a *Process) OverwritesSecret(e tools.Edits) *tools.Error {
	for _, f := range e.Files {
		if f.Base.Text == nil {
			continue
		}
		base := f.Base.Text.String()
		for _, shown := range a.Options.Secrets.Found(base) {
			if strings.Count(f.New, shown) > strings.Count(base, shown) {
				return tools.Errorf(tools.EditFailure, "%s contains a secret that is shown to you as %s; nothing was changed. Use replace to edit only the other lines.", tools.Shown(f.Path), shown)
			}
		}
	}
	return nil
}
