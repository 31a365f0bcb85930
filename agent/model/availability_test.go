package model_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/emendo-dev/emendo/agent/model"
)

func TestAvailability(t *testing.T) {
	begin := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name string
		err  model.Error
		down time.Duration // from the failure on; 0: never; -1: for good
	}{
		{"a quota that says when it comes back", model.Error{Kind: model.Quota, ResetAt: begin.Add(5 * time.Hour)}, 5 * time.Hour},
		{"a quota that does not", model.Error{Kind: model.Quota}, time.Hour},
		{"a quota that is back already", model.Error{Kind: model.Quota, ResetAt: begin.Add(-time.Second)}, time.Hour},
		{"too many requests", model.Error{Kind: model.RateLimited}, 30 * time.Second},
		{"too many requests, and a long wait", model.Error{Kind: model.RateLimited, RetryAfter: time.Minute}, time.Minute},
		{"a service that answers that it cannot", model.Error{Kind: model.Unavailable, Status: 503}, 30 * time.Second},
		{"a model without room", model.Error{Kind: model.Unavailable, Capacity: true}, 30 * time.Second},
		{"no such model", model.Error{Kind: model.NotFound}, -1},
		{"no way to the provider", model.Error{Kind: model.Unavailable}, 0},
		{"refused credentials", model.Error{Kind: model.Auth}, 0},
		{"a broken stream", model.Error{Kind: model.Cut}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			now := begin
			a := model.NewAvailability(func() time.Time { return now })
			a.Failed("models/m", &tt.err)
			if got := a.Down("m") != nil; got != (tt.down != 0) {
				t.Fatalf("down: %v", got)
			}
			if a.Down("n") != nil {
				t.Error("another model is down")
			}
			if tt.down > 0 {
				now = begin.Add(tt.down - 1)
				if a.Down("m") != &tt.err {
					t.Error("it is up too early")
				}
				now = begin.Add(tt.down)
				if a.Down("m") != nil {
					t.Errorf("it is down after %v", tt.down)
				}
			}
			if tt.down < 0 {
				now = begin.Add(1000 * time.Hour)
				if a.Down("m") == nil {
					t.Error("it came back")
				}
				a.Answered("m")
				if a.Down("m") != nil {
					t.Error("it answered and is down")
				}
			}
		})
	}
}

func TestChain(t *testing.T) {
	for _, tt := range []struct {
		name, model string
		auto        bool
		want        string
	}{
		{"the strong one first, and again in the next turn", "gemini-3-pro-preview", true, "gemini-3-pro-preview×3 anew, gemini-3-flash-preview×10"},
		{"a newer strong one stands in its place", "gemini-3.1-pro-preview", true, "gemini-3.1-pro-preview×3 anew, gemini-3-flash-preview×10"},
		{"the one of a routing that chose the fast one", "gemini-3-flash-preview", true, "gemini-3-flash-preview×10, gemini-3.1-pro-preview×3 anew"},
		{"of the same family", "gemini-2.5-pro", true, "gemini-2.5-pro×3 anew, gemini-2.5-flash×10"},
		{"a model of Gemini 3 that the user named", "gemini-3-pro-preview", false, "gemini-3-pro-preview, gemini-3-flash-preview×10"},
		{"a fast one that the user named", "gemini-3.5-flash", false, "gemini-3.5-flash×10, gemini-3.1-pro-preview"},
		{"an older one that the user named stands alone", "gemini-2.5-pro", false, "gemini-2.5-pro"},
		{"the smallest one", "gemini-3.1-flash-lite", false, "gemini-3.1-flash-lite, gemini-3-flash-preview×10, gemini-3.1-pro-preview"},
		{"the smallest of the older ones", "gemini-2.5-flash-lite", false, "gemini-2.5-flash-lite, gemini-2.5-flash×10, gemini-2.5-pro"},
		{"a model of another kind stands alone", "gemma-4-31b-it", true, "gemma-4-31b-it"},
		{"a name with a path", "models/gemini-3-pro-preview", false, "models/gemini-3-pro-preview, gemini-3-flash-preview×10"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := ""
			for i, l := range model.Chain(tt.model, tt.auto) {
				if i > 0 {
					got += ", "
				}
				got += l.Model
				if l.Attempts > 0 {
					got += fmt.Sprintf("×%d", l.Attempts)
				}
				if l.Anew {
					got += " anew"
				}
			}
			if got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestAnErrorTellsWhenTheQuotaComesBack(t *testing.T) {
	e := &model.Error{Kind: model.Quota, Status: 429, Message: "the quota is used up", ResetAt: time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC)}
	if got, want := e.Error(), "model request: the quota is used up (HTTP 429); it comes back on 2 March at 08:00 UTC"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
