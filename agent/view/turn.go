package view

import (
	"fmt"
	"path"
	"strconv"

	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/tools"
)

// turnFacts is what the fold of a turn needs beside its item.
type turnFacts struct {
	ended    bool
	stream   *entry         // the text or thought that grows
	retry    *entry         // the notice of attempts
	notices  int            // so far
	thoughts map[string]int // number of the last thought by message
	calls    []*entry       // those of the model, and of agents
	answered bool           // since the last prompt or call
	model    string         // that answered last
	context  context        // after its last response
	overflow bool           // the prompt was too long for the model
	files    []transcript.FileSummary
}

func (t *turnFacts) nextThought(message string) int {
	if t.thoughts == nil {
		t.thoughts = map[string]int{}
	}
	t.thoughts[message]++
	return t.thoughts[message]
}

// does says what a running turn does.
func (c *Conversation) does(turn *entry, what Text) {
	if turn.State == Running && turn.Title.Text != what.Text {
		turn.Title = what
		c.touch(turn, head)
	}
}

// settle says of a turn that has not ended whether it runs; what does not was interrupted,
// and so were its calls.
func (c *Conversation) settle(turn *entry, runs bool) {
	if runs {
		turn.State, turn.Title = Running, say("turn.working")
		c.touch(turn, head)
		c.offer(turn)
		return
	}
	if turn.State != Interrupted {
		turn.State, turn.Title = Interrupted, say("turn.interrupted")
		c.touch(turn, head)
		c.offer(turn)
	}
	c.stopAll(turn, Interrupted)
}

// stopAll ends what a turn did and has not ended.
func (c *Conversation) stopAll(turn *entry, how State) {
	c.endStream(turn)
	for _, call := range turn.turn.calls {
		c.stopped(call, how)
	}
	for _, i := range turn.children {
		if i.Kind == KindNotice && i.State == Running { // the history was being shortened
			i.State, i.Title, i.Look = how, say("compaction.failed"), string(transcript.Warning)
			c.touch(i, head)
		}
	}
}

func (c *Conversation) finished(u transcript.Update, e transcript.ResponseFinished) {
	turn := c.turnOf(u)
	if turn == nil {
		return
	}
	c.endStream(turn)
	turn.turn.retry = nil
	if e.Model != "" {
		turn.turn.model = e.Model
	}
	c.does(turn, say("turn.working"))
}

func (c *Conversation) turnEnded(u transcript.Update, e transcript.TurnEnded) {
	turn := c.turnOf(u)
	if turn == nil {
		return
	}
	turn.turn.ended = true
	c.stopAll(turn, Cancelled)
	turn.State, turn.Title = stopped(e.StopReason)
	if e.StopReason == transcript.EndTurn && lacksAnswer(turn.turn) {
		turn.Title = say("turn.no_answer")
	}
	turn.turn.files = e.Files
	turn.Lines = c.facts(e, turn.turn.model)
	c.touch(turn, head)
	c.offer(turn)
}

// stopped returns what the reason why a turn ended makes of it.
func stopped(r transcript.StopReason) (State, Text) {
	switch r {
	case transcript.EndTurn:
		return Done, say("turn.done")
	case transcript.StopMaxTokens:
		return Done, say("stop.max_tokens")
	case transcript.MaxTurnRequests:
		return Done, say("stop.max_turn_requests")
	case transcript.Refusal:
		return Failed, say("stop.refusal")
	case transcript.StopCancelled:
		return Cancelled, say("stop.cancelled")
	case transcript.StopLoop:
		return Failed, say("stop.loop")
	case transcript.StopBlocked:
		return Failed, say("stop.blocked")
	case transcript.StopError:
	}
	return Failed, say("turn.failed")
}

// Stopped says why a turn ended early; empty if it did not.
func Stopped(r transcript.StopReason) Text {
	if r == transcript.EndTurn {
		return Text{}
	}
	_, why := stopped(r)
	return why
}

// lacksAnswer reports whether the last call of a turn was never answered, and does not say by
// itself what it did: some models say nothing after a result.
func lacksAnswer(t *turnFacts) bool {
	if t.answered || len(t.calls) == 0 {
		return false
	}
	last := t.calls[len(t.calls)-1]
	switch tools.Kind(last.Look) { //nolint:exhaustive // the others say what they did
	case tools.Edit, tools.Delete, tools.Move:
		return false
	}
	return last.call.failure != tools.StopExecution
}

// facts returns what a turn came to.
func (c *Conversation) facts(e transcript.TurnEnded, model string) (l []Line) {
	for n, f := range e.Files {
		name := ide.ParseURI(f.URI).Path()
		if name == "" {
			name = f.URI
		}
		near := c.o.Folders.Near(name)
		l = append(l, Line{
			ID: "file", Look: "file", Place: &Place{URI: f.URI}, Text: short(
				say("fact.file", "path", near, "added", f.Added, "removed", f.Removed), fmt.Sprintf("+%d −%d", f.Added, f.Removed)),
			Action: &Action{ID: ShowDiff + ":" + strconv.Itoa(n), Title: say("do.diff_of", "name", path.Base(near)), Look: ShowDiff},
		})
	}
	for _, a := range e.Unasked {
		l = append(l, Line{ID: "unasked", Look: "execute", Label: new(say("label.unasked")), Text: say("fact.unasked", "command", a.Command)})
	}
	if e.DurationMS > 0 {
		l = append(l, Line{ID: "time", Text: say("fact.time", "ms", e.DurationMS)})
	}
	if u := e.Usage; u.Total > 0 {
		l = append(l, Line{ID: "tokens", Text: say("fact.tokens", "in", u.Input, "out", u.Output+u.Thought)})
	}
	if u := e.Usage; u.Priced > 0 {
		l = append(l, Line{ID: "cost", Text: cost("fact.cost", u)})
	}
	if model != "" {
		l = append(l, Line{ID: "model", Text: say("fact.model", "model", model)})
	}
	return l
}

// leastMoney is the amount below which it is only said that it is less.
const leastMoney = 0.01

// cost says what something cost, by a code. Where some prices are not known, it is a bound.
func cost(code string, u transcript.Usage) Text {
	amount := fmt.Sprintf("%.4f", u.Cost)
	switch {
	case u.Priced < u.Total:
		code += "_at_least"
	case u.Cost < leastMoney:
		code, amount = code+"_under", fmt.Sprint(leastMoney)
	}
	if u.Cost >= 1 {
		amount = fmt.Sprintf("%.2f", u.Cost)
	}
	return say(code, "amount", amount, "currency", "USD")
}

// plain returns a text of several lines for the user, with hidden characters spelled out.
func plain(s string) string { return visible.Text(s) }
