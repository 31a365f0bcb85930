// Package loop detects a model that is in a loop, because it repeats calls or text or
// takes many steps without progress, and one that stops in the middle of its work. It
// watches what the model of one session says and does, and returns a verdict. It does
// not know the session, and does not start or stop anything itself.
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
	Off bool // detects nothing

	// Judge asks a model whether the conversation makes progress. Second asks a
	// stronger one, which has to agree. [Ask] returns judges. Either may be nil; without
	// Second the first opinion counts.
	Judge, Second func(context.Context, Question) (Opinion, error)
}

// Verdict is the result of a check. The zero value means to continue.
type Verdict struct {
	Strike Strike
	Kind   Kind
	Detail string // the repetition, for the user
	Advice string // for the model, with Recover
}

// Strike is the consequence of a verdict for the turn.
type Strike int

// The strikes of a turn. The model gets one chance to recover.
const (
	GoOn    Strike = iota
	Recover        // end the response, send the model the advice, and ask again
	Stop           // end the turn
)

// Kind is the kind of a loop.
type Kind string

// The kinds of loops.
const (
	SameCalls  Kind = "calls"  // the same calls, or the same few in turn
	SameWords  Kind = "words"  // the same passage
	NoProgress Kind = "judged" // in the opinion of a model
)

// Guard watches one session. It belongs to the goroutine of the running turn.
type Guard struct {
	o       Options
	prompt  string
	strikes int
	verdict Verdict // on this response, or the one that stops the turn

	calls  calls
	before calls // at the start of the response
	words  words
	asked  int // the step at which the judge is asked next
}

// New returns a guard.
func New(o Options) *Guard {
	g := &Guard{o: o}
	g.Prompt("")
	return g
}

// Prompt starts a turn and forgets everything before it. The text is the user's request,
// for the judge.
func (g *Guard) Prompt(text string) {
	*g = Guard{o: g.o, prompt: text, asked: firstAsked}
}

// Step starts a response: the n-th request of the turn, counted from 1. history is called
// only if it is needed. An earlier verdict of Recover is cleared, but earlier calls still
// count, so that a model that continues in the same way is detected at its next call. At
// some steps Step asks the judge, which takes as long as a model request.
func (g *Guard) Step(ctx context.Context, n int, history func() []model.Message) Verdict {
	if g.o.Off || g.verdict.Strike == Stop {
		return g.verdict
	}
	g.verdict = Verdict{}
	g.words = words{}
	g.before = g.calls
	if g.o.Judge == nil || n < g.asked {
		return Verdict{}
	}
	opinion, stuck := g.opinion(ctx, history())
	g.asked = nextAsked(n, opinion)
	if !stuck {
		return Verdict{}
	}
	v := g.found(NoProgress, shortened(opinion.Analysis, longestOpinion))
	if v.Strike == Recover {
		g.verdict = Verdict{} // this response has seen the advice
	}
	return v
}

// Text checks a piece of the model's text, which may be cut anywhere. A verdict stays for
// the rest of the response.
func (g *Guard) Text(delta string) Verdict {
	if g.o.Off || g.verdict.Strike != GoOn {
		return g.verdict
	}
	if passage, chants := g.words.add(delta); chants {
		return g.found(SameWords, passage)
	}
	return Verdict{}
}

// Call checks a call by the model. A verdict stays for the rest of the response.
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

// Retract forgets the response so far, because it failed and is repeated.
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

// found returns the verdict for a loop.
func (g *Guard) found(k Kind, detail string) Verdict {
	g.strikes++
	g.verdict = Verdict{Strike: Stop, Kind: k, Detail: detail}
	if g.strikes == 1 {
		advice := map[Kind]string{SameCalls: adviceCalls, SameWords: adviceWords, NoProgress: adviceJudged}[k]
		g.verdict.Strike = Recover
		quoted := strings.ReplaceAll(detail, "\n", "\n> ") // it is in a quotation
		g.verdict.Advice = strings.TrimSpace(strings.Replace(advice, "{detail}", quoted, 1))
	}
	return g.verdict
}
