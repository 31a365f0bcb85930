package model

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/emendo-dev/emendo/internal/lazyregexp"
)

// The defaults of [RetryOptions], and the bounds of delays.
const (
	DefaultAttempts = 5
	firstBackoff    = time.Second
	longestBackoff  = 30 * time.Second
	longestAsked    = 5 * time.Minute // the longest delay that a provider may ask for
	spread          = 0.3             // jitter in both directions, as a fraction of the delay
)

// repeats is how often a request is repeated that was answered and charged for, and to
// which the same model most likely answers alike.
const repeats = 1

// nudge is added to the system prompt after an empty answer.
const nudge = "Your previous answer to this had no visible text and no tool call. Answer in text now, or call a tool."

// RetryOptions tune [Retrying].
type RetryOptions struct {
	Attempts int            // the maximum number of requests; 0: DefaultAttempts
	Rand     func() float64 // from [0, 1); nil: math/rand/v2
}

// Retrying returns a generator that repeats requests to g that fail with a
// temporary error, before or during the stream, or whose answer is complete and
// useless. Before it waits it yields a Chunk with Retry set. Everything before
// that chunk is void, including a Finish, and the answer starts again. After an
// empty answer the next request tells the model so. What the model has answered and
// would answer again is asked for once more only.
//
// A delay that the provider asks for is respected, up to five minutes, plus a
// little jitter. Otherwise delays double from one second to thirty, give or take a
// third, so that the default attempts outlast an overload of ten seconds.
// Cancelling ctx ends a wait at once. A model that its server is loading is waited for, up
// to [LongestLoad], and that is no attempt.
//
// Calls are yielded as they arrive. That is safe for a consumer that acts on calls
// after the stream has ended, because a stream that ended well is never repeated:
// an answer with a call is useful.
//
// Streams of one Retrying may run concurrently.
func Retrying(g Generator, o RetryOptions) Generator {
	if o.Attempts <= 0 {
		o.Attempts = DefaultAttempts
	}
	if o.Rand == nil {
		o.Rand = rand.Float64
	}
	return retrying{awaiting{g}, o}
}

type retrying struct {
	g Generator
	o RetryOptions
}

// Stream implements [Generator].
func (r retrying) Stream(ctx context.Context, req Request) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		system, answered := req.System, 0
		for attempt := 1; ; attempt++ {
			left, err := r.attempt(ctx, req, yield)
			if left || err == nil {
				return
			}
			var e *Error
			if ctx.Err() != nil || !errors.As(err, &e) || !e.Temporary() || attempt >= r.o.Attempts {
				yield(Chunk{}, err)
				return
			}
			of := r.o.Attempts
			if e.lasting() {
				if of = min(of, attempt+repeats-answered); of == attempt {
					yield(Chunk{}, err)
					return
				}
				answered++
			}
			delay := r.delay(e.RetryAfter, attempt)
			if !yield(Chunk{Retry: &Retry{Attempt: attempt, Of: of, Delay: delay, Err: e}}, nil) {
				return
			}
			if !wait(ctx, delay) {
				yield(Chunk{}, context.Cause(ctx))
				return
			}
			req.System = system
			req.Again = e.Kind == Empty || e.Kind == Cut
			if e.Kind == Empty {
				req.System = strings.TrimSpace(system + "\n\n" + nudge)
			}
		}
	}
}

// attempt sends the request once. Its error is nil if the answer is complete and
// useful. left reports whether the consumer left the loop.
func (r retrying) attempt(ctx context.Context, req Request, yield func(Chunk, error) bool) (left bool, err error) {
	var a answer
	for c, err := range r.g.Stream(ctx, req) {
		if err != nil {
			return false, err
		}
		if c.Usage != nil {
			c.Usage = c.Usage.plausible()
		}
		if a.see(c); a.size > maxAnswer {
			return false, &Error{Kind: Invalid, Message: fmt.Sprintf("the model's answer exceeds %d MiB", maxAnswer>>20)}
		}
		if !yield(c, nil) {
			return true, nil
		}
	}
	if e := a.useless(req); e != nil {
		return false, e
	}
	return false, nil
}

