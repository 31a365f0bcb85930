package trust

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	mkdir(t, filepath.Dir(path))
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

func look(t *testing.T, s *Store, dir string, e Entry) Look {
	t.Helper()
	l, err := s.Approved(dir, e)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func approve(t *testing.T, s *Store, dir string, l ...Look) {
	t.Helper()
	if err := s.Approve(dir, l...); err != nil {
		t.Fatal(err)
	}
}

// sample returns a hook with every field set.
func sample() Entry {
	return Entry{
		Kind: Hook, Name: HookName("BeforeTool", 0, 0, "lint"), On: "BeforeTool", Command: "$GEMINI_PROJECT_DIR/hooks/lint.sh --strict",
		Args: []string{"a", "b"}, Env: map[string]string{"LEVEL": "1"}, URL: "http://x", Headers: map[string]string{"A": "b"},
	}
}

func TestChangedEntryNeedsApproval(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(t *testing.T, dir string, e *Entry)
		want   State
	}{
		{name: "nothing", change: func(*testing.T, string, *Entry) {}, want: Approved},
		{name: "another place among the hooks", change: func(_ *testing.T, _ string, e *Entry) { e.Name = HookName("BeforeTool", 1, 0, "lint") }, want: Approved},
		{name: "command", change: func(_ *testing.T, _ string, e *Entry) { e.Command += " --fix" }, want: Changed},
		{name: "white space in the command", change: func(_ *testing.T, _ string, e *Entry) { e.Command += " " }, want: Changed},
		{name: "an argument", change: func(_ *testing.T, _ string, e *Entry) { e.Args[1] = "c" }, want: Changed},
		{name: "one argument less", change: func(_ *testing.T, _ string, e *Entry) { e.Args = e.Args[:1] }, want: Changed},
		{name: "arguments joined", change: func(_ *testing.T, _ string, e *Entry) { e.Args = []string{"ab"} }, want: Changed},
		{name: "the value of a variable", change: func(_ *testing.T, _ string, e *Entry) { e.Env["LEVEL"] = "2" }, want: Changed},
		{name: "another variable", change: func(_ *testing.T, _ string, e *Entry) { e.Env["LD_PRELOAD"] = "./x.so" }, want: Changed},
		{name: "no variables", change: func(_ *testing.T, _ string, e *Entry) { e.Env = nil }, want: Changed},
		{name: "where it runs", change: func(_ *testing.T, dir string, e *Entry) { e.Dir = filepath.Join(dir, "hooks") }, want: Changed},
		{name: "the event", change: func(_ *testing.T, _ string, e *Entry) { e.On = "AfterTool" }, want: Changed},
		{name: "an address", change: func(_ *testing.T, _ string, e *Entry) { e.URL = "http://y" }, want: Changed},
		{name: "a header", change: func(_ *testing.T, _ string, e *Entry) { e.Headers["A"] = "c" }, want: Changed},
		{name: "the kind", change: func(_ *testing.T, _ string, e *Entry) { e.Kind = Server }, want: Unknown},
		{name: "a byte of the script", change: func(t *testing.T, dir string, _ *Entry) {
			write(t, filepath.Join(dir, "hooks", "lint.sh"), "echo lint!")
		}, want: Changed},
		{name: "the script is gone", change: func(t *testing.T, dir string, _ *Entry) {
			if err := os.Remove(filepath.Join(dir, "hooks", "lint.sh")); err != nil {
				t.Fatal(err)
			}
		}, want: Changed},
		{name: "the script is a link to another", change: func(t *testing.T, dir string, _ *Entry) {
			path := filepath.Join(dir, "hooks", "lint.sh")
			write(t, path+".other", "echo other")
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(path+".other", path); err != nil {
				t.Fatal(err)
			}
		}, want: Changed},
		{name: "a file that an argument could mean has come", change: func(t *testing.T, dir string, _ *Entry) {
			write(t, filepath.Join(dir, "b"), "")
		}, want: Changed},
		{name: "another file", change: func(t *testing.T, dir string, _ *Entry) {
			write(t, filepath.Join(dir, "main.go"), "package main")
		}, want: Approved},
	} {
		t.Run(c.name, func(t *testing.T) {
			state, dirs := folders(t, "project")
			s := Open(state)
			write(t, filepath.Join(dirs[0], "hooks", "lint.sh"), "echo lint")
			e := sample()
			l := look(t, s, dirs[0], e)
			if l.State != Unknown {
				t.Errorf("before anyone was asked it is %v", l.State)
			}
			if diff := cmp.Diff(l.Scripts, []string{filepath.Join(dirs[0], "hooks", "lint.sh")}); diff != "" {
				t.Errorf("scripts (-got +want):\n%s", diff)
			}
			approve(t, s, dirs[0], l)

			c.change(t, dirs[0], &e)
			l = look(t, Open(state), dirs[0], e)
			if l.State != c.want {
				t.Errorf("got %v, want %v", l.State, c.want)
			}
			approve(t, s, dirs[0], l)
			if l = look(t, s, dirs[0], e); l.State != Approved {
				t.Errorf("after the user has approved it, it is %v", l.State)
			}
		})
	}
}

