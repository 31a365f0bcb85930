package reach

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A project is a workspace for tests.
type project struct {
	t      testing.TB
	folder string
}

func newProject(t *testing.T, files ...string) project {
	t.Helper()
	folder, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := project{t, folder}
	p.put(files...)
	return p
}

func (p project) at(name string) string { return filepath.Join(p.folder, name) }

func (p project) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

// put creates empty files and their folders.
func (p project) put(names ...string) {
	p.t.Helper()
	for _, name := range names {
		p.must(os.MkdirAll(filepath.Dir(p.at(name)), 0o700))
		p.must(os.WriteFile(p.at(name), nil, 0o600))
	}
}

func (p project) link(to, name string) { p.must(os.Symlink(to, p.at(name))) }
func (p project) move(from, to string) { p.must(os.Rename(p.at(from), p.at(to))) }
func (p project) remove(name string)   { p.must(os.RemoveAll(p.at(name))) }
func (p project) age(name string)      { p.must(os.Chtimes(p.at(name), long, long)) }
func (p project) mode(n string, m os.FileMode) {
	p.must(os.Chmod(p.at(n), m))
	p.t.Cleanup(func() { os.Chmod(p.at(n), 0o700) })
}

// long is long ago.
var long = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
