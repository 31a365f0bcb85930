package viewtest

import (
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/tools"
)

// Long describes a long conversation, whose turns have [ItemsOfTurn] items each.
type Long struct {
	Turns  int
	Output int // bytes, of each call
}

// ItemsOfTurn is how many items a turn of a [Long] conversation has, itself included: the
// prompt, callsOfTurn calls and the answer.
const ItemsOfTurn = callsOfTurn + 3

const callsOfTurn = 7

// LongNeedle stands in the output of one call alone, LongFound, which is in the first turn.
const (
	LongNeedle = "needle-of-the-first-turn"
	LongFound  = "call-0-3"
)

// Updates returns what was shown of the conversation. No two texts share their memory. One
// answer in ten is long.
func (l Long) Updates() iter.Seq[transcript.Update] {
	return func(yield func(transcript.Update) bool) {
		at, seq := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), int64(0)
		for n := range l.Turns {
			for _, e := range l.turn(n) {
				seq++
				at = at.Add(time.Second)
				if !yield(transcript.Update{SessionID: "long", Seq: seq, TurnID: fmt.Sprintf("turn-%d", n), At: at, Event: e}) {
					return
				}
			}
		}
	}
}

// turn returns what a turn emits.
func (l Long) turn(n int) []transcript.Event {
	id := func(kind string) string { return fmt.Sprintf("%s-%d", kind, n) }
	es := []transcript.Event{transcript.UserChunk{MessageID: id("prompt"), Block: transcript.Block{Type: transcript.TextBlock, Text: id("Do")}}}
	for i := range callsOfTurn {
		call := fmt.Sprintf("%s-%d", id("call"), i)
		text := ""
		if call == LongFound {
			text = LongNeedle
		}
		for line := 0; len(text) < l.Output; line++ {
			text += fmt.Sprintf("%s wrote line %d, and some more words to make it longer\n", call, line)
		}
		es = append(
			es, transcript.ToolCall{CallID: call, MessageID: id("message"), Name: "run_shell_command", Title: "make " + call, Kind: tools.Execute, Args: []byte(`{"command":"make"}`)},
			transcript.ToolUpdate{CallID: call, State: transcript.Success, Display: "```\n" + text + "```", Output: "done"},
		)
	}
	answer := "It is done. "
	if n%10 == 0 {
		answer = strings.Repeat(answer, 4000)
	}
	return append(
		es, transcript.Text{MessageID: id("answer"), Text: answer}, transcript.ResponseFinished{MessageID: id("answer"), Reason: model.Stop, Model: "m"},
		transcript.TurnEnded{StopReason: transcript.EndTurn, DurationMS: 1500},
	)
}
