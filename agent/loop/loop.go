// Package loop notices a model that goes round in circles: the same calls again
// and again, the same words again and again, or many steps without getting
// anywhere; and one that stops in the middle of its work. It sees what one
// session's model says and does, and gives a verdict; it knows no session, and
// stops or starts nothing itself.
package loop

import (
	"context"
	_ "embed"
	"encoding/json"
	"strings"

	"github.com/emendo-dev/emendo/agent/model"
)

// Options of a [Guard].
type Options struct {
	Off bool // nothing is ever found

	// Judge asks a model whether the conversation gets anywhere, and Second
	// asks a stronger one, whose agreement it takes. [Ask] makes them. Without
	// a Judge nobody is asked; without a Second the first opinion counts.
	Judge, Second func(context.Context, Question) (Opinion, error)
}

// Verdict is what was found. The zero value says to go on.
type Verdict struct {
	Strike Strike
	Kind   Kind
	Detail string // what is repeated, for the user
	Advice string // with Recover: what to tell the model
}

// Strike says what a verdict means for the turn.
type Strike int

// The strikes of a turn: the model gets one chance to find out by itself.
const (
	GoOn    Strike = iota
	Recover        // end the response, tell the model the advice, and ask again
	Stop           // end the turn
)

// Kind is what kind of loop was found.
type Kind string

// The kinds of loops.
const (
	SameCalls  Kind = "calls"  // the same calls, or the same few in turn
	SameWords  Kind = "words"  // the same passage
	NoProgress Kind = "judged" // by the opinion of a model
)

// Guard watches one session. It belongs to the goroutine of the running turn.
type Guard struct {
	o       Options
	prompt  string
	strikes int
	verdict Verdict // of this response, or the one that stops the turn

	calls  calls
	before calls // as they were when the response began
	words  words
	judge  schedule
}

// New makes a guard.
func New(o Options) *Guard {
	g := &Guard{o: o}
	g.Prompt("")
	return g
}

// Prompt begins a turn: all that was seen and found is forgotten. The text is
// what the user asks, for the judge.
func (g *Guard) Prompt(text string) {
	*g = Guard{o: g.o, prompt: text, judge: newSchedule()}
}

// Step begins a response: the n-th request of the turn, counted from 1, with
// the history that it carries, which is asked for only when it is looked at. A
// verdict of Recover from before is done with; the calls of before still count,
// so that a model which goes on as before is found out at its next call. When it
// is time, the judge is asked, which takes as long as a model takes.
func (g *Guard) Step(ctx context.Context, n int, history func() []model.Message) Verdict {
	if g.o.Off || g.verdict.Strike == Stop {
		return g.verdict
	}
	g.verdict = Verdict{}
	g.words = words{}
	g.before = g.calls
	if g.o.Judge == nil || !g.judge.due(n) {
		return Verdict{}
	}
	opinion, stuck := g.opinion(ctx, history())
	g.judge.asked(n, opinion)
	if !stuck {
		return Verdict{}
	}
	v := g.found(NoProgress, shortened(opinion.Analysis, longestOpinion))
	if v.Strike == Recover {
		g.verdict = Verdict{} // the response that now begins is the one with the advice
	}
	return v
}

// Text takes in a piece of what the model says, cut anywhere. A verdict holds
// for the rest of the response.
func (g *Guard) Text(delta string) Verdict {
	if g.o.Off || g.verdict.Strike != GoOn {
		return g.verdict
	}
	if passage, chants := g.words.add(delta); chants {
		return g.found(SameWords, passage)
	}
	return Verdict{}
}

// Call takes in a call of the model's. A verdict holds for the rest of the
// response.
func (g *Guard) Call(name string, args json.RawMessage) Verdict {
	if g.o.Off || g.verdict.Strike != GoOn {
		return g.verdict
	}
	g.words = words{}
	if round, loops := g.calls.add(name, args); loops {
		return g.found(SameCalls, strings.Join(round, ", "))
	}
	return Verdict{}
}

// Retract forgets what the response brought so far, because it is void and
// begins anew.
func (g *Guard) Retract() {
	g.words = words{}
	g.calls = g.before
}

//go:embed advice_calls.md
var adviceCalls string

//go:embed advice_words.md
var adviceWords string

//go:embed advice_judged.md
var adviceJudged string

// found makes a strike of a finding.
func (g *Guard) found(k Kind, detail string) Verdict {
	g.strikes++
	g.verdict = Verdict{Strike: Stop, Kind: k, Detail: detail}
	if g.strikes == 1 {
		advice := map[Kind]string{SameCalls: adviceCalls, SameWords: adviceWords, NoProgress: adviceJudged}[k]
		g.verdict.Strike = Recover
		quoted := strings.ReplaceAll(detail, "\n", "\n> ") // it stands in a quotation
		g.verdict.Advice = strings.TrimSpace(strings.Replace(advice, "{detail}", quoted, 1))
	}
	return g.verdict
}