func TestOnlyTheShownVersionIsApproved(t *testing.T) {
	state, dirs := folders(t, "project")
	s := Open(state)
	script := filepath.Join(dirs[0], "hooks", "lint.sh")
	write(t, script, "echo lint")
	shown := look(t, s, dirs[0], sample())
	write(t, script, "echo something else") // while the question is open
	approve(t, s, dirs[0], shown)
	if l := look(t, s, dirs[0], sample()); l.State != Changed {
		t.Errorf("what nobody has seen is %v", l.State)
	}
	write(t, script, "echo lint")
	if l := look(t, s, dirs[0], sample()); l.State != Approved {
		t.Errorf("what was shown is %v", l.State)
	}
}

func TestApprovalCoversOneFolder(t *testing.T) {
	state, dirs := folders(t, "a", "b", "a/inside")
	s := Open(state)
	e := Entry{Kind: Server, Name: "db", Command: "db-server"}
	approve(t, s, dirs[0], look(t, s, dirs[0], e))
	for dir, want := range map[string]State{dirs[0]: Approved, dirs[1]: Unknown, dirs[2]: Unknown} {
		if l := look(t, s, dir, e); l.State != want {
			t.Errorf("in %s it is %v, want %v", dir, l.State, want)
		}
	}

	rename(t, dirs[0], dirs[0]+".moved")
	rename(t, dirs[1], dirs[0])
	if l := look(t, s, dirs[0], e); l.State != Unknown {
		t.Errorf("in another folder at the path it is %v", l.State)
	}
}

func TestApproveReplacesEarlierApprovals(t *testing.T) {
	state, dirs := folders(t, "a")
	s := Open(state)
	first, second := Entry{Kind: Server, Name: "db", Command: "one"}, Entry{Kind: Server, Name: "db", Command: "two"}
	other := Entry{Kind: Server, Name: "other", Command: "three"}
	approve(t, s, dirs[0], look(t, s, dirs[0], first), look(t, s, dirs[0], other))
	approve(t, s, dirs[0], look(t, s, dirs[0], second))
	check := func(want map[string]State) {
		t.Helper()
		got := map[string]State{}
		for _, e := range []Entry{first, second, other} {
			got[e.Command] = look(t, s, dirs[0], e).State
		}
		if !maps.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	}
	check(map[string]State{"one": Changed, "two": Approved, "three": Approved})
	if err := s.ApproveOnly(dirs[0], look(t, s, dirs[0], first)); err != nil {
		t.Fatal(err)
	}
	check(map[string]State{"one": Approved, "two": Changed, "three": Unknown})

	add(t, s, dirs[0]) // trust and approvals are two things
	check(map[string]State{"one": Approved, "two": Changed, "three": Unknown})
	if _, err := s.Remove(dirs[0]); err != nil {
		t.Fatal(err)
	}
	check(map[string]State{"one": Unknown, "two": Unknown, "three": Unknown})
}

