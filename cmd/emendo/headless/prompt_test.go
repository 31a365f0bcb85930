package headless

import (
	"context"
	"errors"
	"io"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// write is a text that arrives on standard input after a pause.
type write struct {
	after time.Duration
	text  string
}

func TestPipedTextIsWaitedFor(t *testing.T) {
	const (
		waiting = "emendo: waiting for standard input; </dev/null leaves it out"
		without = "emendo: nothing came on standard input in 10 seconds: going on without it"
		ending  = "emendo: waiting for the end of standard input"
	)
	sent := func(amount string) string {
		return "emendo: standard input is sent with the prompt (" + amount + "); </dev/null leaves it out"
	}
	for _, tt := range []struct {
		name   string
		alone  bool // there is no prompt beside it
		writes []write
		open   bool // it is not closed after them
		want   string
		told   []string
		after  time.Duration
	}{
		{name: "at once", writes: []write{{0, "a\nb\n"}}, want: "a\nb", told: []string{sent("2 lines")}},
		{name: "empty", writes: nil, want: ""},
		{name: "after a second", writes: []write{{time.Second, "diff"}}, want: "diff", told: []string{sent("1 line")}, after: time.Second},
		{name: "after nine seconds", writes: []write{{9 * time.Second, "diff"}}, want: "diff", told: []string{waiting, sent("1 line")}, after: 9 * time.Second},
		{
			name: "in parts that come slowly", writes: []write{{time.Second, "a"}, {time.Minute, "b"}}, want: "ab",
			told: []string{ending, sent("1 line")}, after: time.Minute + time.Second,
		},
		{name: "never", open: true, want: "", told: []string{waiting, without}, after: 10 * time.Second},
		{name: "late and alone", alone: true, writes: []write{{time.Hour, "prompt"}}, want: "prompt", after: time.Hour},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r, w := io.Pipe()
				defer w.Close()
				go func() { // ends with the writes, or with the pipe
					for _, x := range tt.writes {
						time.Sleep(x.after)
						_, _ = io.WriteString(w, x.text)
					}
					if !tt.open {
						w.Close()
					}
				}()
				var told []string
				began := time.Now()
				got, err := readPiped(t.Context(), r, !tt.alone, func(text string) { told = append(told, text) })
				if err != nil || got != tt.want {
					t.Errorf("got %q, %v, want %q", got, err, tt.want)
				}
				if !slices.Equal(told, tt.told) {
					t.Errorf("told %q, want %q", told, tt.told)
				}
				if took := time.Since(began); took != tt.after {
					t.Errorf("it took %v, want %v", took, tt.after)
				}
			})
		})
	}
}

func TestPipedTextEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		defer w.Close()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := readPiped(ctx, r, true, func(string) {}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
	})
}
