package model_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
)

// question is an arbitrary request; answered is one that ends with a tool
// result.
var (
	question = model.Request{Messages: []model.Message{{Role: model.User, Parts: []model.Part{model.Text{Text: "hi"}}}}}
	answered = model.Request{Messages: []model.Message{
		{Role: model.User, Parts: []model.Part{model.Text{Text: "hi"}}},
		{Role: model.Model, Parts: []model.Part{model.Call{ID: "1", Name: "f", Args: []byte(`{}`)}}},
		{Role: model.User, Parts: []model.Part{model.Result{CallID: "1", Name: "f", Output: "ok"}}},
	}}
)

// heard returns what a consumer of a stream sees, one item a line.
func heard(ctx context.Context, g model.Generator, req model.Request) []string {
	var out []string
	for c, err := range g.Stream(ctx, req) {
		switch {
		case err != nil:
			var e *model.Error
			if errors.As(err, &e) {
				out = append(out, "error "+string(e.Kind))
			} else {
				out = append(out, "error: "+err.Error())
			}
			continue
		case c.Retry != nil:
			out = append(out, fmt.Sprintf("retry %d in %v: %s", c.Retry.Attempt, c.Retry.Delay, c.Retry.Err.Kind))
		}
		for _, p := range c.Parts {
			switch p := p.(type) {
			case model.Text:
				out = append(out, "say "+p.Text)
			case model.Thought:
				out = append(out, "think "+p.Text)
			case model.Call:
				out = append(out, "call "+p.Name)
			case model.Blob:
				out = append(out, "blob")
			}
		}
		if c.Finish != "" {
			out = append(out, string(c.Finish))
		}
	}
	return out
}

