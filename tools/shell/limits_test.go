package shell_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/internal/sandbox/sandboxtest"
	"github.com/emendo-dev/emendo/tools"
	"github.com/emendo-dev/emendo/tools/shell"
)

// The limits are the user's, and the model sees them.
func TestChosenLimits(t *testing.T) {
	silent := sandboxtest.Script{After: 5 * time.Hour}
	for _, c := range []struct {
		name         string
		options      shell.Options
		says, result string
	}{
		{"usual ones", shell.Options{}, "is killed after 10 minutes, or after 5 minutes without output.", "printed nothing for 5m0s"},
		{"others", shell.Options{Timeout: time.Hour, Idle: 90 * time.Second}, "is killed after 60 minutes, or after 90 seconds without output.", "printed nothing for 1m30s"},
		{"none for silence", shell.Options{Timeout: time.Hour, Idle: shell.Forever}, "is killed after 60 minutes.", "longer than its limit of 1h0m0s"},
		{"long ones", shell.Options{Timeout: 6 * time.Hour, Idle: shell.Forever}, "is killed after 360 minutes.", "Output: (empty)"},
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

func TestModelMayChooseALimit(t *testing.T) {
	for _, c := range []struct {
		name, args string
		options    shell.Options
		want       string
	}{
		{"a silent command that ends in time", `{"command":"x","timeout":500}`, shell.Options{}, "Output: (empty)"},
		{"its own limit", `{"command":"x","timeout":60}`, shell.Options{}, "The command took longer than its limit of 1m0s."},
		{"as a string", `{"command":"x","timeout":"60"}`, shell.Options{}, "The command took longer than its limit of 1m0s."},
		{"more than the setting", `{"command":"x","timeout":601}`, shell.Options{}, "invalid params: timeout: expected 1 to 600, got 601"},
		{"none", `{"command":"x","timeout":0}`, shell.Options{Timeout: time.Hour}, "invalid params: timeout: expected 1 to 3600, got 0"},
		{"in the background", `{"command":"x","timeout":5,"is_background":true}`, shell.Options{}, "timeout applies to foreground commands only; a background command runs until kill_background_process ends it"},
	} {
		t.Run(c.name, func(t *testing.T) {
			env := newEnv(t)
			env.Jobs = &tools.Jobs{}
			synctest.Test(t, func(t *testing.T) {
				c.options.Spawner = &sandboxtest.Spawner{Scripts: map[string]sandboxtest.Script{"x": {After: 400 * time.Second}}}
				a, err := shell.New(c.options).Prepare(t.Context(), env, json.RawMessage(c.args))
				if err != nil {
					if err.Error() != c.want {
						t.Errorf("got %v, want %s", err, c.want)
					}
					return
				}
				if r := a.Run(t.Context(), quiet); !strings.HasPrefix(r.Output, c.want) {
					t.Errorf("got %q, want %q", r.Output, c.want)
				}
			})
		})
	}
}

// A noTerminal only has pipes.
type noTerminal struct{ *sandboxtest.Spawner }

func (n noTerminal) Start(ctx context.Context, c sandbox.Command) (sandbox.Process, error) {
	if c.Streams == sandbox.Watched {
		return nil, sandbox.ErrNoTerminal
	}
	return n.Spawner.Start(ctx, c)
}

// Programs write to a pipe unless the user wants a terminal.
func TestCommandsWriteToAPipe(t *testing.T) {
	for watched, want := range map[bool]sandbox.Streams{false: sandbox.Merged, true: sandbox.Watched} {
		env := newEnv(t)
		synctest.Test(t, func(t *testing.T) {
			s := &sandboxtest.Spawner{Scripts: map[string]sandboxtest.Script{"x": sandboxtest.Print("a\n", 0)}}
			call(t, shell.New(shell.Options{Spawner: s, Watched: watched}), env, map[string]any{"command": "x"})
			if l := s.Started(); len(l) != 1 || l[0].Streams != want {
				t.Errorf("watched %t: started %+v", watched, l)
			}
		})
	}
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

func TestTerminalHasTheReadSize(t *testing.T) {
	env := newEnv(t)
	synctest.Test(t, func(t *testing.T) {
		s := &sandboxtest.Spawner{Scripts: map[string]sandboxtest.Script{"x": sandboxtest.Print("a\n", 0)}}
		call(t, shell.New(shell.Options{Spawner: s, Watched: true}), env, map[string]any{"command": "x"})
		if c := s.Started()[0]; c.Streams != sandbox.Watched || c.Rows != 50 || c.Columns != 120 {
			t.Errorf("started %+v", c)
		}
	})
}
