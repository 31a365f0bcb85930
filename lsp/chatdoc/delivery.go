package chatdoc

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"time"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/internal/rpc"
)

const (
	answerWait = 30 * time.Second       // for the editor's answer, after which it counts as given
	makeWait   = 2 * time.Second        // from an answer until the edit is made, in editors that answer first
	refuseWait = 250 * time.Millisecond // from a refusal to the change that explains it
	pieceWait  = 3 * time.Second        // from one part of an edit to the next one
	promptWait = 2 * time.Second        // until an edit that does not show was not made, in an editor that reports edits at once
	slowWait   = 10 * time.Second       // in any other
)

// delivery is an edit on its way into the editor. Until it is known what came of it no
// other edit of the document is sent, and least of all the same one again: editors report
// an edit seconds after they have made it, in parts, or when the user leaves a mode, and
// then the text would have it twice.
//
// Only the text proves that an edit was made. That it was not made follows from what the
// editor says, or from a change or a save that it reports after its answer and that is
// without the edit. Without either there is nothing to do but wait.
type delivery struct {
	*edit
	cancel context.CancelFunc // of the request

	lines map[string]int // how often the text has each line of the edit once that is made
	had   map[string]int // how often it had each line before

	sent     time.Time
	answered time.Time // zero: it is not
	err      error     // the answer

	moved  time.Time // when the document was reported last; zero: not since the edit was sent
	lacked time.Time // when it was reported first without the edit, some time after the answer; zero: it was not
	trace  trace
	whole  time.Time // when all of the edit was in the text
}

// trace is how much of an edit is in a text.
type trace int

const (
	noTrace trace = iota
	partTrace
	wholeTrace
)

// verdict is what came of an edit.
type verdict int

const (
	undecided verdict = iota
	isMade            // it is in the text
	isRefused         // the editor says that it has not made it
	isLost            // the editor has not made it
)

// newDelivery returns the delivery of an edit of a text.
func newDelivery(text string, e *edit) *delivery {
	o := &delivery{edit: e, cancel: func() {}, lines: map[string]int{}, had: map[string]int{}, sent: time.Now()}
	for _, s := range e.splices {
		for _, l := range contentOf(s.Text) {
			o.lines[l]++
		}
	}
	for _, l := range contentOf(text) {
		o.had[l]++
	}
	for l := range o.lines {
		o.lines[l] += o.had[l]
	}
	return o
}

// contentOf returns the lines of a text that are not blank, without the space at their
// ends.
func contentOf(text string) (l []string) {
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(line, " \t\r\n"); line != "" {
			l = append(l, line)
		}
	}
	return l
}

// reported notes that the editor has reported the text: after a change, or by saving it.
func (o *delivery) reported(text string) {
	o.moved = time.Now()
	o.trace = max(o.trace, o.traceIn(text))
	switch {
	case o.trace == wholeTrace && o.whole.IsZero():
		o.whole = o.moved
	case o.trace == noTrace && o.lacked.IsZero() && (!o.answered.IsZero() && time.Since(o.answered) > makeWait || time.Since(o.sent) > answerWait):
		o.lacked = o.moved
	}
}

// traceIn returns how much of the edit is in a text. Line ends, blank lines and space at
// the ends of lines do not matter, nor does where the editor has put it.
func (o *delivery) traceIn(text string) trace {
	has := map[string]int{}
	var others []string // lines that are new and not of the edit
	for _, l := range contentOf(text) {
		has[l]++
		if _, ok := o.lines[l]; !ok && has[l] > o.had[l] {
			others = append(others, l)
		}
	}
	found, missing := false, false
	for l, n := range o.lines {
		found = found || has[l] > o.had[l]
		if has[l] < n {
			missing = true
			found = found || typedInto(others, l)
		}
	}
	switch {
	case !missing:
		return wholeTrace
	case found:
		return partTrace
	}
	return noTrace
}

// Into a line that is not too short to be told from others, the user may have typed so
// many bytes before it is reported.
const (
	leastLine = 6
	mostTyped = 40
)

