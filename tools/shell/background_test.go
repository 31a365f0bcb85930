package shell_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/internal/sandbox/sandboxtest"
	"github.com/emendo-dev/emendo/tools"
	"github.com/emendo-dev/emendo/tools/reach"
	"github.com/emendo-dev/emendo/tools/shell"
)

// backing returns a session with a private directory, whose commands can run in
// the background.
func backing(t *testing.T) tools.Env {
	t.Helper()
	env := newEnv(t)
	tree, err := disk.NewTree([]string{t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tree.Close() })
	env.Outputs, env.Jobs = tree, &tools.Jobs{}
	return env
}

func call(t *testing.T, tool tools.Tool, env tools.Env, args map[string]any) tools.Result {
	t.Helper()
	return prepare(t, tool, env, args).Run(t.Context(), quiet)
}

func TestBackground(t *testing.T) {
	for _, c := range []struct {
		name    string
		script  sandboxtest.Script
		delay   int
		says    []string
		running bool
	}{
		{
			name: "goes on", script: sandboxtest.Script{Output: []sandboxtest.Piece{{Text: "up\n"}, {After: time.Second, Text: "more\n"}}, Hangs: true},
			says: []string{"process 1000", "Output after 200ms:\n<untrusted_context>\nup\n</untrusted_context>", "Background PIDs: 1000", "background-1000.log"}, running: true,
		},
		{
			name: "is watched for longer", script: sandboxtest.Script{Output: []sandboxtest.Piece{{After: time.Second, Text: "late\n"}}, Hangs: true},
			delay: 5000, says: []string{"Output after 5s", "late"}, running: true,
		},
		{
			name: "has printed nothing yet", script: sandboxtest.Script{Hangs: true},
			says: []string{"Output after 200ms: (empty)"}, running: true,
		},
		{
			name: "ends at once", script: sandboxtest.Print("port is taken\n", 1),
			says: []string{"port is taken", "Exit Code: 1"},
		},
		{
			name: "ends at once with much output", script: sandboxtest.Print("first\n"+strings.Repeat("middle\n", 30_000)+"last\n", 0),
			says: []string{"\nfirst\nmiddle\n", "\nmiddle\nlast\n"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			env := backing(t)
			synctest.Test(t, func(t *testing.T) {
				s := &sandboxtest.Spawner{Scripts: map[string]sandboxtest.Script{"serve": c.script}}
				args := map[string]any{"command": "serve", "is_background": true}
				if c.delay > 0 {
					args["delay_ms"] = c.delay
				}
				r := call(t, shell.New(shell.Options{Spawner: s}), env, args)
				for _, want := range c.says {
					if !strings.Contains(r.Output, want) || r.Err != nil {
						t.Errorf("got %q, %v, want %q", r.Output, r.Err, want)
					}
				}
				if (s.Running() == 1) != c.running || (len(env.Jobs.List()) == 1) != c.running {
					t.Errorf("%d commands run, and %d are in the background", s.Running(), len(env.Jobs.List()))
				}
				env.Jobs.Close()
				if s.Running() != 0 {
					t.Error("the command outlives its session")
				}
			})
		})
	}
}

func TestDelaysAreBounded(t *testing.T) {
	env := backing(t)
	for _, delay := range []string{"-1", "60001", "18446744073710"} {
		_, err := shell.New(shell.Options{}).Prepare(t.Context(), env, json.RawMessage(`{"command":"ls","is_background":true,"delay_ms":`+delay+`}`))
		if e, ok := errors.AsType[*tools.Error](err); !ok || e.Type != tools.InvalidParams || !strings.Contains(e.Message, "delay_ms: expected 0 to 60000") {
			t.Errorf("%s: %v", delay, err)
		}
	}
}

