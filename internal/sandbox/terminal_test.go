//go:build unix

package sandbox_test

import (
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/emendo-dev/emendo/internal/sandbox"
)

// A watched command has a terminal of the given size to write to, no input, and
// no controlling terminal.
func TestWatchedStreams(t *testing.T) {
	for _, c := range []struct{ name, command, want string }{
		{"it writes to a terminal", "test -t 1 && test -t 2 && echo yes", "yes\n"},
		{"it knows the size", "stty size <&1", "40 120\n"},
		{"it has nothing to read", "cat; test -t 0 || echo none", "none\n"},
		{"nobody can be asked", "(: </dev/tty) 2>/dev/null || echo nobody", "nobody\n"},
		{"nothing is read where it writes", "cat <&1 2>/dev/null || echo nothing", "nothing\n"},
		{"the order of both outputs", "echo a; echo b >&2; echo c", "a\nb\nc\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			argv, err := sandbox.Shell("", c.command, os.Environ())
			if err != nil {
				t.Fatal(err)
			}
			p, err := sandbox.System().Start(t.Context(), sandbox.Command{Argv: argv, Dir: t.TempDir(), Env: os.Environ(), Streams: sandbox.Watched, Rows: 40, Columns: 120})
			if err != nil {
				t.Fatal(err)
			}
			b, err := io.ReadAll(p.Output())
			if err != nil || string(b) != c.want {
				t.Errorf("got %q, %v, want %q", b, err, c.want)
			}
			if p.Input() != nil {
				t.Error("something can be typed")
			}
			p.Wait()
			p.Kill(time.Second)
			if err := p.Output().Close(); err != nil && !strings.Contains(err.Error(), "closed") {
				t.Error(err)
			}
		})
	}
}
