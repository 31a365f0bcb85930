package a2a

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
)

func TestUnansweredTaskEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		x := &task{ctx: ctx, cancel: cancel, posts: make(chan any, 1)}
		if _, err := x.ask(ctx, elicitation{}); !errors.Is(err, errUnanswered) || !errors.Is(context.Cause(ctx), errUnanswered) {
			t.Errorf("got %v, and the task ends with %v", err, context.Cause(ctx))
		}
	})
}
