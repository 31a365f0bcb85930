package model

import (
	"context"
	"fmt"
	"iter"
	"strings"
)

// A Seer is a generator that knows better than the catalogue whether its models see
// pictures, such as a local server.
type Seer interface {
	// SeesPictures may ask the server. It returns nil if that is not known.
	SeesPictures(ctx context.Context, model string) *bool
}

// Seeing returns a generator that sends no pictures to models that do not see them: a
// note is in the place of each, and the first chunk tells of it. sees returns what the
// catalogue knows of a model; where that is nil the first [Seer] in g tells. Models of
// which nothing is known get pictures.
func Seeing(g Generator, sees func(model string) *bool) Generator {
	s := seeing{g, sees}
	if c, ok := As[Counter](g); ok {
		return countingSeeing{s, c}
	}
	return s
}

type seeing struct {
	Generator
	sees func(string) *bool
}

// Unwrap implements [Wrapper].
func (g seeing) Unwrap() Generator { return g.Generator }

// Stream implements [Generator].
func (g seeing) Stream(ctx context.Context, req Request) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		req, n := g.visible(ctx, req)
		if n > 0 && !yield(Chunk{Unsent: &Unsent{n, "this model does not see pictures; another may"}}, nil) {
			return
		}
		for c, err := range g.Generator.Stream(ctx, req) {
			if !yield(c, err) {
				return
			}
		}
	}
}

// countingSeeing counts what Stream sends.
type countingSeeing struct {
	seeing
	counter Counter
}

// CountTokens implements [Counter].
func (g countingSeeing) CountTokens(ctx context.Context, req Request) (int64, error) {
	req, _ = g.visible(ctx, req)
	return g.counter.CountTokens(ctx, req)
}

// visible returns the request without what its model cannot see, and how many pictures
// that are.
func (g seeing) visible(ctx context.Context, req Request) (Request, int) {
	if !hasPictures(req.Messages) {
		return req, 0
	}
	sees := g.sees(req.Model)
	if sees == nil {
		if s, ok := As[Seer](g.Generator); ok {
			sees = s.SeesPictures(ctx, req.Model)
		}
	}
	if sees == nil || *sees {
		return req, 0
	}
	n := 0
	req.Messages = WithoutBlobs(req.Messages, func(b Blob) string {
		if !isPicture(b) {
			return ""
		}
		n++
		return fmt.Sprintf("[a picture of the type %s is left out: this model cannot see pictures]", b.MIME)
	})
	return req, n
}

// WithoutBlobs returns messages in which texts are in the place of some blobs: those
// for which note returns one. That of a result's blob is at the end of its output.
func WithoutBlobs(messages []Message, note func(Blob) string) []Message {
	out := make([]Message, len(messages))
	for i, m := range messages {
		parts := make([]Part, len(m.Parts))
		for j, p := range m.Parts {
			switch q := p.(type) { //nolint:gochecksumtype // the others have no blobs
			case Blob:
				if text := note(q); text != "" {
					p = Text{Text: text, Given: true}
				}
			case Result:
				var kept []Blob
				for _, b := range q.Blobs {
					if text := note(b); text != "" {
						q.Output = strings.TrimPrefix(q.Output+"\n\n"+text, "\n\n")
					} else {
						kept = append(kept, b)
					}
				}
				q.Blobs = kept
				p = q
			}
			parts[j] = p
		}
		m.Parts = parts
		out[i] = m
	}
	return out
}

func isPicture(b Blob) bool { return strings.HasPrefix(strings.ToLower(b.MIME), "image/") }

// Blobs yields the blobs of messages, and those of the results in them.
func Blobs(messages []Message) iter.Seq[Blob] {
	return func(yield func(Blob) bool) {
		for _, m := range messages {
			for _, p := range m.Parts {
				switch p := p.(type) { //nolint:gochecksumtype // the others have no blobs
				case Blob:
					if !yield(p) {
						return
					}
				case Result:
					for _, b := range p.Blobs {
						if !yield(b) {
							return
						}
					}
				}
			}
		}
	}
}

func hasPictures(messages []Message) bool {
	for b := range Blobs(messages) {
		if isPicture(b) {
			return true
		}
	}
	return false
}
