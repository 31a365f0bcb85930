package model

import (
	"context"
	"crypto/sha256"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
)

// Seeing returns a generator that sends no attachments that the model or its provider
// does not take: pictures to models that do not see them, types that a [Taker] in g does
// not name, pictures and PDF files that cannot be read. A note is in the place of each,
// and the first chunks tell of them. Pictures of other types are converted where that
// helps. sees returns what the catalogue knows of a model; where that is nil the first
// [Informed] generator in g tells. Models of which nothing is known get pictures.
func Seeing(g Generator, sees func(model string) *bool) Generator {
	s := seeing{g, sees, &conversions{}}
	if c, ok := As[Counter](g); ok {
		return With(g, countingSeeing{s, c})
	}
	return With(g, s)
}

type seeing struct {
	g    Generator // below it
	sees func(string) *bool
	made *conversions
}

// conversions remembers the latest attachments that were converted, by their contents.
type conversions struct {
	mu  sync.Mutex
	all map[[sha256.Size]byte]Blob
}

// maxConversions bounds what is remembered.
const maxConversions = 16

// fitted is [fitted], remembered.
func (c *conversions) fitted(b Blob, types []string) (_ Blob, text string, ok bool) {
	if takes(types, b.MediaType()) {
		return b, "", true
	}
	key := sha256.Sum256(b.Data)
	c.mu.Lock()
	defer c.mu.Unlock()
	if made, ok := c.all[key]; ok {
		return made, "", true
	}
	made, text, ok := fitted(b, types)
	if ok && text == "" {
		if c.all == nil || len(c.all) >= maxConversions {
			c.all = map[[sha256.Size]byte]Blob{}
		}
		c.all[key] = made
	}
	return made, text, ok
}

// Begin implements [Layer].
func (g seeing) Begin(ctx context.Context, req *Request) (Watch, error) {
	var left []Unsent
	*req, left = g.visible(ctx, *req)
	return leftOut(left), nil
}

// leftOut is what was left out of a request.
type leftOut []Unsent

// Opening implements [Opener].
func (left leftOut) Opening() (l []Chunk) {
	for _, u := range left {
		l = append(l, Chunk{Unsent: &u})
	}
	return l
}

// Chunk implements [Watch].
func (leftOut) Chunk(c Chunk, err error) (Chunk, error) { return c, err }

// countingSeeing counts what is sent.
type countingSeeing struct {
	seeing  seeing
	counter Counter
}

// Begin implements [Layer].
func (g countingSeeing) Begin(ctx context.Context, req *Request) (Watch, error) {
	return g.seeing.Begin(ctx, req)
}

// CountTokens implements [Counter].
func (g countingSeeing) CountTokens(ctx context.Context, req Request) (int64, error) {
	req, _ = g.seeing.visible(ctx, req)
	return g.counter.CountTokens(ctx, req)
}

// visible returns the request without what its model cannot take, and what that is.
func (g seeing) visible(ctx context.Context, req Request) (Request, []Unsent) {
	blind := sync.OnceValue(func() bool { // no server is asked about a conversation without pictures
		sees := g.sees(req.Model)
		if i, ok := As[Informed](g.g); ok && sees == nil {
			i.Prepare(ctx, req.Model)
			sees = i.Known(req.Model).Images
		}
		return sees != nil && !*sees
	})
	var types []string
	if t, ok := As[Taker](g.g); ok {
		types = t.Takes(req.Model)
	}
	var left []Unsent
	leave := func(b Blob, note, why string) (Blob, string) {
		what := "a file"
		if isPicture(b) {
			what = "a picture"
		}
		i := slices.IndexFunc(left, func(u Unsent) bool { return u.Why == why })
		if i < 0 {
			i, left = len(left), append(left, Unsent{Why: why})
		}
		if isPicture(b) {
			left[i].Pictures++
		} else {
			left[i].Files++
		}
		return b, fmt.Sprintf("[%s of the type %s is left out: %s]", what, b.MIME, note)
	}
	req.Messages = withBlobs(req.Messages, func(b Blob) (Blob, string) {
		if len(b.Data) == 0 {
			return b, ""
		}
		if isPicture(b) && b.MediaType() != svg && blind() {
			return leave(b, "this model cannot see pictures", "this model does not see pictures; another may")
		}
		b, fault := checked(b)
		if fault != "" {
			return leave(b, fault, fault)
		}
		b, text, ok := g.made.fitted(b, types)
		switch {
		case !ok:
			return leave(b, "this model does not read this type", "its provider does not take the type "+b.MediaType())
		case text != "":
			return b, text
		}
		return b, ""
	})
	return req, left
}

// svg is the type of a picture that is a text.
const svg = "image/svg+xml"

// WithoutBlobs returns messages in which texts are in the place of some blobs: those
// for which note returns one. That of a result's blob is at the end of its output.
func WithoutBlobs(messages []Message, note func(Blob) string) []Message {
	return withBlobs(messages, func(b Blob) (Blob, string) { return b, note(b) })
}

// withBlobs returns messages with other blobs, or texts in their places.
func withBlobs(messages []Message, change func(Blob) (Blob, string)) []Message {
	out := make([]Message, len(messages))
	for i, m := range messages {
		parts := make([]Part, len(m.Parts))
		for j, p := range m.Parts {
			switch q := p.(type) { //nolint:gochecksumtype // the others have no blobs
			case Blob:
				b, text := change(q)
				if p = b; text != "" {
					p = Text{Text: text, Given: true}
				}
			case Result:
				var kept []Blob
				for _, b := range q.Blobs {
					b, text := change(b)
					if text != "" {
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

func isPicture(b Blob) bool { return strings.HasPrefix(b.MediaType(), "image/") }

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