func TestScriptsOfCommands(t *testing.T) {
	for _, c := range []struct {
		command string
		args    []string
		want    []string // of the files that are there
	}{
		{command: "a.sh", want: []string{"a.sh"}},
		{command: "./a.sh", want: []string{"a.sh"}},
		{command: "bash -c './a.sh && echo'", want: []string{"a.sh"}},
		{command: "true;./a.sh|cat", want: []string{"a.sh"}},
		{command: "$(./a.sh)`tools/b.sh`", want: []string{"a.sh", "tools/b.sh"}},
		{command: `"$GEMINI_PROJECT_DIR"/a.sh`, want: []string{"a.sh"}},
		{command: "${CLAUDE_PROJECT_DIR}/tools/b.sh", want: []string{"tools/b.sh"}},
		{command: "$PWD/tools/b.sh", want: []string{"tools/b.sh"}},
		{command: `"${CLAUDE_PROJECT_DIR:-.}"/tools/b.sh`, want: []string{"tools/b.sh"}},
		{command: "${CLAUDE_PROJECT_DIR:-$(pwd)}/a.sh", want: []string{"a.sh"}},
		{command: `"$(git rev-parse --show-toplevel)/tools/b.sh"`, want: []string{"tools/b.sh"}},
		{command: "`pwd`/a.sh", want: []string{"a.sh"}},
		{command: "D=tools; $D/b.sh", want: []string{"tools/b.sh", "tools/index.js"}},
		{command: "$'./a.sh'", want: []string{"a.sh"}},
		{command: "cd $GEMINI_PROJECT_DIR//tools && ./b.sh", want: []string{"tools/b.sh", "tools/index.js"}},
		{command: "cd tools && cd deep && ./c.sh", want: []string{"tools/deep/c.sh", "tools/index.js"}},
		{command: "cd tools/deep && ../b.sh", want: []string{"tools/b.sh"}},
		{command: "cd tools && ./b.sh", want: []string{"tools/b.sh", "tools/index.js"}}, // one too many
		{command: "/usr/bin/make lint", want: []string{"Makefile"}},
		{command: `python3 "with space.py"`, want: []string{"with space.py"}},
		{command: `python3 with\ space.py`, want: []string{"with space.py"}},
		{command: "node", args: []string{"--require=./a.sh", "tools/b.sh"}, want: []string{"a.sh", "tools/b.sh"}},
		{command: "env A=./a.sh true", want: []string{"a.sh"}},
		{command: "npm run lint", want: []string{"package.json"}},
		{command: "make lint", want: []string{"Makefile"}},
		{command: "tools/../a.sh", want: []string{"a.sh"}},
		{command: "node server", want: []string{"server.js"}},
		{command: "node", args: []string{"tools"}, want: []string{"tools/index.js"}},
		{command: "python3 -m tools.lint", want: []string{"tools/lint.py"}},
		{command: "python3 -mtools.lint", want: []string{"tools/lint.py"}},
		{command: "node -r./server.js x", want: []string{"server.js"}},
		{command: "tool @a.sh", want: []string{"a.sh"}},
		{command: "python3 -m tools.", want: nil},
		{command: "eslint .", want: nil},
		{command: "/bin/sh -c true", want: nil},
		{command: "go vet ./...", want: nil},
	} {
		t.Run(strings.Join(append([]string{c.command}, c.args...), " "), func(t *testing.T) {
			state, dirs := folders(t, "project")
			for _, name := range []string{"a.sh", "tools/b.sh", "with space.py", "package.json", "Makefile", "server.js", "tools/index.js", "tools/lint.py", "tools/deep/c.sh"} {
				write(t, filepath.Join(dirs[0], name), name)
			}
			l := look(t, Open(state), dirs[0], Entry{Kind: Hook, Command: c.command, Args: c.args})
			var got []string
			for _, path := range l.Scripts {
				rel, err := filepath.Rel(dirs[0], path)
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, filepath.ToSlash(rel))
			}
			slices.Sort(got)
			if diff := cmp.Diff(got, c.want); diff != "" {
				t.Errorf("got -, want +:\n%s", diff)
			}
		})
	}
}

func TestUnreadableEntryIsNotApproved(t *testing.T) {
	state, dirs := folders(t, "project")
	s := Open(state)
	script := filepath.Join(dirs[0], "a.sh")
	write(t, script, "")
	e := Entry{Kind: Hook, Name: "x", Command: "./a.sh"}
	approve(t, s, dirs[0], look(t, s, dirs[0], e))
	check := func(what string, e Entry) {
		t.Helper()
		if l, err := s.Approved(dirs[0], e); err == nil || l.State == Approved {
			t.Errorf("%s: %v, error %v", what, l.State, err)
		}
	}
	if err := os.Truncate(script, maxScript+1); err != nil {
		t.Fatal(err)
	}
	check("a script without end", e)
	if err := os.Truncate(script, 0); err != nil {
		t.Fatal(err)
	}
	var words strings.Builder
	for i := range maxWords {
		words.WriteString(" w" + strings.Repeat("x", i))
	}
	check("more words than are distinguished", Entry{Kind: Hook, Name: "y", Command: "./a.sh" + words.String()})
	if err := os.Chmod(filepath.Join(state, fileName), 0o666); err != nil {
		t.Fatal(err)
	}
	check("decisions that others can write", e)
}