func TestRetrying(t *testing.T) {
	say, think, call, finish := modeltest.Say, modeltest.Think, modeltest.Call, modeltest.Finish
	throttled := func(after time.Duration) modeltest.Step {
		return modeltest.FailWith(&model.Error{Kind: model.RateLimited, Message: "slow down", RetryAfter: after})
	}
	for _, tt := range []struct {
		name    string
		req     *model.Request // nil: question
		replies []modeltest.Reply
		want    []string
		took    time.Duration
	}{
		{name: "a good answer is asked for once", replies: []modeltest.Reply{{say("a")}}, want: []string{"say a", "stop"}},
		{
			name: "a failure before the stream", replies: []modeltest.Reply{{modeltest.Fail(model.Unavailable)}, {say("a")}},
			want: []string{"retry 1 in 1s: unavailable", "say a", "stop"}, took: time.Second,
		},
		{
			name: "a failure in mid-stream voids what was said", replies: []modeltest.Reply{{say("a"), modeltest.Fail(model.Cut)}, {say("b")}},
			want: []string{"say a", "retry 1 in 1s: cut", "say b", "stop"}, took: time.Second,
		},
		{
			name:    "delays double, and the fifth failure is the last",
			replies: []modeltest.Reply{{modeltest.Fail(model.Unavailable)}, {modeltest.Fail(model.Unavailable)}, {modeltest.Fail(model.Unavailable)}, {modeltest.Fail(model.Unavailable)}, {modeltest.Fail(model.Unavailable)}, {say("never")}},
			want: []string{
				"retry 1 in 1s: unavailable", "retry 2 in 2s: unavailable", "retry 3 in 4s: unavailable",
				"retry 4 in 8s: unavailable", "error unavailable",
			}, took: 15 * time.Second,
		},
		{
			name: "a delay that was asked for is kept, with jitter on top", replies: []modeltest.Reply{{throttled(3 * time.Second)}, {say("a")}},
			want: []string{"retry 1 in 3.3s: rate_limited", "say a", "stop"}, took: 3300 * time.Millisecond,
		},
		{
			name: "it is kept up to five minutes", replies: []modeltest.Reply{{throttled(time.Hour)}, {say("a")}},
			want: []string{"retry 1 in 5m0.5s: rate_limited", "say a", "stop"}, took: 5*time.Minute + 500*time.Millisecond,
		},
		{name: "a refused key is not tried again", replies: []modeltest.Reply{{modeltest.Fail(model.Auth)}}, want: []string{"error auth"}},
		{name: "nor a request that is refused as it is", replies: []modeltest.Reply{{modeltest.Fail(model.Invalid)}}, want: []string{"error invalid"}},
		{name: "nor one that is too large", replies: []modeltest.Reply{{modeltest.Fail(model.Overflow)}}, want: []string{"error overflow"}},
		{name: "nor one for a model that there is not", replies: []modeltest.Reply{{modeltest.Fail(model.NotFound)}}, want: []string{"error not_found"}},
		{name: "nor a prompt that is refused", replies: []modeltest.Reply{{modeltest.Fail(model.Blocked)}}, want: []string{"error blocked"}},
		{name: "nor is a server believed that is not trusted", replies: []modeltest.Reply{{modeltest.Fail(model.TLS)}}, want: []string{"error tls"}},
		{name: "nor is a used-up quota", replies: []modeltest.Reply{{modeltest.Fail(model.Quota)}}, want: []string{"error quota"}},
		{name: "nor an error of an unknown kind", replies: []modeltest.Reply{{modeltest.FailWith(errors.New("bug"))}}, want: []string{"error: bug"}},
		{
			name: "an empty answer", replies: []modeltest.Reply{{finish(model.Stop)}, {say("a")}},
			want: []string{"stop", "retry 1 in 1s: empty", "say a", "stop"}, took: time.Second,
		},
		{
			name: "marks and comments are nothing to see", replies: []modeltest.Reply{{say("\u200b<!-- no"), say("pe --> \n")}, {say("a")}},
			want: []string{"say \u200b<!-- no", "say pe --> \n", "stop", "retry 1 in 1s: empty", "say a", "stop"}, took: time.Second,
		},
		{
			name: "thoughts alone", replies: []modeltest.Reply{{think("hm")}, {think("hm"), say("a")}},
			want: []string{"think hm", "stop", "retry 1 in 1s: empty", "think hm", "say a", "stop"}, took: time.Second,
		},
		{name: "silence after tools is an answer", req: &answered, replies: []modeltest.Reply{{finish(model.Stop)}}, want: []string{"stop"}},
		{
			name: "thoughts alone after tools are none", req: &answered, replies: []modeltest.Reply{{think("hm")}, {say("a")}},
			want: []string{"think hm", "stop", "retry 1 in 1s: empty", "say a", "stop"}, took: time.Second,
		},
		{
			name: "out of tokens before a word", replies: []modeltest.Reply{{finish(model.MaxTokens)}, {say("a"), finish(model.MaxTokens)}},
			want: []string{"max_tokens", "retry 1 in 1s: empty", "say a", "max_tokens"}, took: time.Second,
		},
		{
			name: "a malformed call", replies: []modeltest.Reply{{say("a"), finish(model.MalformedCall)}, {call("f", `{}`)}},
			want: []string{"say a", "malformed_call", "retry 1 in 1s: cut", "call f", "stop"}, took: time.Second,
		},
		{name: "a malformed call beside a good one", replies: []modeltest.Reply{{call("f", `{}`), finish(model.MalformedCall)}}, want: []string{"call f", "malformed_call"}},
		{name: "a call alone says enough", replies: []modeltest.Reply{{call("f", `{}`)}}, want: []string{"call f", "stop"}},
		{
			name: "a call in a stream that breaks", replies: []modeltest.Reply{{call("f", `{}`), modeltest.Fail(model.Cut)}, {call("g", `{}`)}},
			want: []string{"call f", "retry 1 in 1s: cut", "call g", "stop"}, took: time.Second,
		},
		{name: "an unsafe answer is final", replies: []modeltest.Reply{{finish(model.Safety)}}, want: []string{"safety"}},
		{name: "a picture is an answer", replies: []modeltest.Reply{{modeltest.Part(model.Blob{MIME: "image/png", Data: []byte{1}})}}, want: []string{"blob", "stop"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &modeltest.Script{Replies: tt.replies}
				g := model.FallingBack(s, model.FallbackOptions{Retry: model.RetryOptions{Rand: func() float64 { return 0.5 }}})
				req := question
				if tt.req != nil {
					req = *tt.req
				}
				started := time.Now()
				got := heard(t.Context(), g, req)
				if d := cmp.Diff(tt.want, got); d != "" {
					t.Errorf("heard something else (-want +got):\n%s", d)
				}
				if took := time.Since(started); took != tt.took {
					t.Errorf("took %v, want %v", took, tt.took)
				}
			})
		})
	}
}

func TestRetryDelaysAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &modeltest.Script{Answer: func(model.Request) modeltest.Reply { return modeltest.Reply{modeltest.Fail(model.Unavailable)} }}
		g := model.FallingBack(s, model.FallbackOptions{Retry: model.RetryOptions{Attempts: 100, Rand: func() float64 { return 0.999 }}})
		n := 0
		for c, err := range g.Stream(t.Context(), question) {
			if err == nil && c.Retry != nil {
				n++
				if d := c.Retry.Delay; d < 500*time.Millisecond || d > 30*time.Second {
					t.Errorf("attempt %d waits %v", c.Retry.Attempt, d)
				}
			}
		}
		if n != 99 {
			t.Errorf("%d retries, want 99", n)
		}
	})
}

func TestEmptyAnswerIsSentToTheModel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &modeltest.Script{Replies: []modeltest.Reply{{modeltest.Think("hm")}, {modeltest.Fail(model.Cut)}, {modeltest.Say("a")}}}
		req := question
		req.System = "be brief"
		heard(t.Context(), model.FallingBack(s, model.FallbackOptions{Retry: model.RetryOptions{}}), req)
		reqs := s.Requests()
		if reqs[0].System != "be brief" || reqs[2].System != "be brief" {
			t.Errorf("%q, then %q", reqs[0].System, reqs[2].System)
		}
		if reqs[0].Again || !reqs[1].Again || !reqs[2].Again {
			t.Errorf("a request that is repeated because the answer was of no use does not say so")
		}
		if got := reqs[1].System; !strings.HasPrefix(got, "be brief\n\n") || !strings.Contains(got, "no visible text") {
			t.Errorf("after an empty answer the model is told %q", got)
		}
	})
}

func TestRetryCanBeCancelledWhileWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		why := errors.New("the user pressed escape")
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		s := &modeltest.Script{Replies: []modeltest.Reply{{modeltest.FailWith(&model.Error{Kind: model.RateLimited, RetryAfter: time.Minute})}}}
		time.AfterFunc(10*time.Second, func() { cancel(why) })
		started := time.Now()
		var last error
		for _, err := range model.FallingBack(s, model.FallbackOptions{Retry: model.RetryOptions{}}).Stream(ctx, question) {
			last = err
		}
		if took := time.Since(started); !errors.Is(last, why) || took != 10*time.Second {
			t.Errorf("ended with %v after %v", last, took)
		}
		if n := len(s.Requests()); n != 1 {
			t.Errorf("%d requests", n)
		}
	})
}

func TestRetryStopsWhenTheConsumerLeaves(t *testing.T) {
	for name, leave := range map[string]func(model.Chunk) bool{
		"at a word":     func(c model.Chunk) bool { return len(c.Parts) > 0 },
		"at the notice": func(c model.Chunk) bool { return c.Retry != nil },
	} {
		t.Run(name, func(t *testing.T) {
			s := &modeltest.Script{Replies: []modeltest.Reply{{modeltest.Say("a"), modeltest.Fail(model.Cut)}}}
			for c := range model.FallingBack(s, model.FallbackOptions{Retry: model.RetryOptions{}}).Stream(t.Context(), question) {
				if leave(c) {
					break
				}
			}
			if n := len(s.Requests()); n != 1 {
				t.Errorf("%d requests", n)
			}
		})
	}
}

