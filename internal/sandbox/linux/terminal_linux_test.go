package linux_test

import (
	"io"
	"testing"

	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/internal/sandbox/attacktest"
)

// At every level a command can only write to its terminal.
func TestWatchedAtEveryLevel(t *testing.T) {
	if testing.Short() {
		t.Skip("needs bubblewrap")
	}
	levels := []struct {
		name    string
		spawner sandbox.Spawner
	}{
		{"A", sandbox.NewGuard(sandbox.Options{Only: "A"})}, {"A by bubblewrap", attacktest.With(attacktest.Bubblewrapped)}, {"B", attacktest.LevelB()}, {"C", sandbox.System()},
	}
	attacktest.AsEachUser(t, func(t *testing.T) {
		for _, l := range levels {
			t.Run(l.name, func(t *testing.T) {
				b := attacktest.NewTestbed(t)
				const line = `test -t 1 && ! test -t 0 && stty size <&1; (: </dev/tty) 2>/dev/null || echo nobody; cat <&1 2>/dev/null || echo nothing; printf x >&2`
				p, err := l.spawner.Start(t.Context(), sandbox.Command{
					Argv: []string{"/bin/bash", "--noprofile", "--norc", "-c", line}, Dir: b.Work, Env: []string{"PATH=/usr/bin:/bin"},
					Streams: sandbox.Watched, Rows: 40, Columns: 120, Profile: b.Profile(),
				})
				if err != nil {
					t.Fatal(err)
				}
				defer p.Kill(0)
				out := p.Output()
				defer out.Close()
				got, err := io.ReadAll(out)
				if want := "40 120\nnobody\nnothing\nx"; err != nil || string(got) != want {
					t.Errorf("got %q, %v, want %q", got, err, want)
				}
				p.Wait()
			})
		}
	})
}