// delay returns how long to wait after an attempt, counted from 1.
func (r retrying) delay(asked time.Duration, attempt int) time.Duration {
	if asked > 0 {
		asked = min(asked, longestAsked)
		return asked + time.Duration(r.o.Rand()*float64(min(asked/5, time.Second)))
	}
	step := min(firstBackoff<<min(attempt-1, 10), longestBackoff)
	return min(time.Duration((1-spread+2*spread*r.o.Rand())*float64(step)), longestBackoff)
}

// wait waits for d. It reports false if ctx ended first.
func wait(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}

// maxAnswer bounds an answer, in bytes. The longest that a model can give has
// 65,536 tokens, less than a MiB.
const maxAnswer = 16 << 20

// chunkSize is the size that is counted for an empty chunk, in bytes.
const chunkSize = 64

// answer is the part of an answer that was received so far.
type answer struct {
	size    int // in bytes
	text    strings.Builder
	called  bool
	thought bool
	blob    bool
	finish  Finish
	word    string
}

func (a *answer) see(c Chunk) {
	a.size += chunkSize
	for _, s := range c.Citations {
		a.size += len(s.Title) + len(s.URI)
	}
	for _, p := range c.Parts {
		switch p := p.(type) {
		case Text:
			a.size += len(p.Text) + len(p.Signature)
			a.text.WriteString(p.Text)
		case Thought:
			a.size += len(p.Text)
			a.thought = true
		case Blob:
			a.size += len(p.Data)
			a.blob = true
		case Call:
			a.size += len(p.Name) + len(p.Args) + len(p.Signature)
			a.called = true
		case Result:
			panic("model: a generator yielded a result")
		}
	}
	if c.Finish != "" {
		a.finish, a.word = c.Finish, c.FinishWord
	}
}

// useless returns why an answer that ended without an error is worth asking for
// again, or nil. An answer with a call is always useful, and so is a malformed call
// where there are tools: the consumer tells the model what was wrong. An empty one is,
// after results of tools.
func (a *answer) useless(req Request) *Error {
	says := a.blob || Visible(a.text.String())
	switch {
	case a.finish == "" && !a.called:
		return &Error{Kind: Cut, Message: "the response ended before it was complete"}
	case a.called:
		return nil
	case a.finish == MalformedCall && len(req.Tools) > 0:
		return nil
	case a.finish == MalformedCall:
		return &Error{Kind: Cut, Finish: a.finish, Message: "the model made a malformed call" + inWord(a.word)}
	case a.finish == Safety, says:
		return nil
	case a.thought:
		return &Error{Kind: Empty, Finish: a.finish, Message: "the model returned thoughts but no answer" + inWord(a.word)}
	case a.finish == Stop && afterTools(req):
		return nil
	}
	return &Error{Kind: Empty, Finish: a.finish, Message: "the model returned an empty answer" + inWord(a.word)}
}

// inWord returns the provider's finish reason in parentheses, unless it is a plain
// stop.
func inWord(word string) string {
	if word == "" || word == "STOP" {
		return ""
	}
	return " (" + word + ")"
}

// afterTools reports whether the request ends with results of tools.
func afterTools(req Request) bool {
	if len(req.Messages) == 0 {
		return false
	}
	for _, p := range req.Messages[len(req.Messages)-1].Parts {
		if _, ok := p.(Result); ok {
			return true
		}
	}
	return false
}

// unseen removes zero-width and directional marks.
var unseen = strings.NewReplacer("\u200b", "", "\u200c", "", "\u200d", "", "\u200e", "", "\u200f", "", "\ufeff", "")

var htmlComment = lazyregexp.New(`(?s)<!--.*?-->`)

// Visible reports whether a text has more than white space, zero-width marks and
// HTML comments.
func Visible(text string) bool {
	text = unseen.Replace(text)
	for strings.Contains(text, "<!--") {
		shorter := htmlComment.ReplaceAllString(text, "")
		if shorter == text {
			break
		}
		text = shorter
	}
	return strings.TrimSpace(text) != ""
}
