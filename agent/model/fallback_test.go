package model_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
)

// pair returns a chain of a strong model that the user named and a fast one.
func pair(string) []model.Link {
	return []model.Link{{Model: "strong", Role: "s"}, {Model: "fast", Role: "f"}}
}

// roles returns a chain where the choice is open: two strong models, then a fast one.
func roles(string) []model.Link {
	return []model.Link{{Model: "strong", Role: "s", Open: true}, {Model: "older", Role: "s", Open: true}, {Model: "fast", Role: "f", Open: true}}
}

func yes(context.Context, model.Fallback) bool { return true }

// turns plays turns of one request each. The models answer with their names.
type turns struct {
	o       model.FallbackOptions
	answers map[string][]modeltest.Reply // by model; then it says its name
	asked   []string                     // models, in order
}

func (w *turns) turn(ctx context.Context, steps int) (heard []string) {
	s := &modeltest.Script{Answer: func(req model.Request) modeltest.Reply {
		w.asked = append(w.asked, req.Model)
		if rs := w.answers[req.Model]; len(rs) > 0 {
			w.answers[req.Model] = rs[1:]
			return rs[0]
		}
		return modeltest.Reply{modeltest.Say(req.Model)}
	}}
	g := model.FallingBack(s, w.o)
	for range steps {
		req := question
		req.Model = "strong"
		for c, err := range g.Stream(ctx, req) {
			switch {
			case err != nil:
				heard = append(heard, "error "+string(kindOf(err)))
			case c.Fallback != nil:
				heard = append(heard, fmt.Sprintf("%s → %s: %s", c.Fallback.From, c.Fallback.To, c.Fallback.Err.Kind))
			case c.Retry != nil:
				heard = append(heard, "retry")
			}
			for _, p := range c.Parts {
				heard = append(heard, "say "+p.(model.Text).Text)
			}
		}
	}
	return heard
}

