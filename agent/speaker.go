package agent

import (
	"context"

	"github.com/emendo-dev/emendo/agent/loop"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/transcript"
)

// goesOn says whether an answer without a call broke off, where the user wants
// that to be looked at. Then the model is told to go on.
func (t *turn) goesOn(ctx context.Context, a answer) bool {
	s := t.session
	if !s.agent.choices().ChecksSpeaker || a.finish != model.Stop {
		return false
	}
	g, name, err := t.utility(model.NextSpeaker)
	if err != nil {
		s.agent.log.Debug("whether the model goes on is not known", "session", s.id, "err", err)
		return false
	}
	within, cancel := context.WithTimeout(ctx, opinionWithin)
	defer cancel()
	messages, _ := t.shown()
	if !loop.GoesOn(within, g, name, messages) || ctx.Err() != nil {
		return false
	}
	t.emit(transcript.Given{MessageID: a.messageID, Kind: transcript.GivenContinue, Text: loop.Continue})
	return true
}
