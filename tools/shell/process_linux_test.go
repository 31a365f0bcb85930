package shell_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/emendo-dev/emendo/tools"
	"github.com/emendo-dev/emendo/tools/shell"
)

// real returns a tool whose commands use the test's own PATH.
var real = shell.Options{Environ: []string{"PATH=" + os.Getenv("PATH"), "SECRET_TOKEN=canary-41"}}

func TestRealCommands(t *testing.T) {
	for _, c := range []struct{ name, command, want string }{
		{"output and exit code", "printf 'canary-%s' 99; exit 3", "Output:\n<untrusted_context>\ncanary-99\n</untrusted_context>\nExit Code: 3"},
		{"the order of both outputs", "echo a; echo b >&2; echo c", "Output:\n<untrusted_context>\na\nb\nc\n</untrusted_context>"},
		{"a file in GBK", `printf 'name = \320\241\312\351\265\352\n'`, "Output:\n<untrusted_context>\nname = 小书店\n</untrusted_context>"},
		{"nothing to read", "cat; read x || echo end", "Output:\n<untrusted_context>\nend\n</untrusted_context>"},
		{"no terminal", "(: </dev/tty) 2>/dev/null || echo none", "Output:\n<untrusted_context>\nnone\n</untrusted_context>"},
		{"no keys", "env | grep -c canary-41", "Output:\n<untrusted_context>\n0\n</untrusted_context>\nExit Code: 1"},
		{"a signal", "kill -KILL $$", "Output: (empty)\nSignal: killed"},
		{"bash it is", "[[ a == a ]] && echo ${BASH_VERSION:+bash}", "Output:\n<untrusted_context>\nbash\n</untrusted_context>"},
		{"last words after the end", "echo a > >(sed s/a/b/)", "Output:\n<untrusted_context>\nb\n</untrusted_context>"},
		{"output that is closed", "exec >&- 2>&-; sleep 0.05; exit 4", "Output: (empty)\nExit Code: 4"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := real
			o.Grace = 5 * time.Second // time to write last output on a busy machine
			r := prepare(t, shell.New(o), newEnv(t), map[string]any{"command": c.command}).Run(t.Context(), quiet)
			if r.Err != nil || r.Output != c.want {
				t.Errorf("got %q, %v\nwant %q", r.Output, r.Err, c.want)
			}
		})
	}
}

func TestCommandRunsInItsFolder(t *testing.T) {
	env := newEnv(t)
	sub := filepath.Join(env.Dir, "sub")
	r := prepare(t, shell.New(real), env, map[string]any{"command": "pwd", "dir_path": "sub"}).Run(t.Context(), quiet)
	if want := "Directory: " + sub + "\nOutput:\n<untrusted_context>\n" + sub + "\n</untrusted_context>"; r.Output != want {
		t.Errorf("got %q, want %q", r.Output, want)
	}
}

func TestPlainShellWhereThereIsNoBash(t *testing.T) {
	o := real
	o.Shell = "/bin/sh"
	r := prepare(t, shell.New(o), newEnv(t), map[string]any{"command": "echo a && exit 2"}).Run(t.Context(), quiet)
	if want := "Output:\n<untrusted_context>\na\n</untrusted_context>\nExit Code: 2"; r.Output != want {
		t.Errorf("got %q, want %q", r.Output, want)
	}
}

// escapees are ways to leave a command's group, session or parent. Each starts
// processes that have their test's name as an argument, and sleep.
var escapees = []struct{ name, command string }{
	{"in the background", "sleeper & "},
	{"in a session of its own", "setsid sleeper & "},
	{"forked twice", "(sleeper &) "},
	{"forked twice in a session of its own", "setsid bash -c '(sleeper &) ; (setsid sleeper &)' & "},
	{"deaf to requests", "bash -c 'trap \"\" TERM HUP INT; sleeper; sleeper' & "},
	{"forked by the request to end", "bash -c 'trap \"setsid sleeper &\" TERM; sleeper & wait' & "},
	{"without the environment", "env -i PATH=$PATH setsid bash -c '(sleeper &)' & "},
}

