package model

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"time"
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

// How long a server may take to load a model, and how often it is asked meanwhile.
const (
	LongestLoad  = 10 * time.Minute
	firstLook    = time.Second
	longestLook  = 5 * time.Second
	lookSlowdown = 2 // of the time between two requests
)

// RetryOptions tune how [FallingBack] repeats requests.
type RetryOptions struct {
	Attempts int            // the maximum number of requests; 0: DefaultAttempts
	Rand     func() float64 // from [0, 1); nil: math/rand/v2
}

// attempts decides whether a request that failed is sent again.
type attempts struct {
	o        RetryOptions
	system   string    // of the first request
	n        int       // that failed, without those that found the model loading
	answered int       // of these, how many were answered and charged for
	begun    time.Time // the attempt; zero: it has not
	pause    time.Duration
}

func newAttempts(o RetryOptions, req Request) *attempts {
	if o.Attempts <= 0 {
		o.Attempts = DefaultAttempts
	}
	if o.Rand == nil {
		o.Rand = rand.Float64
	}
	return &attempts{o: o, system: req.System}
}

// begin notes that the request is sent.
func (r *attempts) begin() {
	if r.begun.IsZero() {
		r.begun, r.pause = time.Now(), firstLook
	}
}

// after returns how a request is repeated after an error, and prepares it. It reports
// false if it is not repeated.
func (r *attempts) after(err error, req *Request) (Retry, bool) {
	e, ok := errors.AsType[*Error](err)
	if !ok {
		return Retry{}, false
	}
	if e.Loading && time.Since(r.begun) < LongestLoad {
		next := Retry{Loading: true, Delay: r.pause, Err: e}
		r.pause = min(lookSlowdown*r.pause, longestLook)
		return next, true
	}
	r.begun = time.Time{}
	r.n++
	of := r.o.Attempts
	if !e.Temporary() || r.n >= of {
		return Retry{}, false
	}
	if e.lasting() {
		if of = min(of, r.n+repeats-r.answered); of == r.n {
			return Retry{}, false
		}
		r.answered++
	}
	req.System = r.system
	req.Again = e.Kind == Empty || e.Kind == Cut
	if e.Kind == Empty {
		req.System = strings.TrimSpace(r.system + "\n\n" + nudge)
	}
	return Retry{Attempt: r.n, Of: of, Delay: r.delay(e.RetryAfter, r.n), Err: e}, true
}

// isShown reports whether the reader gets a chunk for a repetition: of those that wait for
// a model to load, the first.
func (r Retry) isShown() bool { return !r.Loading || r.Delay == firstLook }

// delay returns how long to wait after an attempt, counted from 1.
func (r *attempts) delay(asked time.Duration, attempt int) time.Duration {
	if asked > 0 {
		asked = min(asked, longestAsked)
		return asked + time.Duration(r.o.Rand()*float64(min(asked/5, time.Second)))
	}
	step := min(firstBackoff<<min(attempt-1, 10), longestBackoff)
	return min(time.Duration((1-spread+2*spread*r.o.Rand())*float64(step)), longestBackoff)
}

// Wait waits for d. It reports false if ctx ended first.
func Wait(ctx context.Context, d time.Duration) bool {
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

// add takes the next chunk. Its error means that the answer is too long.
func (a *answer) add(c *Chunk) error {
	if c.Usage != nil {
		c.Usage = c.Usage.plausible()
	}
	a.size += chunkSize
	for _, s := range c.Citations {
		a.size += len(s.Title) + len(s.URI)
	}
	for _, p := range c.Parts {
		a.size += Size(p)
		switch p := p.(type) {
		case Text:
			a.text.WriteString(p.Text)
		case Thought:
			a.thought = true
		case Blob:
			a.blob = true
		case Call:
			a.called = true
		case Result:
			panic("model: a generator yielded a result")
		}
	}
	if c.Finish != "" {
		a.finish, a.word = c.Finish, c.FinishWord
	}
	if a.size > maxAnswer {
		return &Error{Kind: Invalid, Message: fmt.Sprintf("the model's answer exceeds %d MiB", maxAnswer>>20)}
	}
	return nil
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

var htmlComment = regexp.MustCompile(`(?s)<!--.*?-->`)

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
