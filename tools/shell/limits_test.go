package shell_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/emendo-dev/emendo/tools/sandbox"
	"github.com/emendo-dev/emendo/tools/sandbox/sandboxtest"
	"github.com/emendo-dev/emendo/tools/shell"
)

// The bounds are those that the user has chosen, and the model is told of them.
func TestChosenBounds(t *testing.T) {
	silent := sandboxtest.Script{After: 5 * time.Hour}
	for _, c := range []struct {
		name         string
		options      shell.Options
		says, result string
	}{
		{"usual ones", shell.Options{}, "is ended after 10 minutes, and after 2 minutes in which it prints nothing.", "printed nothing for 2m0s"},
		{"others", shell.Options{Timeout: time.Hour, Idle: 90 * time.Second}, "is ended after 60 minutes, and after 90 seconds in which it prints nothing.", "printed nothing for 1m30s"},
		{"none for silence", shell.Options{Timeout: time.Hour, Idle: shell.Forever}, "is ended after 60 minutes.", "not done after 1h0m0s"},
		{"long ones", shell.Options{Timeout: 6 * time.Hour, Idle: shell.Forever}, "is ended after 360 minutes.", "Output: (empty)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			env := newEnv(t)
			synctest.Test(t, func(t *testing.T) {
				c.options.Spawner = &sandboxtest.Spawner{Scripts: map[string]sandboxtest.Script{"x": silent}}
				tool := shell.New(c.options)
				if d := tool.Spec().Description; !strings.Contains(d, c.says) || strings.ContainsAny(d, "{}") {
					t.Errorf("%q is not in %q", c.says, d)
				}
				if r := call(t, tool, env, map[string]any{"command": "x"}); !strings.Contains(r.Output, c.result) {
					t.Errorf("got %q, want %q", r.Output, c.result)
				}
			})
		})
	}
}

// A noTerminal has pipes only.
type noTerminal struct{ *sandboxtest.Spawner }

func (n noTerminal) Start(ctx context.Context, c sandbox.Command) (sandbox.Process, error) {
	if c.Streams == sandbox.Watched {
		return nil, sandbox.ErrNoTerminal
	}
	return n.Spawner.Start(ctx, c)
}

func TestPipeWhereThereIsNoTerminal(t *testing.T) {
	env := newEnv(t)
	synctest.Test(t, func(t *testing.T) {
		s := &sandboxtest.Spawner{Scripts: map[string]sandboxtest.Script{"x": sandboxtest.Print("a\n", 0)}}
		r := call(t, shell.New(shell.Options{Spawner: noTerminal{s}, Watched: true}), env, map[string]any{"command": "x"})
		if !strings.Contains(r.Output, "\na\n") || len(s.Started()) != 1 || s.Started()[0].Streams != sandbox.Merged {
			t.Errorf("got %q, started %+v", r.Output, s.Started())
		}
	})
}

func TestTerminalIsAsLargeAsItIsRead(t *testing.T) {
	env := newEnv(t)
	synctest.Test(t, func(t *testing.T) {
		s := &sandboxtest.Spawner{Scripts: map[string]sandboxtest.Script{"x": sandboxtest.Print("a\n", 0)}}
		call(t, shell.New(shell.Options{Spawner: s, Watched: true}), env, map[string]any{"command": "x"})
		if c := s.Started()[0]; c.Streams != sandbox.Watched || c.Rows != 50 || c.Columns != 120 {
			t.Errorf("started %+v", c)
		}
	})
}