// Background commands have no timeout, and the end of a turn does not end them.
func TestBackgroundOutlivesItsCall(t *testing.T) {
	env := backing(t)
	synctest.Test(t, func(t *testing.T) {
		s := &sandboxtest.Spawner{Scripts: map[string]sandboxtest.Script{"serve": {Output: []sandboxtest.Piece{{Text: "a\n"}, {After: time.Hour, Text: "b\n"}}, After: time.Hour, Exit: sandbox.Exit{Code: 3}}}}
		ctx, cancel := context.WithCancel(t.Context())
		prepare(t, shell.New(shell.Options{Spawner: s}), env, map[string]any{"command": "serve", "is_background": true}).Run(ctx, quiet)
		cancel()
		time.Sleep(90 * time.Minute)
		if r := call(t, shell.NewRead(), env, map[string]any{"pid": 1000, "lines": 1}); !strings.Contains(r.Output, "[PID 1000] running: `serve`") || !strings.Contains(r.Output, "\nb\n") || strings.Contains(r.Output, "\na\n") {
			t.Errorf("got %q", r.Output)
		}
		began := time.Now()
		if r := call(t, shell.NewRead(), env, map[string]any{"pid": 1000, "delay_ms": 60_000}); time.Since(began) != time.Minute || !strings.Contains(r.Output, "running") {
			t.Errorf("after %v: %q", time.Since(began), r.Output)
		}
		time.Sleep(time.Hour)
		if r := call(t, shell.NewRead(), env, map[string]any{"pid": 1000}); !strings.Contains(r.Output, "[PID 1000] exit 3: `serve`") || !strings.Contains(r.Output, "a\nb\n") {
			t.Errorf("got %q", r.Output)
		}
		b, err := os.ReadFile(env.Jobs.Find(1000).Log())
		if err != nil || string(b) != "a\nb\n" {
			t.Errorf("the file holds %q, %v", b, err)
		}
		if i, err := os.Stat(env.Jobs.Find(1000).Log()); err != nil || i.Mode().Perm() != 0o600 {
			t.Errorf("its mode is %v, %v", i.Mode(), err)
		}
	})
}

func TestCancelledBackgroundCommandEnds(t *testing.T) {
	env := backing(t)
	synctest.Test(t, func(t *testing.T) {
		s := &sandboxtest.Spawner{Scripts: map[string]sandboxtest.Script{"serve": {Hangs: true}}}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(100*time.Millisecond, cancel)
		r := prepare(t, shell.New(shell.Options{Spawner: s}), env, map[string]any{"command": "serve", "is_background": true}).Run(ctx, quiet)
		if !strings.Contains(r.Output, "cancelled") || s.Running() != 0 || len(env.Jobs.List()) != 0 {
			t.Errorf("got %q, and %d commands run", r.Output, s.Running())
		}
	})
}

func TestKillEndsWhatIsInTheBackground(t *testing.T) {
	env := backing(t)
	synctest.Test(t, func(t *testing.T) {
		s := &sandboxtest.Spawner{Scripts: map[string]sandboxtest.Script{"serve": {Output: []sandboxtest.Piece{{Text: "up\n"}}, Hangs: true, Stubborn: true}}}
		call(t, shell.New(shell.Options{Spawner: s}), env, map[string]any{"command": "serve", "is_background": true})
		a := prepare(t, shell.NewKill(), env, map[string]any{"pid": 1000})
		if a.Effect != (tools.Ends{PID: 1000, Command: "serve"}) {
			t.Errorf("effect is %+v", a.Effect)
		}
		began := time.Now()
		if r := a.Run(t.Context(), quiet); !strings.Contains(r.Output, "was ended") || !strings.Contains(r.Output, "up") || s.Running() != 0 || time.Since(began) > 200*time.Millisecond {
			t.Errorf("got %q after %v, and %d commands run", r.Output, time.Since(began), s.Running())
		}
		if r := call(t, shell.NewKill(), env, map[string]any{"pid": 1000}); !strings.Contains(r.Output, "already ended") {
			t.Errorf("got %q", r.Output)
		}
		if r := call(t, shell.NewList(), env, map[string]any{}); r.Output != "- [PID 1000] was ended: `serve`" {
			t.Errorf("got %q", r.Output)
		}
	})
}

