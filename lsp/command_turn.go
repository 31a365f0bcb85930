package lsp

import (
	"context"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/internal/rpc"
	"github.com/emendo-dev/emendo/internal/visible"
)

// started is the answer of a command that calls the model: some clients give up
// waiting for a command after seconds, so its end is told in other ways.
type started struct {
	SessionID string `json:"sessionId"`
	TurnID    string `json:"turnId"`
}

// startTurn begins a turn of a command, in the session named or the current
// one. The turn outlives the request.
func (s *server) startTurn(sessionID string, p agent.Prompt) rpc.Work {
	t := s.turns.begin(s.life, sessionID)
	return func(ctx context.Context) (any, error) {
		if err := s.joinSession(ctx, t); err != nil {
			s.endTurn(t)
			return nil, err
		}
		begun, over := make(chan string, 1), make(chan error, 1)
		p.Begun = func(id string) { begun <- id }
		running := s.spawn(func() {
			defer s.endTurn(t)
			over <- s.commandTurn(t, p)
		})
		if !running {
			s.endTurn(t)
			return nil, rpc.ErrClosed
		}
		select {
		case id := <-begun:
			return started{t.sessionID, id}, nil
		case err := <-over:
			if err == nil { // begun and over at once, or cancelled before
				return started{SessionID: t.sessionID, TurnID: t.turnID()}, nil
			}
			return nil, err
		case <-ctx.Done():
			t.stop(context.Cause(ctx))
			return nil, context.Cause(ctx)
		}
	}
}

// joinSession gives a turn of a command its session, which is made when there
// is none yet.
func (s *server) joinSession(ctx context.Context, t *turn) error {
	ses, err := s.commandSession(ctx, t.sessionID)
	if err != nil {
		return err
	}
	s.turns.join(t, ses.ID())
	return nil
}

// commandTurn runs a turn and tells its end. The error is that of a turn which
// never began; later ones are told the user.
func (s *server) commandTurn(t *turn, p agent.Prompt) error {
	if s.can.progress {
		t.progress = s.newProgress(s.tokens.next(), func() { t.cancel("") })
	}
	end, err := s.runTurn(t, p)
	cancelled := t.ctx.Err() != nil && (err == nil || errors.Is(err, context.Cause(t.ctx)))
	if t.progress != nil {
		t.progress.end(progressEnd(err, cancelled))
		s.awaitEnd(t.progress) // Helix shows one of the two, the later one
	}
	switch {
	case cancelled:
		return nil
	case err != nil && t.turnID() == "":
		return err
	case s.can.session: // it has seen everything
	case err != nil:
		s.tell(s.life, errorMessage, "emendo: "+visible.Text(err.Error()))
	default:
		s.tell(s.life, infoMessage, answerText(end))
	}
	return nil
}

func progressEnd(err error, cancelled bool) string {
	switch {
	case cancelled:
		return "Cancelled"
	case err != nil:
		return "Failed"
	}
	return "Done"
}

// Bounds of an answer that is shown as a message.
const (
	maxAnswerLines = 20
	maxAnswerBytes = 2000
	maxLine        = 80 // characters that every editor shows
)

// wholeAnswer begins the message with an answer that not every editor can show:
// Helix shows as much of a message as its last line holds.
const wholeAnswer = "(emendo.chat shows the whole answer.) \n"

// answerText is a turn's answer for a client that has only messages.
func answerText(end agent.Ended) string {
	text := strings.TrimSpace(end.Text)
	shown := text
	if l := strings.SplitAfter(shown, "\n"); len(l) > maxAnswerLines {
		shown = strings.Join(l[:maxAnswerLines], "")
	}
	if len(shown) > maxAnswerBytes {
		shown = strings.ToValidUTF8(shown[:maxAnswerBytes], "")
	}
	out := visible.Text(shown)
	if shown != text {
		out = strings.TrimRight(out, "\n") + "\n…"
	}
	if strings.Contains(out, "\n") || utf8.RuneCountInString(out) > maxLine {
		out = wholeAnswer + out
	}
	why := stopText(end.StopReason)
	if end.Halted != "" {
		why = "(A hook ended the turn: " + visible.Text(oneLine(end.Halted)) + ")"
	}
	if why != "" {
		out = strings.TrimSpace(out + "\n" + why)
	}
	if out == "" {
		out = "emendo is done."
	}
	return out
}

// stopText says why a turn ended, when it did not end by itself.
func stopText(r agent.StopReason) string {
	switch r {
	case agent.EndTurn:
		return ""
	case agent.StopMaxTokens:
		return "(The answer reached the model's limit.)"
	case agent.MaxTurnRequests:
		return "(The turn reached its limit of requests; ask again to go on.)"
	case agent.Refusal:
		return "(The provider stopped the answer.)"
	case agent.StopBlocked:
		return "(The provider refused the prompt.)"
	case agent.StopLoop:
		return "(The model repeated itself and was stopped.)"
	case agent.StopCancelled, agent.StopError:
		return "(It was stopped.)"
	}
	panic("lsp: unknown stop reason " + string(r))
}
