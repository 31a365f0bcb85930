package shell_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/emendo-dev/emendo/tools"
	"github.com/emendo-dev/emendo/tools/shell"
)

// watched returns options for commands that write to a terminal.
func watched() shell.Options {
	o := real
	o.Watched, o.Grace = true, 5*time.Second // time to write last output on a busy machine
	return o
}

// Commands that write to a terminal.
func TestWatchedCommands(t *testing.T) {
	for _, c := range []struct{ name, command, want string }{
		{"a terminal to write to", "test -t 1 && test -t 2 && ! test -t 0 && echo yes", "yes"},
		{"no terminal to ask at", "(: </dev/tty) 2>/dev/null || echo none", "none"},
		{"the order of both outputs of a program that holds back", `awk 'BEGIN { print "a"; print "b" > "/dev/stderr"; print "c" }'`, "a\nb\nc"},
		{"a bar", `for i in 1 2 3; do printf '\r%s of 3' $i; done; echo ' done'`, "3 of 3 done"},
		{"bars below each other", `printf 'a 1\nb 1\n\033[2Aa 2\033[K\nb 2\033[K\n'`, "a 2\nb 2"},
		{"the first column and empty lines", `printf ' M a\n\n\tb  \n\n'`, " M a\n\n\tb  \n"},
		{"a line longer than the terminal", `printf '%0300d\n' 7`, strings.Repeat("0", 299) + "7"},
		{"colours", `printf '\033[1;31mred\033[0m\n'`, "red"},
		{"carriage returns that the program means", `printf 'a\r\nb\r\n'`, "a\nb"},
		{"a letter of Latin-1", `printf 'caf\351\n'`, `café`},
		{"a NUL", `printf 'a\0b\n'`, `a\x00b`},
		{"a flood that nobody reads", "yes | head -n 2", "y\ny"},
		{"a pager that reads keys", "printf 'a\\nb\\n' | TERM=xterm less -E | cat", "a\nb"},
		{"a display in pieces", "TERM=xterm top -b -n 1 | head -n 1 | cut -c1-3", "top"},
		{"output that is closed", "echo a; exec >&- 2>&-; sleep 0.05", "a"},
		{"last words after the end", "echo a > >(sed s/a/b/)", "b"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := call(t, shell.New(watched()), newEnv(t), map[string]any{"command": c.command})
			if want := "Output:\n<untrusted_context>\n" + c.want + "\n</untrusted_context>"; r.Err != nil || r.Output != want {
				t.Errorf("got %q, %v\nwant %q", r.Output, r.Err, want)
			}
		})
	}
}

// Output that a program would buffer for a pipe is seen while it runs.
func TestWatchedCommandShowsItsOutput(t *testing.T) {
	var seen []string
	prepare(t, shell.New(watched()), newEnv(t), map[string]any{"command": "(echo a; sleep 0.5; echo b) | grep ."}).
		Run(t.Context(), func(p tools.Progress) { seen = append(seen, p.Output) })
	if all := strings.Join(seen, "|"); !strings.Contains(all, "|a\n|") && !strings.HasSuffix(all, "|a\n") {
		t.Errorf("seen was %q", seen)
	}
}

func TestFloods(t *testing.T) {
	if testing.Short() {
		t.Skip("prints as much as a command can")
	}
	for _, c := range []struct {
		name, command string
		says          []string
	}{
		{"a hundred megabytes of text", "yes 'the quick brown fox jumps over the lazy dog' | head -c 100000000; echo; echo end", []string{"The command printed 100000005 bytes; only the first and the last 512 KiB were kept", "the quick", "\nend\n", "left out"}},
		{"ten megabytes that are no text", "head -c 10000000 /dev/urandom; printf '\\033c\\nend\\n'", []string{"[binary output, ", "end"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			began := time.Now()
			shown := 0
			r := prepare(t, shell.New(watched()), newEnv(t), map[string]any{"command": c.command}).Run(t.Context(), func(p tools.Progress) { shown = max(shown, len(p.Output)) })
			t.Logf("it took %v", time.Since(began))
			for _, want := range c.says {
				if !strings.Contains(r.Output, want) {
					t.Errorf("%q is missing", want)
				}
			}
			if len(r.Output) > 1<<20+1000 || shown > 16<<10 {
				t.Errorf("the result has %d bytes, %d were shown at once", len(r.Output), shown)
			}
		})
	}
}

// Calls leave no state behind.
func TestNoStateBetweenCalls(t *testing.T) {
	tool, env := shell.New(watched()), newEnv(t)
	call(t, tool, env, map[string]any{"command": "cd sub; export V=1; f() { :; }; alias g=ls; set -f; shopt -s extglob; umask 0; ulimit -n 20; trap 'echo t' EXIT; exec 3>&1"})
	r := call(t, tool, env, map[string]any{"command": `pwd; echo "${V-unset}"; type f 2>/dev/null; alias g 2>/dev/null; echo "$-" | grep -c f; shopt -q extglob && echo extglob; umask | grep -c '^0*$'; test "$(ulimit -n)" = 20 && echo limit; (: >&3) 2>/dev/null && echo open; echo end`})
	if want := fmt.Sprintf("Output:\n<untrusted_context>\n%s\nunset\n0\n0\nend\n</untrusted_context>", env.Dir); r.Output != want {
		t.Errorf("got %q, want %q", r.Output, want)
	}
}

// A background command outlives its call, and nothing of it outlives the
// session.
func TestRealBackground(t *testing.T) {
	number := fmt.Sprintf("5%d", os.Getpid())
	env := backing(t)
	o := real
	o.Watched = true
	r := call(t, shell.New(o), env, map[string]any{"command": escape(number, "sleep "+number), "is_background": true, "delay_ms": 2500})
	if len(env.Jobs.List()) != 1 || !strings.Contains(r.Output, "running in the background") || !strings.Contains(r.Output, "ready") {
		t.Fatalf("got %q", r.Output)
	}
	pid := env.Jobs.List()[0].PID()
	call(t, shell.New(watched()), env, map[string]any{"command": "true"})
	if l := survivors(t, number); len(l) < len(escapees) {
		t.Errorf("only %d processes run", len(l))
	}
	if r := call(t, shell.NewRead(), env, map[string]any{"pid": pid, "lines": 1}); !strings.Contains(r.Output, "running") || !strings.Contains(r.Output, "ready") {
		t.Errorf("got %q", r.Output)
	}
	began := time.Now()
	env.Jobs.Close()
	t.Logf("everything was gone after %v", time.Since(began))
	if l := survivors(t, number); len(l) != 0 {
		t.Errorf("these survive: %q", l)
	}
}