func TestVisible(t *testing.T) {
	for text, want := range map[string]bool{
		"": false, " \n\t": false, "\ufeff\u200e": false, "<!-- a -->": false, "<!--a--><!--\nb-->": false,
		"<!-<!-- x -->- y -->": false, "a": true, "<!-- open": true, "<!-- a --> b": true, "0": true, "😀": true,
	} {
		if got := model.Visible(text); got != want {
			t.Errorf("Visible(%q) = %v", text, got)
		}
	}
}

// TestTenSecondOverloadIsRetried checks that the default attempts outlast an
// overload of ten seconds, with any jitter.
func TestTenSecondOverloadIsRetried(t *testing.T) {
	for _, luck := range []float64{0, 0.5, 0.999} {
		synctest.Test(t, func(t *testing.T) {
			begun := time.Now()
			s := &modeltest.Script{Answer: func(model.Request) modeltest.Reply {
				if time.Since(begun) < 10*time.Second {
					return modeltest.Reply{modeltest.Fail(model.Unavailable)}
				}
				return modeltest.Reply{modeltest.Say("a")}
			}}
			got := heard(t.Context(), model.FallingBack(s, model.FallbackOptions{Retry: model.RetryOptions{Rand: func() float64 { return luck }}}), question)
			if last := got[len(got)-1]; last != "stop" {
				t.Errorf("with jitter at %v it ends with %s after %v", luck, last, time.Since(begun))
			}
		})
	}
}

// An endless answer is cancelled and not retried.
func TestEndlessAnswerIsCancelled(t *testing.T) {
	long := strings.Repeat("more ", 1<<16)
	for name, chunk := range map[string]model.Chunk{
		"text":      {Parts: []model.Part{model.Text{Text: long}}},
		"thoughts":  {Parts: []model.Part{model.Thought{Text: long}}},
		"calls":     {Parts: []model.Part{model.Call{ID: "1", Name: "f", Args: []byte(`{"a":"` + long + `"}`)}}},
		"blobs":     {Parts: []model.Part{model.Blob{MIME: "image/png", Data: []byte(long)}}},
		"citations": {Citations: []model.Citation{{URI: long}}},
		"nothing":   {},
	} {
		t.Run(name, func(t *testing.T) {
			var chunks, streams int
			g := model.FallingBack(endless{chunk, &streams}, model.FallbackOptions{Retry: model.RetryOptions{}})
			var last error
			for c, err := range g.Stream(t.Context(), question) {
				if last = err; c.Retry != nil {
					t.Fatal("it is asked for again")
				}
				chunks++
			}
			var e *model.Error
			if !errors.As(last, &e) || e.Kind != model.Invalid || streams != 1 {
				t.Errorf("after %d chunks of %d streams: %v", chunks, streams, last)
			}
		})
	}
}

// endless is a model whose answer does not end.
type endless struct {
	chunk   model.Chunk
	streams *int
}

func (e endless) Stream(context.Context, model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		*e.streams++
		for yield(e.chunk, nil) {
		}
	}
}

// A server that counts wrongly neither extends a budget nor overflows a sum.
func TestImpossibleCounts(t *testing.T) {
	m := &modeltest.Script{Replies: []modeltest.Reply{{
		modeltest.Say("hello"), modeltest.Usage(model.Usage{Input: -1 << 40, Output: math.MaxInt64, Cached: 3, Total: math.MinInt64}),
	}}}
	var got model.Usage
	for c, err := range model.FallingBack(m, model.FallbackOptions{Retry: model.RetryOptions{}}).Stream(t.Context(), question) {
		if err != nil {
			t.Fatal(err)
		}
		if c.Usage != nil {
			got = *c.Usage
		}
	}
	if want := (model.Usage{Output: 1e9, Cached: 3}); got != want {
		t.Errorf("counted %+v, want %+v", got, want)
	}
}

// A date in a year that is not this one has its year.
func TestADistantReset(t *testing.T) {
	e := &model.Error{Kind: model.Quota, Message: "the quota is used up", ResetAt: time.Date(2318, 3, 9, 3, 53, 0, 0, time.UTC)}
	if got, want := e.Error(), "model request: the quota is used up; it resets on 9 March 2318 at 03:53 UTC"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