func TestFallingBack(t *testing.T) {
	fail := func(kinds ...model.ErrorKind) (rs []modeltest.Reply) {
		for _, k := range kinds {
			rs = append(rs, modeltest.Reply{modeltest.FailWith(&model.Error{Kind: k, Status: 503, Message: "scripted"})})
		}
		return rs
	}
	down := fail(model.Unavailable, model.Unavailable)
	for _, tt := range []struct {
		name    string
		o       model.FallbackOptions
		answers map[string][]modeltest.Reply
		want    string
		asked   string
	}{
		{name: "a model that works", o: model.FallbackOptions{Chain: pair, Permit: yes}, want: "say strong", asked: "strong"},
		{
			name: "one that fails once", o: model.FallbackOptions{Chain: pair, Permit: yes}, answers: map[string][]modeltest.Reply{"strong": fail(model.Unavailable)},
			want: "retry, say strong", asked: "strong strong",
		},
		{
			name: "one that fails as often as it may", o: model.FallbackOptions{Chain: pair, Permit: yes}, answers: map[string][]modeltest.Reply{"strong": down},
			want: "retry, strong → fast: unavailable, say fast", asked: "strong strong fast",
		},
		{
			name: "a quota that is used up is not tried again", o: model.FallbackOptions{Chain: pair, Permit: yes}, answers: map[string][]modeltest.Reply{"strong": fail(model.Quota)},
			want: "strong → fast: quota, say fast", asked: "strong fast",
		},
		{
			name: "a model that the user named and that does not exist", o: model.FallbackOptions{Chain: pair, Permit: yes}, answers: map[string][]modeltest.Reply{"strong": fail(model.NotFound)},
			want: "error not_found", asked: "strong",
		},
		{
			name: "one that emendo chose is replaced without a question", o: model.FallbackOptions{Chain: roles}, answers: map[string][]modeltest.Reply{"strong": fail(model.NotFound)},
			want: "strong → older: not_found, say older", asked: "strong older",
		},
		{
			name: "as is one that the key has no access to", o: model.FallbackOptions{Chain: roles}, answers: map[string][]modeltest.Reply{"strong": fail(model.NoAccess), "older": fail(model.NotFound)},
			want: "strong → older: no_access, older → fast: not_found, say fast", asked: "strong older fast",
		},
		{
			name: "one that is known to be gone is passed over in silence", o: model.FallbackOptions{Chain: roles, Availability: without("strong", model.NoAccess)},
			want: "say older", asked: "older",
		},
		{
			name: "a key without access to any model is refused", o: model.FallbackOptions{Chain: roles}, answers: map[string][]modeltest.Reply{"strong": fail(model.NoAccess), "older": fail(model.NoAccess), "fast": fail(model.NoAccess)},
			want: "strong → older: no_access, older → fast: no_access, error auth", asked: "strong older fast",
		},
		{
			name: "no model is left", o: model.FallbackOptions{Chain: roles}, answers: map[string][]modeltest.Reply{"strong": fail(model.NoAccess), "older": fail(model.NoAccess), "fast": fail(model.NotFound)},
			want: "strong → older: no_access, older → fast: no_access, error not_found", asked: "strong older fast",
		},
		{
			name: "a used-up quota leads to another role, with permission", o: model.FallbackOptions{Chain: roles, Permit: yes}, answers: map[string][]modeltest.Reply{"strong": fail(model.Quota)},
			want: "strong → fast: quota, say fast", asked: "strong fast",
		},
		{
			name: "and to none without", o: model.FallbackOptions{Chain: roles}, answers: map[string][]modeltest.Reply{"strong": fail(model.Quota)},
			want: "error quota", asked: "strong",
		},
		{
			name: "attempts are what the setting says, whoever may take over", o: model.FallbackOptions{Chain: roles, Permit: yes, Retry: model.RetryOptions{Attempts: 3}},
			answers: map[string][]modeltest.Reply{"strong": fail(model.Unavailable, model.Unavailable, model.Unavailable)},
			want:    "retry, retry, strong → fast: unavailable, say fast", asked: "strong strong strong fast",
		},
		{
			name: "what was said before is void", o: model.FallbackOptions{Chain: pair, Permit: yes},
			answers: map[string][]modeltest.Reply{"strong": {{modeltest.Say("half"), modeltest.Fail(model.Quota)}}},
			want:    "say half, strong → fast: quota, say fast", asked: "strong fast",
		},
		{
			name: "without permission the failure is told", o: model.FallbackOptions{Chain: pair}, answers: map[string][]modeltest.Reply{"strong": fail(model.Quota)},
			want: "error quota", asked: "strong",
		},
		{
			name: "no chain, no other model", o: model.FallbackOptions{Permit: yes}, answers: map[string][]modeltest.Reply{"strong": fail(model.Quota)},
			want: "error quota", asked: "strong",
		},
		{
			name: "refused credentials are refused for every model", o: model.FallbackOptions{Chain: pair, Permit: yes}, answers: map[string][]modeltest.Reply{"strong": fail(model.Auth)},
			want: "error auth", asked: "strong",
		},
		{
			name: "a broken stream is no reason", o: model.FallbackOptions{Chain: pair, Permit: yes}, answers: map[string][]modeltest.Reply{"strong": fail(model.Cut, model.Cut)},
			want: "retry, error cut", asked: "strong strong",
		},
		{
			name: "both fail", o: model.FallbackOptions{Chain: pair, Permit: yes},
			answers: map[string][]modeltest.Reply{"strong": fail(model.Quota), "fast": fail(model.Quota)},
			want:    "strong → fast: quota, error quota", asked: "strong fast",
		},
		{
			name: "a model that is passed over", o: model.FallbackOptions{Permit: yes, Chain: func(string) []model.Link { return append(pair(""), model.Link{Model: "spare"}) }, Availability: without("fast", model.Quota)},
			answers: map[string][]modeltest.Reply{"strong": fail(model.Quota)},
			want:    "strong → spare: quota, say spare", asked: "strong spare",
		},
		{
			name: "a last resort without capacity is asked all the same", o: model.FallbackOptions{Chain: pair, Permit: yes, Availability: without("fast", model.RateLimited)},
			answers: map[string][]modeltest.Reply{"strong": fail(model.Quota)},
			want:    "strong → fast: quota, say fast", asked: "strong fast",
		},
		{
			name: "one whose quota is used up is not", o: model.FallbackOptions{Chain: pair, Permit: yes, Availability: without("fast", model.Quota)},
			answers: map[string][]modeltest.Reply{"strong": fail(model.Quota)},
			want:    "error quota", asked: "strong",
		},
		{
			name: "a model known to be down costs no request", o: model.FallbackOptions{Chain: pair, Permit: yes, Availability: without("strong", model.Quota)},
			want: "strong → fast: quota, say fast", asked: "fast",
		},
		{
			name: "unless no other may take over", o: model.FallbackOptions{Chain: pair, Availability: without("strong", model.Quota)},
			want: "say strong", asked: "strong",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				if tt.o.Retry.Attempts == 0 {
					tt.o.Retry.Attempts = 2
				}
				tt.o.Retry.Rand = func() float64 { return 0.5 }
				w := &turns{o: tt.o, answers: tt.answers}
				if d := cmp.Diff(tt.want, strings.Join(w.turn(t.Context(), 1), ", ")); d != "" {
					t.Errorf("heard something else (-want +got):\n%s", d)
				}
				if d := cmp.Diff(tt.asked, strings.Join(w.asked, " ")); d != "" {
					t.Errorf("asked other models (-want +got):\n%s", d)
				}
			})
		})
	}
}

// without returns an Availability in which one model is down.
func without(name string, kind model.ErrorKind) *model.Availability {
	a := model.NewAvailability(func() time.Time { return time.Time{} })
	a.Failed(name, &model.Error{Kind: kind, Status: 429})
	return a
}

