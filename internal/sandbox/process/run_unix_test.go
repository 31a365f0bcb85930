//go:build unix

package process

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestRun(t *testing.T) {
	for _, c := range []struct {
		name, line string
		talk       Talk
		want       Said
	}{
		{"what it reads and says", "cat; echo e >&2; exit 3", Talk{Input: []byte("in\n")}, Said{Output: []byte("in\n"), Errors: []byte("e\n"), Exit: Exit{Code: 3}}},
		{"more than is wanted", "printf 12345", Talk{Most: 3}, Said{Output: []byte("123"), Cut: true}},
		{"input that is not read", "exit 0", Talk{Input: make([]byte, 1<<20)}, Said{}},
		{"what it leaves running", "sleep 600 & echo a", Talk{}, Said{Output: []byte("a\n")}},
		{"one that does not end", "echo a; sleep 600", Talk{Timeout: 300 * time.Millisecond}, Said{Output: []byte("a\n"), TimedOut: true, Exit: Exit{Code: -1, Signal: "terminated"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Run(t.Context(), System(), Command{Argv: []string{"/bin/sh", "-c", c.line}, Dir: "/", Env: []string{"PATH=/usr/bin:/bin"}}, c.talk)
			if len(got.Output) == 0 {
				got.Output = nil
			}
			if len(got.Errors) == 0 {
				got.Errors = nil
			}
			if diff := cmp.Diff(got, c.want); diff != "" || err != nil {
				t.Errorf("%v\n%s", err, diff)
			}
		})
	}
}

func TestRunIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	time.AfterFunc(50*time.Millisecond, func() { cancel(why) })
	if _, err := Run(ctx, System(), Command{Argv: []string{"/bin/sleep", "600"}, Dir: "/"}, Talk{}); !errors.Is(err, why) {
		t.Errorf("got %v", err)
	}
}

// A command that ignores its timeout is not waited for after a cancellation.
func TestRunIsCancelledAfterItsTimeout(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	time.AfterFunc(400*time.Millisecond, func() { cancel(why) })
	begun := time.Now()
	_, err := Run(ctx, System(), Command{Argv: []string{"/bin/sh", "-c", "trap '' TERM; while :; do sleep 0.05; done"}, Dir: "/", Env: []string{"PATH=/usr/bin:/bin"}}, Talk{Timeout: 100 * time.Millisecond, Late: time.Minute})
	if took := time.Since(begun); !errors.Is(err, why) || took > 5*time.Second {
		t.Errorf("got %v after %s", err, took)
	}
}

func TestStartErrors(t *testing.T) {
	for want, c := range map[string]Command{
		"start /nonexistent/program: no such file or directory":      {Argv: []string{"/nonexistent/program"}, Dir: "/"},
		"start a command in /nonexistent: no such file or directory": {Argv: []string{"/bin/true"}, Dir: "/nonexistent"},
	} {
		if _, err := Run(t.Context(), System(), c, Talk{}); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
