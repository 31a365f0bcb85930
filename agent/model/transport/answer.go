package transport

import (
	"iter"

	"github.com/emendo-dev/emendo/agent/model"
)

// An Answer is the stream of one answer, as its consumer gets it. It belongs to the
// goroutine that ranges over it.
type Answer struct {
	yield func(model.Chunk, error) bool
	begun bool // a part was yielded
	left  bool // the consumer left the loop
	cited map[model.Citation]bool
}

// Answering returns the stream of an answer that run sends. The error of run is its end.
func Answering(run func(a *Answer) error) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		a := &Answer{yield: yield}
		if err := run(a); err != nil && !a.left {
			yield(model.Chunk{}, err)
		}
	}
}

// Send yields a chunk unless it is empty. It reports false if the consumer wants no more.
func (a *Answer) Send(c model.Chunk) bool {
	if len(c.Parts) == 0 && c.Usage == nil && len(c.Citations) == 0 && c.Grounding == nil && c.ResponseID == "" && c.Finish == "" && c.Unsent == nil {
		return !a.left
	}
	a.begun = a.begun || len(c.Parts) > 0
	a.left = a.left || !a.yield(c, nil)
	return !a.left
}

// Begun reports whether a part of the answer was yielded.
func (a *Answer) Begun() bool { return a.begun }

// Abandoned reports whether the consumer wants no more.
func (a *Answer) Abandoned() bool { return a.left }

// Cite returns a source if it is new, to be sent.
func (a *Answer) Cite(title, uri string) []model.Citation {
	c := model.Citation{Title: title, URI: uri}
	if uri == "" || a.cited[c] {
		return nil
	}
	if a.cited == nil {
		a.cited = map[model.Citation]bool{}
	}
	a.cited[c] = true
	return []model.Citation{c}
}
