package chat

import (
	"strings"
	"unicode/utf8"

	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/view"
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

// answerText returns a turn's answer for a client that shows only messages, and where
// the conversation is, if that is known.
func answerText(end state.Ended, where string) string {
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
	why := view.Stopped(end.StopReason).Text
	if why != "" {
		why = "(" + why + ")"
	}
	if end.Halted != "" {
		why = "(A hook ended the turn: " + visible.Text(visible.OneLine(end.Halted)) + ")"
	}
	if why != "" {
		out = strings.TrimSpace(out + "\n" + why)
	}
	if out == "" {
		out = "emendo is done."
	}
	if where != "" {
		out += " \n(The conversation is in " + where + ".)"
	}
	return out
}

// whereIfNew returns where a conversation is; empty if the last message about it said so.
func (t *Turns) whereIfNew(sessionID, where string) string {
	if last, known := t.named.Swap(sessionID, where); known && last == where {
		return ""
	}
	return where
}