func TestFallingBackOverTurns(t *testing.T) {
	unavailable := modeltest.Reply{modeltest.FailWith(&model.Error{Kind: model.Unavailable, Status: 503})}
	usedUp := modeltest.Reply{modeltest.Fail(model.Quota)}
	for _, tt := range []struct {
		name  string
		auto  bool
		fails []modeltest.Reply // of the strong model
		want  []string          // what each of three turns of two steps hears
	}{
		{
			name: "the next turn of an automatic choice begins with the strong model", auto: true,
			fails: []modeltest.Reply{unavailable, unavailable, unavailable},
			want:  []string{"retry, retry, strong → fast: unavailable, say fast, say fast", "say strong, say strong", "say strong, say strong"},
		},
		{
			name: "a used-up quota lasts, and is told in each turn", auto: true, fails: []modeltest.Reply{usedUp},
			want: []string{
				"strong → fast: quota, say fast, say fast", "strong → fast: quota, say fast, say fast",
				"strong → fast: quota, say fast, say fast",
			},
		},
		{
			name: "a model without capacity is left alone for half a minute", fails: []modeltest.Reply{unavailable, unavailable, unavailable},
			want: []string{
				"retry, retry, strong → fast: unavailable, say fast, say fast", "strong → fast: unavailable, say fast, say fast",
				"say strong, say strong",
			},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &turns{answers: map[string][]modeltest.Reply{"strong": tt.fails}}
				w.o = model.FallbackOptions{
					Permit: yes, Availability: model.NewAvailability(nil), Retry: model.RetryOptions{Attempts: 3, Rand: func() float64 { return 0.5 }},
					Chain: func(string) []model.Link {
						return []model.Link{{Model: "strong", Role: "s", Retried: tt.auto}, {Model: "fast", Role: "f"}}
					},
				}
				var got []string
				for range 3 {
					got = append(got, strings.Join(w.turn(t.Context(), 2), ", "))
					time.Sleep(20 * time.Second)
				}
				if d := cmp.Diff(tt.want, got); d != "" {
					t.Errorf("heard something else (-want +got):\n%s", d)
				}
			})
		})
	}
}

func TestPermissionIsAskedOnceATurn(t *testing.T) {
	var asked []model.Fallback
	reset := time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC)
	w := &turns{
		o: model.FallbackOptions{Chain: pair, Permit: func(_ context.Context, f model.Fallback) bool {
			asked = append(asked, f)
			return false
		}},
		answers: map[string][]modeltest.Reply{"strong": {
			{modeltest.FailWith(&model.Error{Kind: model.Quota, ResetAt: reset})},
			{modeltest.Fail(model.Quota)},
		}},
	}
	if got := strings.Join(w.turn(t.Context(), 3), ", "); got != "error quota, error quota, say strong" {
		t.Errorf("heard %s", got)
	}
	if len(asked) != 1 || asked[0].From != "strong" || asked[0].To != "fast" || !asked[0].Err.ResetAt.Equal(reset) {
		t.Errorf("asked for %+v", asked)
	}
}

func TestFallingBackListensToItsContext(t *testing.T) {
	why := errors.New("the user pressed escape")
	ctx, cancel := context.WithCancelCause(t.Context())
	s := &modeltest.Script{Replies: []modeltest.Reply{{modeltest.Do(func() { cancel(why) }), modeltest.Fail(model.Quota)}}}
	var last error
	for _, err := range model.FallingBack(s, model.FallbackOptions{Chain: pair, Permit: yes}).Stream(ctx, question) {
		last = err
	}
	if !errors.Is(last, why) || len(s.Requests()) != 1 {
		t.Errorf("ended with %v after %d requests", last, len(s.Requests()))
	}
}

func TestCancelDuringAQuestion(t *testing.T) {
	why := errors.New("the user pressed escape")
	ctx, cancel := context.WithCancelCause(t.Context())
	g := model.FallingBack(&modeltest.Script{Replies: []modeltest.Reply{{modeltest.Fail(model.Quota)}}}, model.FallbackOptions{
		Chain: pair, Permit: func(context.Context, model.Fallback) bool { cancel(why); return false },
	})
	var last error
	for _, err := range g.Stream(ctx, question) {
		last = err
	}
	if !errors.Is(last, why) {
		t.Errorf("ended with %v", last)
	}
}

func TestFallingBackStopsWhenTheConsumerLeaves(t *testing.T) {
	for name, leave := range map[string]func(model.Chunk) bool{
		"at a word":     func(c model.Chunk) bool { return len(c.Parts) > 0 },
		"at the change": func(c model.Chunk) bool { return c.Fallback != nil },
	} {
		t.Run(name, func(t *testing.T) {
			s := &modeltest.Script{Replies: []modeltest.Reply{{modeltest.Say("a"), modeltest.Fail(model.Quota)}}}
			for c := range model.FallingBack(s, model.FallbackOptions{Chain: pair, Permit: yes}).Stream(t.Context(), question) {
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