func TestOnlyProcessesOfTheSessionAreKnown(t *testing.T) {
	env := backing(t)
	for _, tool := range []tools.Tool{shell.NewRead(), shell.NewKill()} {
		for _, args := range []string{`{"pid":1}`, `{"pid":0}`, `{"pid":-1}`} {
			var e *tools.Error
			if _, err := tool.Prepare(t.Context(), env, json.RawMessage(args)); !errors.As(err, &e) || e.Type != tools.InvalidParams || !strings.Contains(e.Message, "no background command of this session") {
				t.Errorf("%s%s: %v", tool.Spec().Name, args, err)
			}
		}
	}
	if r := call(t, shell.NewList(), env, map[string]any{}); !strings.Contains(r.Output, "no background command") {
		t.Errorf("got %q", r.Output)
	}
}

func TestNumberOfBackgroundCommandsIsBounded(t *testing.T) {
	env := backing(t)
	synctest.Test(t, func(t *testing.T) {
		s := &sandboxtest.Spawner{Scripts: map[string]sandboxtest.Script{"serve": {Hangs: true}, "soon": {After: time.Minute}}}
		tool := shell.New(shell.Options{Spawner: s})
		for range 120 { // finished ones do not count
			call(t, tool, env, map[string]any{"command": "soon", "is_background": true})
			time.Sleep(10 * time.Second)
		}
		time.Sleep(time.Minute)
		for range 16 {
			call(t, tool, env, map[string]any{"command": "serve", "is_background": true})
		}
		r := call(t, tool, env, map[string]any{"command": "serve", "is_background": true})
		if r.Err == nil || r.Err.Type != tools.ShellFailure || s.Running() != 16 || len(env.Jobs.List()) != 100 {
			t.Errorf("got %+v, %d run, %d are known", r, s.Running(), len(env.Jobs.List()))
		}
		env.Jobs.Close()
		if r := call(t, tool, env, map[string]any{"command": "serve", "is_background": true}); r.Err == nil || s.Running() != 0 {
			t.Errorf("got %+v, %d run", r, s.Running())
		}
	})
}

// A reused process ID gets a log of its own, and a long output two that
// alternate.
func TestBackgroundLogs(t *testing.T) {
	env := backing(t)
	dir := env.Outputs.Folders()[0]
	if err := os.WriteFile(filepath.Join(dir, "background-1000.log"), []byte("older"), 0o600); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		var long []sandboxtest.Piece
		for range 20 {
			long = append(long, sandboxtest.Piece{Text: strings.Repeat("0123456789abcde\n", 1<<16)})
		}
		s := &sandboxtest.Spawner{Scripts: map[string]sandboxtest.Script{"serve": {Output: append([]sandboxtest.Piece{{After: time.Second}}, long...)}}}
		call(t, shell.New(shell.Options{Spawner: s}), env, map[string]any{"command": "serve", "is_background": true})
		<-env.Jobs.Find(1000).Over()
		sizes := map[string]int64{}
		all, _ := os.ReadDir(dir)
		for _, e := range all {
			i, _ := e.Info()
			sizes[e.Name()] = i.Size() >> 20
		}
		if len(sizes) != 3 || sizes["background-1000-2.log.before"] == 0 || sizes["background-1000-2.log"]+sizes["background-1000-2.log.before"] > 16 {
			t.Errorf("got %v", sizes)
		}
		if r := call(t, shell.NewRead(), env, map[string]any{"pid": 1000, "lines": 10_000}); len(r.Output) > 65<<10 {
			t.Errorf("%d bytes are read", len(r.Output))
		}
	})
	if b, err := os.ReadFile(filepath.Join(dir, "background-1000.log")); err != nil || !slices.Equal(b, []byte("older")) {
		t.Errorf("the older file holds %q, %v", b, err)
	}
}

