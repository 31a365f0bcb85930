package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
	"github.com/emendo-dev/emendo/internal/builds"
)

// unpack writes the files of an archive into the workspace, in place of what is there, and
// commits them.
func (w *world) unpack(files []txtar.File) {
	w.t.Helper()
	w.again(w.dir)
	w.put(filepath.Join(filepath.Dir(w.dir), ".gitconfig"), "[user]\n\tname = u\n\temail = u@example.com\n[init]\n\tdefaultBranch = main\n[advice]\n\tdetachedHead = false\n")
	for _, f := range files {
		w.write(f.Name, string(f.Data))
	}
	w.git("init", "-q", "-b", "main")
	w.git("add", "-A")
	w.git("commit", "-q", "-m", "Begin")
}

// toolchains has commands find the machine's own toolchains, which are in the home folder of
// the user who runs the tests.
func (w *world) toolchains() {
	w.t.Helper()
	home, err := os.UserHomeDir()
	if err != nil {
		w.t.Fatal(err)
	}
	for name, folder := range map[string]string{"RUSTUP_HOME": ".rustup", "CARGO_HOME": ".cargo", "PYENV_ROOT": ".pyenv"} {
		if _, err := os.Stat(filepath.Join(home, folder)); err == nil {
			w.env = append(w.env, name+"="+filepath.Join(home, folder))
		}
	}
}

// has reports whether a program works on this machine.
func (w *world) has(program string) bool {
	w.t.Helper()
	c := exec.CommandContext(w.t.Context(), program, "--version")
	if program == "go" {
		c.Args[1] = "version"
	}
	c.Env = w.env
	err := c.Run()
	if err != nil {
		w.t.Logf("%s does not work here: %v", program, err)
	}
	return err == nil
}

// With nobody there to ask, the tests of a project run, and leave a fresh clone as it was.
func TestTestsOfProjectsRunHeadless(t *testing.T) {
	if testing.Short() {
		t.Skip("runs real compilers")
	}
	paths, err := filepath.Glob("../../testdata/projects/*.txtar")
	if err != nil || len(paths) != 5 {
		t.Fatalf("%q, %v", paths, err)
	}
	w := newWorld(t) // one for all, whose caches stay
	w.toolchains()
	env, from, clone := w.env, w.dir, filepath.Join(filepath.Dir(w.dir), "clone")
	for _, path := range paths {
		a, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		line := strings.TrimSpace(string(a.Comment))
		w.t = t
		if program, _, _ := strings.Cut(line, " "); !w.has(program) {
			continue
		}
		for _, level := range []string{"A", "B"} {
			t.Run(line+" at level "+level, func(t *testing.T) {
				w.t, w.dir, w.env = t, from, append(env[:len(env):len(env)], levelVariable+"="+level)
				w.unpack(a.Files)
				w.dir = w.again(clone)
				w.git("clone", "-q", from, ".")
				w.model.Add(shellCall(line), shellCall("echo x >> .gitignore"), geminitest.Say("Done."))
				r := w.exec("run", "--trust", "-p", "run the tests", "--output-format", "stream-json")
				r.wantCode(t, 0)
				var printed []string
				for _, l := range r.lines(t) {
					if l["type"] == "tool_result" {
						printed = append(printed, l["status"].(string)+" "+l["output"].(string))
					}
				}
				if len(printed) != 2 || !strings.HasPrefix(printed[0], "success") || strings.Contains(printed[0], "Exit Code") {
					t.Errorf("the tests: %q", printed)
				}
				if len(printed) == 2 && !strings.Contains(printed[1], "commands leave the workspace as it was") {
					t.Errorf("a command that writes: %q", printed[1])
				}
				if got := w.git("status", "--porcelain"); got != "" {
					t.Errorf("git status: %s", got)
				}
				if empty := w.emptyFolders(); len(empty) > 0 {
					t.Errorf("these folders are empty: %q", empty)
				}
			})
		}
	}
}

// again makes a folder, without what was in it.
func (w *world) again(dir string) string {
	w.t.Helper()
	if err := errors.Join(os.RemoveAll(dir), os.Mkdir(dir, 0o755)); err != nil {
		w.t.Fatal(err)
	}
	return dir
}

// emptyFolders returns the empty folders of the workspace, but for those in folders of git and
// of builds.
func (w *world) emptyFolders() (empty []string) {
	w.t.Helper()
	err := filepath.WalkDir(w.dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || !e.IsDir() {
			return err
		}
		if e.Name() == ".git" {
			return filepath.SkipDir
		}
		if l, err := os.ReadDir(path); err != nil || len(l) == 0 {
			empty = append(empty, path)
		} else if builds.Folder(e.Name()) {
			return filepath.SkipDir
		}
		return nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return empty
}