// escape returns a command that starts every escapee, writes ready, and
// continues with then. The processes are recognised by a number among their
// arguments.
func escape(name, then string) string {
	var b strings.Builder
	for _, e := range escapees {
		b.WriteString(strings.ReplaceAll(e.command, "sleeper", "sleep "+name) + "\n")
	}
	return b.String() + "sleep 0.2; echo ready; " + then
}

// survivors returns the live processes with that argument.
func survivors(t *testing.T, argument string) []string {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	var l []string
	for _, name := range all {
		b, err := os.ReadFile(name) // it may have exited
		if err == nil && bytes.Contains(b, []byte(argument)) {
			l = append(l, strings.ReplaceAll(string(b), "\x00", " "))
		}
	}
	return l
}

func TestNothingSurvives(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for what is killed")
	}
	for i, c := range []struct {
		name, then string
		o          func(*shell.Options)
		cancel     bool
		want       string
	}{
		{name: "its own end", then: "exit 5", want: "Exit Code: 5"},
		{name: "cancelling", then: "sleep 60", cancel: true, want: "cancelled"},
		{name: "the longest time", then: "sleep 60", o: func(o *shell.Options) { o.Timeout = time.Second }, want: "longer than its limit"},
		{name: "silence", then: "sleep 60", o: func(o *shell.Options) { o.Idle = time.Second }, want: "printed nothing"},
		{name: "output that is closed", then: "exec >&- 2>&-; exit 6", want: "Exit Code: 6"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := real
			if c.o != nil {
				c.o(&o)
			}
			number := fmt.Sprintf("3%d%d", os.Getpid(), i)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var asked time.Time
			r := prepare(t, shell.New(o), newEnv(t), map[string]any{"command": escape(number, c.then)}).Run(ctx, func(p tools.Progress) {
				if c.cancel && strings.Contains(p.Output, "ready") && asked.IsZero() {
					for until := time.Now().Add(10 * time.Second); len(survivors(t, number)) < len(escapees); {
						if time.Now().After(until) {
							t.Errorf("only %d processes run before the end", len(survivors(t, number)))
							break
						}
					}
					asked = time.Now()
					cancel()
				}
			})
			if c.cancel {
				took := time.Since(asked)
				t.Logf("everything was gone after %v", took)
				if took > time.Second { // about 200 ms on an idle machine
					t.Errorf("it took %v", took)
				}
			}
			if l := survivors(t, number); len(l) != 0 {
				t.Errorf("these survive: %q", l)
			}
			if !strings.Contains(r.Output, c.want) || !strings.Contains(r.Output, "ready") {
				t.Errorf("got %q, want %q", r.Output, c.want)
			}
		})
	}
}

// Commands that run at the same time do not kill each other's processes.
func TestCommandsEndOnlyTheirOwn(t *testing.T) {
	number := fmt.Sprintf("4%d", os.Getpid())
	tool, env := shell.New(real), newEnv(t)
	ctx, cancel := context.WithCancel(t.Context())
	ready, over := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(over)
		started := false
		prepare(t, tool, env, map[string]any{"command": "(sleep " + number + " &); setsid sleep " + number + " & sleep 0.1; echo ready; sleep " + number}).Run(ctx, func(p tools.Progress) {
			if !started && strings.Contains(p.Output, "ready") {
				started = true
				close(ready)
			}
		})
	}()
	<-ready
	before := len(survivors(t, number))
	prepare(t, tool, env, map[string]any{"command": "setsid sleep 60 & sleep 0.1"}).Run(t.Context(), quiet)
	if after := len(survivors(t, number)); after < before {
		t.Errorf("%d of %d processes of the other command are left", after, before)
	}
	cancel()
	<-over
	if l := survivors(t, number); len(l) != 0 {
		t.Errorf("these survive: %q", l)
	}
}

// Orphans do not remain as zombies.
func TestNoZombies(t *testing.T) {
	tool, env := shell.New(real), newEnv(t)
	for range 5 {
		prepare(t, tool, env, map[string]any{"command": "(sleep 0.01 &); (setsid sleep 0.02 &); (sleep 60 &)"}).Run(t.Context(), quiet)
	}
	all, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range all {
		b, err := os.ReadFile(name)
		if err != nil {
			continue // it has exited
		}
		f := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
		if f[1] == strconv.Itoa(os.Getpid()) && f[0] == "Z" {
			t.Errorf("a zombie is left: %s", b)
		}
	}
}