// typedInto reports whether one of lines is a line into which the user has typed.
func typedInto(lines []string, line string) bool {
	for _, l := range lines {
		if len(line) >= leastLine && len(l) > len(line) && len(l) <= len(line)+mostTyped {
			rest := line
			for i := 0; i < len(l) && rest != ""; i++ {
				if l[i] == rest[0] {
					rest = rest[1:]
				}
			}
			if rest == "" {
				return true
			}
		}
	}
	return false
}

// verdict returns what came of the edit as far as that is known, and, while it is not,
// after how long to look again; zero: only the editor can tell. prompt says that the editor
// reports edits at once, and answers that it has answered one: it then has not made what it
// does not answer, but still may.
func (o *delivery) verdict(prompt, answers bool) (v verdict, again time.Duration) {
	answered := o.answered
	switch {
	case o.trace == wholeTrace:
		return isMade, 0
	case o.trace == partTrace: // the editor reports it in parts, or the user has typed in it
		return verdictAfter(isMade, o.moved.Add(pieceWait))
	case answered.IsZero() && time.Since(o.sent) < answerWait:
		return undecided, time.Until(o.sent.Add(answerWait))
	case answered.IsZero(): // some editors never answer
		answered = o.sent.Add(answerWait)
	}
	var failed *rpc.Error
	switch {
	case o.err != nil && !o.moved.IsZero(): // which is why
		return isRefused, 0
	case errors.As(o.err, &failed): // it may have made the edit before it failed
		return undecided, 0
	case o.err != nil:
		return verdictAfter(isRefused, answered.Add(refuseWait))
	}
	wait := slowWait
	if prompt {
		wait = promptWait
	}
	switch {
	case !o.lacked.IsZero():
		return verdictAfter(isLost, o.lacked.Add(wait))
	case !o.moved.IsZero() && prompt && (!answers || !o.answered.IsZero()): // the text had changed before the edit came
		return verdictAfter(isLost, answered.Add(wait))
	}
	return undecided, 0
}

// verdictAfter returns a verdict once a time has come, and until then how long that takes.
func verdictAfter(v verdict, t time.Time) (verdict, time.Duration) {
	if wait := time.Until(t); wait > 0 {
		return undecided, wait
	}
	return v, 0
}

// failed reports whether the editor has failed to make the edit, as it says, or does not
// show it for long.
func (o *delivery) failed() bool {
	return o.err != nil || !o.answered.IsZero() && time.Since(o.answered) > slowWait
}

// promptness is how soon the editor reports the edits that it makes, and whether it
// answers.
type promptness struct {
	edits   atomic.Int32 // that it has reported
	slow    atomic.Bool  // one of them late
	answers atomic.Bool  // it has answered an edit
}

// noteDelivery notes how long an edit took to show.
func (p *promptness) noteDelivery(o *delivery) {
	if o.whole.IsZero() {
		return
	}
	took := o.whole.Sub(o.sent)
	if !o.answered.IsZero() {
		took = min(took, o.whole.Sub(o.answered))
	}
	if took >= promptWait/2 {
		p.slow.Store(true)
	}
	p.edits.Add(1)
}

// enough is how many edits tell how soon an editor reports them: saving and sending a
// question have others report them at once, too.
const enough = 5

// isPrompt reports whether the editor has reported every edit so far at once.
func (p *promptness) isPrompt() bool { return p.edits.Load() >= enough && !p.slow.Load() }

// onLines returns splices that do the same and insert nothing behind the line end that ends
// a text: there is no line for many editors, which drop such an edit or put it elsewhere.
func onLines(text string, splices []ide.Splice) []ide.Splice {
	n := len(splices) - 1
	if n < 0 || splices[n].A != len(text) || !strings.HasSuffix(text, "\n") || !strings.HasSuffix(splices[n].Text, "\n") {
		return splices
	}
	at := len(withoutLineEnd(text))
	last := ide.Splice{A: at, B: at, Text: text[at:] + withoutLineEnd(splices[n].Text)}
	l := append([]ide.Splice{}, splices[:n]...)
	if n > 0 && l[n-1].B == at {
		l[n-1].Text += last.Text
		return l
	}
	return append(l, last)
}

// withoutLineEnd returns a text without the line end at its end.
func withoutLineEnd(text string) string {
	return strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
}
