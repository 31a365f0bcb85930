package terminal

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
)

func TestRecentOutputIsFollowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := NewRecent(100)
		var read strings.Builder
		go func() {
			for at, err := int64(0), error(nil); err == nil; {
				var b []byte
				b, at, err = r.From(t.Context(), at)
				read.Write(b)
			}
		}()
		for _, s := range []string{"one\n", "tw", "o\n"} {
			_, _ = r.Write([]byte(s))
			synctest.Wait()
		}
		r.End()
		synctest.Wait()
		if read.String() != "one\ntwo\n" {
			t.Errorf("read %q", read.String())
		}
		ctx, stop := context.WithCancelCause(t.Context())
		stop(io.ErrNoProgress)
		if _, _, err := NewRecent(1).From(ctx, 0); !errors.Is(err, io.ErrNoProgress) {
			t.Errorf("got %v", err)
		}
	})
}

// What nobody has read by the time that there is too much is left out, in whole lines.
func TestRecentOutputIsBounded(t *testing.T) {
	r := NewRecent(100)
	const line = "0123456789\n"
	for range 1000 {
		_, _ = r.Write([]byte(line))
	}
	b, next, err := r.From(t.Context(), 11)
	if err != nil || next != 11_000 || len(b) < 90 || len(b) > 200 || len(b)%len(line) != 0 {
		t.Errorf("got %q up to %d, %v", b, next, err)
	}
	r.End()
	b, next, err = r.From(t.Context(), 10_989)
	if !errors.Is(err, io.EOF) || next != 11_000 || string(b) != line {
		t.Errorf("got %q up to %d, %v at the end", b, next, err)
	}
	if b, _, err = r.From(t.Context(), next); len(b) != 0 || !errors.Is(err, io.EOF) {
		t.Errorf("got %q, %v behind the end", b, err)
	}
}
