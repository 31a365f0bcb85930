package patch_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/tools"
)

// world is a folder with files and an editor's open documents.
type world struct {
	t   *testing.T
	dir string // links resolved
	w   *ide.Workspace
	tools.Env
}

// newWorld creates a workspace; a name that ends in "/" is a folder.
func newWorld(t *testing.T, files map[string]string) *world {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if strings.HasSuffix(name, "/") {
			err = os.MkdirAll(path, 0o755)
		} else {
			err = os.WriteFile(path, []byte(text), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	tree, err := disk.NewTree([]string{dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tree.Close() })
	w := &world{t: t, dir: dir, w: ide.NewWorkspace(tree, ide.UTF16)}
	w.Env = tools.Env{Dir: dir, IgnoreGit: true, IgnoreEmendo: true}
	w.View = func(ctx context.Context, name string) (ide.File, error) { return w.w.Snapshot().Read(ctx, name) }
	return w
}

// open opens a document in the editor and replaces its text.
func (w *world) open(name, text string) {
	w.t.Helper()
	uri := string(ide.FileURI(filepath.Join(w.dir, name)))
	w.w.Open(uri, "", 1, "")
	if err := w.w.Change(uri, 2, []ide.Change{{Text: text}}); err != nil {
		w.t.Fatal(err)
	}
}

// env returns the environment of a call now.
func (w *world) env() tools.Env {
	env := w.Env
	env.Snapshot = w.w.Snapshot()
	return env
}

// matches reports whether got equals want, or begins with it if want ends in "...".
func matches(got, want string) bool {
	if head, ok := strings.CutSuffix(want, "..."); ok {
		return strings.HasPrefix(got, head)
	}
	return got == want
}
