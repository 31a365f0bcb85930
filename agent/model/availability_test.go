package model_test

import (
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
		{"a model without capacity", model.Error{Kind: model.Unavailable, Capacity: true}, 30 * time.Second},
		{"no such model", model.Error{Kind: model.NotFound}, -1},
		{"a model that the key may not use", model.Error{Kind: model.NoAccess}, -1},
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

func TestErrorSaysWhenTheQuotaResets(t *testing.T) {
	e := &model.Error{Kind: model.Quota, Status: 429, Message: "the quota is used up", ResetAt: time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC)}
	if got, want := e.Error(), "model request: the quota is used up (HTTP 429); it resets on 2 March at 08:00 UTC"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
