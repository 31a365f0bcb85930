// Package route decides which model answers a prompt where the user has left
// the choice to emendo: a strong model or a fast one. It knows neither sessions
// nor settings; its caller passes what a decision depends on.
package route

import (
	"context"
	"time"
)

// Prompt is what a decision depends on.
type Prompt struct {
	Strong, Fast string // the models to choose between

	Planning bool // the session only reads and plans
	Approved bool // the user has approved a plan that is to be carried out

	// Hard reports whether the prompt needs the strong model, and why; nil: no
	// classifier is asked. An error leaves it open.
	Hard func(context.Context) (hard bool, why string, err error)
	// Down reports whether a model is known not to answer for the time being.
	Down func(name string) bool
}

// Source says what decided.
type Source string

// What decides, in the order in which they are asked.
const (
	ByMode     Source = "approval-mode"
	ByJudgment Source = "classifier"
	ByDefault  Source = "default"
)

// Decision is which model answers.
type Decision struct {
	Model   string
	Source  Source
	Why     string // for people; may be empty
	Latency time.Duration
	Err     error // why the classifier did not decide, when it was asked in vain
}

// Decide chooses the model for a prompt and everything that follows from it.
// What cannot be found out leaves the strong model.
func Decide(ctx context.Context, p Prompt) Decision {
	begun := time.Now()
	d := Decision{Model: p.Strong, Source: ByDefault}
	switch {
	case p.Planning:
		d.Source, d.Why = ByMode, "plans are made by the strong model"
	case p.Approved && !p.down(p.Fast):
		d = Decision{Model: p.Fast, Source: ByMode, Why: "the plan is made, and approved"}
	case p.Hard != nil:
		hard, why, err := p.Hard(ctx)
		switch {
		case err != nil:
			d.Err = err
		case hard:
			d.Source, d.Why = ByJudgment, why
		case !p.down(p.Fast):
			d = Decision{Model: p.Fast, Source: ByJudgment, Why: why}
		}
	}
	d.Latency = time.Since(begun)
	return d
}

func (p Prompt) down(name string) bool { return p.Down != nil && p.Down(name) }
