// Package route chooses between a strong and a fast model for a prompt, where the
// user has left the choice to emendo. It knows neither sessions nor settings; the
// caller passes everything that a decision depends on.
package route

import (
	"context"
	"time"
)

// Prompt holds what a decision depends on.
type Prompt struct {
	Strong, Fast string // the models to choose between

	Planning bool // the session is in plan mode
	Approved bool // the user has approved the plan to carry out

	// Hard reports whether the prompt needs the strong model, and why. nil: no
	// classifier is asked. After an error the strong model is chosen.
	Hard func(context.Context) (hard bool, why string, err error)
	// Down reports whether a model is known to be unavailable.
	Down func(name string) bool
}

// Source is the reason for a decision.
type Source string

// The sources, in order of precedence.
const (
	ByMode     Source = "approval-mode"
	ByJudgment Source = "classifier"
	ByDefault  Source = "default"
)

// Decision is the chosen model.
type Decision struct {
	Model   string
	Source  Source
	Why     string // for display; may be empty
	Latency time.Duration
	Err     error // why the classifier failed
}

// Decide chooses the model for a prompt and all steps of its turn. In doubt it is
// the strong one.
func Decide(ctx context.Context, p Prompt) Decision {
	begun := time.Now()
	d := Decision{Model: p.Strong, Source: ByDefault}
	switch {
	case p.Planning:
		d.Source, d.Why = ByMode, "plan mode uses the strong model"
	case p.Approved && !p.isDown(p.Fast):
		d = Decision{Model: p.Fast, Source: ByMode, Why: "the plan is approved"}
	case p.Hard != nil:
		hard, why, err := p.Hard(ctx)
		switch {
		case err != nil:
			d.Err = err
		case hard:
			d.Source, d.Why = ByJudgment, why
		case !p.isDown(p.Fast):
			d = Decision{Model: p.Fast, Source: ByJudgment, Why: why}
		}
	}
	d.Latency = time.Since(begun)
	return d
}

func (p Prompt) isDown(name string) bool { return p.Down != nil && p.Down(name) }