// Secrets are removed from the log, even if their line scrolls out in parts.
func TestLogsAreDiscreet(t *testing.T) {
	env := backing(t)
	env.Redact = func(s string) string { return strings.ReplaceAll(s, "canary-77", "[KEY]") }
	synctest.Test(t, func(t *testing.T) {
		text := strings.Repeat("x", 115) + "canary-77 a\nb\ncanary-77"
		s := &sandboxtest.Spawner{Scripts: map[string]sandboxtest.Script{"serve": {Output: []sandboxtest.Piece{{After: time.Second, Text: text}}}}}
		call(t, shell.New(shell.Options{Spawner: s, Watched: true}), env, map[string]any{"command": "serve", "is_background": true})
		j := env.Jobs.Find(1000)
		<-j.Over()
		b, err := os.ReadFile(j.Log())
		if want := strings.Repeat("x", 115) + "[KEY] a\nb\n[KEY]"; err != nil || string(b) != want {
			t.Errorf("the file holds %q, %v, want %q", b, err, want)
		}
	})
}

// A line that is too long to be kept back is not cut inside a secret.
func TestLogsOfLongLinesAreDiscreet(t *testing.T) {
	env := backing(t)
	env.Redact = func(s string) string { return strings.ReplaceAll(s, "canary-77", "[KEY]") }
	synctest.Test(t, func(t *testing.T) {
		const columns, held = 120, 64 << 10
		rows := (held + columns - 1) / columns
		for before := rows*columns - 10; before <= rows*columns+1; before++ {
			text := strings.Repeat("x", before) + "canary-77" + strings.Repeat("y", held)
			s := &sandboxtest.Spawner{Scripts: map[string]sandboxtest.Script{"serve": {Output: []sandboxtest.Piece{{After: time.Second, Text: text}}}}}
			call(t, shell.New(shell.Options{Spawner: s, Watched: true}), env, map[string]any{"command": "serve", "is_background": true})
			j := env.Jobs.Find(1000)
			<-j.Over()
			b, err := os.ReadFile(j.Log())
			if want := env.Redact(text); err != nil || string(b) != want {
				t.Errorf("%d characters before it, the file of %d bytes, %v, holds it: %v", before, len(b), err, strings.Contains(string(b), "canary"))
			}
		}
	})
}

// meddling creates a file whenever a command is started.
type meddling struct {
	*sandboxtest.Spawner
	file string
}

func (m meddling) Start(ctx context.Context, c sandbox.Command) (sandbox.Process, error) {
	if err := errors.Join(os.MkdirAll(filepath.Dir(m.file), 0o700), os.WriteFile(m.file, nil, 0o600)); err != nil {
		return nil, err
	}
	return m.Spawner.Start(ctx, c)
}

// Protected files that a background command has created are moved aside when
// its call returns. Files created later may be the user's: they are reported,
// and stay.
func TestBackgroundCreatesProtectedFiles(t *testing.T) {
	env := backing(t)
	place := reach.New(reach.Options{Folders: []string{env.Dir}})
	o := shell.Options{Reach: func(_ []string, extra reach.Extra) (*reach.Profile, error) {
		return place.Profile(extra), nil
	}}
	synctest.Test(t, func(t *testing.T) {
		o.Spawner = meddling{&sandboxtest.Spawner{Scripts: map[string]sandboxtest.Script{"serve": {Hangs: true, Held: sandbox.Restricted}}}, filepath.Join(env.Dir, ".idea", "x")}
		r := call(t, shell.New(o), env, map[string]any{"command": "serve", "is_background": true})
		if want := "Note: the command created " + filepath.Join(env.Dir, ".idea"); !strings.Contains(r.Output, want) {
			t.Errorf("got %q, want %q", r.Output, want)
		}
		later := filepath.Join(env.Dir, ".fleet")
		if err := os.Mkdir(later, 0o700); err != nil {
			t.Fatal(err)
		}
		j := env.Jobs.List()[0]
		j.End()
		if want := "was ended; protected files were created while it ran: " + later; j.State() != want {
			t.Errorf("got %q, want %q", j.State(), want)
		}
		if want := "protected files were created while it ran: " + later; j.Made() != want {
			t.Errorf("got %q, want %q", j.Made(), want)
		}
		if _, err := os.Stat(later); err != nil {
			t.Error(err)
		}
	})
}
