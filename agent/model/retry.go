package model

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"regexp"
	"strings"
	"time"
)

// How requests are repeated when RetryOptions does not say.
const (
	DefaultAttempts = 5
	firstBackoff    = time.Second
	longestBackoff  = 30 * time.Second
	longestAsked    = 5 * time.Minute // of the delays that providers ask for
	spread          = 0.3             // jitter, as a share of a delay, to both sides
)

// nudge is added to the system prompt after an empty answer.
const nudge = "Your previous answer to this had no visible text and no tool call. Answer in text now, or call a tool."

// RetryOptions tune [Retrying].
type RetryOptions struct {
	Attempts int            // how often a request is sent at most; 0: DefaultAttempts
	Rand     func() float64 // from [0, 1); nil: math/rand/v2
}

// Retrying gives a generator that repeats requests of g which fail in a way
// that may pass: temporary errors, before and in mid-stream, and answers that
// are complete and useless. It yields a Chunk with Retry set when a wait
// begins; everything before that chunk is void, a Finish included, and the
// answer starts anew. After an answer that said nothing, the next request tells
// the model so.
//
// A delay that the provider asks for is kept, up to five minutes, with a little
// jitter on top; otherwise delays double from one second to thirty, give or take
// a third, so that the default attempts outlast an overload of ten seconds.
// Ending ctx ends a wait at once.
//
// Calls are yielded as they come. That is safe for a consumer that acts on
// calls only after the stream has ended, since a stream that ended well is
// never repeated: a call that was seen makes the answer useful.
//
// Streams of one Retrying may run side by side.
func Retrying(g Generator, o RetryOptions) Generator {
	if o.Attempts <= 0 {
		o.Attempts = DefaultAttempts
	}
	if o.Rand == nil {
		o.Rand = rand.Float64
	}
	return retrying{g, o}
}

type retrying struct {
	g Generator
	o RetryOptions
}

// Stream implements [Generator].
func (r retrying) Stream(ctx context.Context, req Request) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		system := req.System
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
			delay := r.delay(e.RetryAfter, attempt)
			if !yield(Chunk{Retry: &Retry{Attempt: attempt, Of: r.o.Attempts, Delay: delay, Err: e}}, nil) {
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

// attempt sends the request once. Its error is why it failed, nil when the
// answer is whole and of use; left says that the consumer has left the loop.
func (r retrying) attempt(ctx context.Context, req Request, yield func(Chunk, error) bool) (left bool, err error) {
	var a answer
	for c, err := range r.g.Stream(ctx, req) {
		if err != nil {
			return false, err
		}
		if a.see(c); a.size > maxAnswer {
			return false, &Error{Kind: Invalid, Message: fmt.Sprintf("the model's answer has more than %d MiB and does not end", maxAnswer>>20)}
		}
		if !yield(c, nil) {
			return true, nil
		}
	}
	if e := a.useless(afterTools(req)); e != nil {
		return false, e
	}
	return false, nil
}

// delay is how long to wait after an attempt, counted from 1.
func (r retrying) delay(asked time.Duration, attempt int) time.Duration {
	if asked > 0 {
		asked = min(asked, longestAsked)
		return asked + time.Duration(r.o.Rand()*float64(min(asked/5, time.Second)))
	}
	step := min(firstBackoff<<min(attempt-1, 10), longestBackoff)
	return min(time.Duration((1-spread+2*spread*r.o.Rand())*float64(step)), longestBackoff)
}

// wait waits for d, and says whether ctx let it.
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

// maxAnswer bounds what is kept of one answer, in bytes. The longest that a model
// may give has 65,536 tokens, less than a MiB.
const maxAnswer = 16 << 20

// chunkSize is what a chunk without any content counts, in bytes.
const chunkSize = 64

// answer is what has been seen of one.
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

// useless says why an answer that ended without an error is worth asking for
// again, nil when it is not. An answer with a call is of use whatever else
// it is; one that says nothing at all is, to what tools answered.
func (a *answer) useless(afterTools bool) *Error {
	says := a.blob || Visible(a.text.String())
	switch {
	case a.finish == "" && !a.called:
		return &Error{Kind: Cut, Message: "the answer ended before it was complete"}
	case a.called:
		return nil
	case a.finish == MalformedCall:
		return &Error{Kind: Cut, Finish: a.finish, Message: "the model made a call that cannot be read" + inWord(a.word)}
	case a.finish == Safety, says:
		return nil
	case a.thought:
		return &Error{Kind: Empty, Finish: a.finish, Message: "the model thought and said nothing" + inWord(a.word)}
	case a.finish == Stop && afterTools:
		return nil
	}
	return &Error{Kind: Empty, Finish: a.finish, Message: "the model said nothing" + inWord(a.word)}
}

// inWord is the provider's word, when it says more than that the answer ended.
func inWord(word string) string {
	if word == "" || word == "STOP" {
		return ""
	}
	return " (" + word + ")"
}

// afterTools says whether the request ends with what tools answered.
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

// unseen are the marks of no width and of direction that hide in empty text.
var unseen = strings.NewReplacer("\u200b", "", "\u200c", "", "\u200d", "", "\u200e", "", "\u200f", "", "\ufeff", "")

var htmlComment = regexp.MustCompile(`(?s)<!--.*?-->`)

// Visible says whether a text has anything to see: white space, marks of no
// width and HTML comments are nothing.
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