func TestRunApprovalIsNotStored(t *testing.T) {
	state, dirs := folders(t, "a", "b")
	s := Open(state)
	write(t, filepath.Join(dirs[0], "a.sh"), "one")
	e := Entry{Kind: Hook, Name: "x", Command: "./a.sh"}
	run := s.ForRun()
	l, err := run.Approved(dirs[0], e)
	if err != nil || l.State != Unknown {
		t.Errorf("before: %v, %v", l.State, err)
	}
	if err := run.Approve(dirs[0], l); err != nil {
		t.Fatal(err)
	}
	if l, err := run.Approved(dirs[0], e); err != nil || l.State != Approved {
		t.Errorf("in the run: %v, %v", l.State, err)
	}
	if l := look(t, s, dirs[0], e); l.State != Unknown {
		t.Errorf("stored: %v", l.State)
	}
	if l, err := run.Approved(dirs[1], Entry{Kind: Hook, Name: "x", Command: "./a.sh"}); err != nil || l.State != Unknown {
		t.Errorf("in another folder: %v, %v", l.State, err)
	}
	write(t, filepath.Join(dirs[0], "a.sh"), "two")
	if l, err := run.Approved(dirs[0], e); err != nil || l.State != Unknown {
		t.Errorf("changed in the run: %v, %v", l.State, err)
	}
}

func BenchmarkApproved(b *testing.B) {
	state, dir := filepath.Join(b.TempDir(), "state"), b.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "lint.sh"), make([]byte, 4<<10), 0o755); err != nil {
		b.Fatal(err)
	}
	s := Open(state)
	e := Entry{Kind: Hook, Name: "x", On: "BeforeTool", Command: "$GEMINI_PROJECT_DIR/lint.sh --strict --fix 2>/dev/null"}
	l, err := s.Approved(dir, e)
	if err != nil {
		b.Fatal(err)
	}
	if err := s.Approve(dir, l); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if l, err := s.Approved(dir, e); l.State != Approved || err != nil {
			b.Fatal(l.State, err)
		}
	}
}

func TestConcurrentApprovals(t *testing.T) {
	state, dirs := folders(t, "a")
	entries := make([]Entry, 20)
	var all sync.WaitGroup
	for i := range entries {
		entries[i] = Entry{Kind: Hook, Name: HookName("BeforeTool", i, 0, ""), Command: "x"}
		entries[i].Args = []string{entries[i].Name}
		all.Go(func() {
			s := Open(state) // as another process has
			l, err := s.Approved(dirs[0], entries[i])
			if err == nil {
				err = s.Approve(dirs[0], l)
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for _, e := range entries {
		if l := look(t, Open(state), dirs[0], e); l.State != Approved {
			t.Errorf("%s is %v", e.Name, l.State)
		}
	}
}

// A stored approval never covers an entry that may run unknown files.
func TestUnseenEntryIsApprovedForTheRunOnly(t *testing.T) {
	state, dirs := folders(t, "project")
	s := Open(state)
	seen := sample()
	approve(t, s, dirs[0], look(t, s, dirs[0], seen))
	unseen := sample()
	unseen.Unseen = "make runs commands from project files"
	if l := look(t, s, dirs[0], unseen); l.State != Unknown {
		t.Errorf("by what was approved before it is %v", l.State)
	}
	approve(t, s, dirs[0], look(t, s, dirs[0], unseen))
	if l := look(t, s, dirs[0], unseen); l.State != Unknown {
		t.Errorf("once it was approved it is %v", l.State)
	}
	run := s.ForRun()
	if err := run.Approve(dirs[0], look(t, s, dirs[0], unseen)); err != nil {
		t.Fatal(err)
	}
	if l, err := run.Approved(dirs[0], unseen); err != nil || l.State != Approved {
		t.Errorf("for the run it is %v, %v", l.State, err)
	}
}
