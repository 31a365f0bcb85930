package chat

import (
	"strings"
	"unicode/utf8"

	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/internal/visible"
)

// Bounds of an answer that is shown as a message.
const (
	maxAnswerLines = 20
	maxAnswerBytes = 2000
	maxLine        = 80 // characters that every editor shows
)

// wholeAnswer precedes an answer that not every editor shows whole: Helix shows
// only as much of a message as fits into its bottom line.
const wholeAnswer = "(emendo.chat shows the whole answer.) \n"

// answerText returns a turn's answer for a client that shows only messages.
func answerText(end state.Ended) string {
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
		why = "(A hook ended the turn: " + visible.Text(visible.OneLine(end.Halted)) + ")"
	}
	if why != "" {
		out = strings.TrimSpace(out + "\n" + why)
	}
	if out == "" {
		out = "emendo is done."
	}
	return out
}

// stopText returns why a turn ended early, or "".
func stopText(r transcript.StopReason) string {
	switch r {
	case transcript.EndTurn:
		return ""
	case transcript.StopMaxTokens:
		return "(The answer reached the model's output limit.)"
	case transcript.MaxTurnRequests:
		return "(The turn reached its request limit; ask again to continue.)"
	case transcript.Refusal:
		return "(The provider stopped the answer.)"
	case transcript.StopBlocked:
		return "(The provider refused the prompt.)"
	case transcript.StopLoop:
		return "(The model repeated itself and was stopped.)"
	case transcript.StopCancelled, transcript.StopError:
		return "(It was stopped.)"
	}
	panic("chat: unknown stop reason " + string(r))
}
