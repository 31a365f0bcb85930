// Package modeltest is a model for tests: a [Script] plays replies, records
// requests, and rejects those that a strict provider would reject. It starts no
// goroutine and uses only the time package's clock, so it works in testing/synctest
// bubbles. It knows no provider.
package modeltest

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/emendo-dev/emendo/agent/model"
)

// Script is a generator that plays replies, one for each request, in the order in
// which requests arrive. It is safe for concurrent use.
type Script struct {
	Replies []Reply

	// Answer answers a request when no reply is left. If it is nil the request fails
	// with kind Invalid.
	Answer func(model.Request) Reply

	// Lenient turns off the checks of requests.
	Lenient bool

	mu       sync.Mutex
	requests []model.Request
	calls    int
}

// Reply is an answer, step by step. Unless one of the steps finishes or fails,
// the answer ends with [model.Stop].
type Reply []Step

// Step is one step of an answer.
type Step struct {
	chunk model.Chunk
	err   error
	hold  <-chan struct{}
	pause time.Duration
	then  func()
}

// Say yields a text.
func Say(text string) Step { return Part(model.Text{Text: text}) }

// Think yields a thought.
func Think(text string) Step { return Part(model.Thought{Text: text}) }

// Ground yields what supports the text.
func Ground(g model.Grounding) Step { return Step{chunk: model.Chunk{Grounding: &g}} }

// Call yields a call of a tool with arguments in JSON. The ID is call-1 for the first
// call of a script, and so on.
func Call(name, args string) Step {
	return Part(model.Call{Name: name, Args: json.RawMessage(args)})
}

// Part yields any part.
func Part(p model.Part) Step { return Step{chunk: model.Chunk{Parts: []model.Part{p}}} }

// Chunk yields a chunk as it is.
func Chunk(c model.Chunk) Step { return Step{chunk: c} }

// Usage yields counts.
func Usage(u model.Usage) Step { return Step{chunk: model.Chunk{Usage: &u}} }

// Finish ends the answer for a reason.
func Finish(f model.Finish) Step { return Step{chunk: model.Chunk{Finish: f, FinishWord: string(f)}} }

// Fail ends the answer with an error of a kind.
func Fail(kind model.ErrorKind) Step {
	return FailWith(&model.Error{Kind: kind, Message: "scripted failure: " + string(kind)})
}

// FailWith ends the answer with an error.
func FailWith(err error) Step { return Step{err: err} }

// Hold waits until c is closed, or the request's context ends.
func Hold(c <-chan struct{}) Step { return Step{hold: c} }

// Pause waits for a time, or until the request's context ends.
func Pause(d time.Duration) Step { return Step{pause: d} }

// Do calls f at this step of the answer, to notify a test or to change the world.
func Do(f func()) Step { return Step{then: f} }

// Requests returns the requests so far, including rejected ones.
func (s *Script) Requests() []model.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Stream implements [model.Generator].
func (s *Script) Stream(ctx context.Context, req model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		reply, err := s.accept(req)
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		if err != nil {
			yield(model.Chunk{}, err)
			return
		}
		s.play(ctx, reply, yield)
	}
}

// accept records a request and returns its reply.
func (s *Script) accept(req model.Request) (Reply, error) {
	req.Messages, req.Tools = slices.Clone(req.Messages), slices.Clone(req.Tools)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, req)
	if !s.Lenient {
		if err := Check(req); err != nil {
			return nil, &model.Error{Kind: model.Invalid, Status: 400, Message: err.Error()}
		}
	}
	if len(s.Replies) > 0 {
		r := s.Replies[0]
		s.Replies = s.Replies[1:]
		return r, nil
	}
	if s.Answer == nil {
		return nil, &model.Error{Kind: model.Invalid, Message: fmt.Sprintf("modeltest: request %d has no reply left", len(s.requests))}
	}
	answer := s.Answer
	s.mu.Unlock() // the answer may use the script
	defer s.mu.Lock()
	return answer(req), nil
}

func (s *Script) play(ctx context.Context, reply Reply, yield func(model.Chunk, error) bool) {
	for _, step := range reply {
		if !step.wait(ctx) {
			yield(model.Chunk{}, context.Cause(ctx))
			return
		}
		switch {
		case step.then != nil:
			step.then()
		case step.err != nil:
			yield(model.Chunk{}, step.err)
			return
		case step.hold == nil && step.pause == 0:
			if !yield(s.number(step.chunk), nil) || step.chunk.Finish != "" {
				return
			}
		}
	}
	if ctx.Err() != nil {
		yield(model.Chunk{}, context.Cause(ctx))
		return
	}
	yield(model.Chunk{Finish: model.Stop, FinishWord: "STOP"}, nil)
}

// wait waits as long as the step asks for. It reports false if ctx ended first.
func (s Step) wait(ctx context.Context) bool {
	var over <-chan time.Time
	if s.pause > 0 {
		t := time.NewTimer(s.pause)
		defer t.Stop()
		over = t.C
	}
	if s.hold != nil || over != nil {
		select {
		case <-s.hold:
		case <-over:
		case <-ctx.Done():
		}
	}
	return ctx.Err() == nil
}

// number assigns IDs to the calls of a chunk.
func (s *Script) number(c model.Chunk) model.Chunk {
	c.Parts = slices.Clone(c.Parts)
	for i, p := range c.Parts {
		if call, ok := p.(model.Call); ok && call.ID == "" {
			s.mu.Lock()
			s.calls++
			call.ID = fmt.Sprintf("call-%d", s.calls)
			s.mu.Unlock()
			c.Parts[i] = call
		}
	}
	return c
}
