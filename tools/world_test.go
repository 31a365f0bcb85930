package tools

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
)

// world is a folder with files and an editor's open documents.
type world struct {
	t   *testing.T
	dir string // links resolved
	w   *ide.Workspace
	Env
}

// newWorld creates a workspace; a name that ends in "/" is a folder.
func newWorld(t *testing.T, files map[string]string) *world {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, dir: dir}
	for name, text := range files {
		w.write(name, text)
	}
	tree, err := disk.NewTree([]string{dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tree.Close() })
	w.w = ide.NewWorkspace(tree, ide.UTF16)
	w.Env = Env{Dir: dir, IgnoreGit: true, IgnoreEmendo: true}
	return w
}

func (w *world) path(name string) string { return filepath.Join(w.dir, filepath.FromSlash(name)) }

func (w *world) write(name, text string) {
	w.t.Helper()
	path := w.path(name)
	if strings.HasSuffix(name, "/") {
		if err := os.MkdirAll(path, 0o755); err != nil {
			w.t.Fatal(err)
		}
		return
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) link(name, target string) {
	w.t.Helper()
	if err := os.Symlink(filepath.FromSlash(target), w.path(name)); err != nil {
		w.t.Fatal(err)
	}
}

// open opens a document in the editor and replaces its text.
func (w *world) open(name, text string) {
	w.t.Helper()
	uri := string(ide.FileURI(w.path(name)))
	w.w.Open(uri, "", 1, "")
	if err := w.w.Change(uri, 2, []ide.Change{{Text: text}}); err != nil {
		w.t.Fatal(err)
	}
}

// env returns the environment of a call now.
func (w *world) env() Env {
	env := w.Env
	env.Snapshot = w.w.Snapshot()
	return env
}

// prepare prepares a call. args is JSON in which DIR stands for the folder.
func (w *world) prepare(tool Tool, args string) (Action, error) {
	dir, _ := json.Marshal(w.dir)
	args = strings.ReplaceAll(args, "DIR", strings.Trim(string(dir), `"`))
	return tool.Prepare(context.Background(), w.env(), json.RawMessage(args))
}

// call prepares and runs a call. An error of either is in the result.
func (w *world) call(tool Tool, args string) Result {
	w.t.Helper()
	a, err := w.prepare(tool, args)
	if err != nil {
		var e *Error
		if !errors.As(err, &e) {
			w.t.Fatalf("not an error that the model can correct: %v", err)
		}
		return Result{Err: e}
	}
	if _, ok := a.Effect.(Reads); !ok || a.Title == "" {
		w.t.Fatalf("effect %#v, title %q", a.Effect, a.Title)
	}
	return a.Run(context.Background(), func(Progress) {})
}

// text returns what the model reads of a result, with DIR for the folder.
func (w *world) text(r Result) string {
	s := r.Output
	if r.Err != nil {
		s = string(r.Err.Type) + ": " + r.Err.Message
	}
	return strings.ReplaceAll(s, w.dir, "DIR")
}
