package names

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/ide/ignore"
)

// place is a folder with an index of it.
type place struct {
	*testing.T
	dir   string
	tree  *disk.Tree
	index *Index
	tasks sync.WaitGroup
	hold  chan struct{} // walks begin when it is closed; nil: at once
}

func newPlace(t *testing.T, files ...string) *place {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &place{T: t, dir: dir}
	for _, name := range files {
		p.write(name, "")
	}
	if p.tree, err = disk.NewTree([]string{dir}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.tree.Close() })
	p.index = NewIndex(Options{
		Rules:  func() ignore.Options { return ignore.Options{} },
		Hidden: func(path string) bool { return filepath.Base(path) == "secret" },
		Go: func(walk func(context.Context)) bool {
			p.tasks.Go(func() {
				if p.hold != nil {
					<-p.hold
				}
				walk(context.Background())
			})
			return true
		},
	})
	return p
}

func (p *place) write(name, text string) {
	p.Helper()
	path := filepath.Join(p.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		p.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		p.Fatal(err)
	}
}

func (p *place) below(ctx context.Context) (string, bool) {
	l, complete := p.index.Below(ctx, p.tree, p.dir)
	var names []string
	for _, n := range l {
		name := n.Rel
		if n.Folder {
			name += "/"
		}
		names = append(names, name)
	}
	slices.Sort(names)
	return strings.Join(names, " "), complete
}

func TestIgnoredAndHiddenNamesAreLeftOut(t *testing.T) {
	p := newPlace(t, ".git/HEAD", "a/b.go", "a/secret", "out/x", "node_modules/m/i.js", "log.txt")
	p.write(".gitignore", "/out/\n*.txt\n")
	if got, complete := p.below(t.Context()); got != ".gitignore a/ a/b.go" || !complete {
		t.Errorf("got %q, complete %t", got, complete)
	}
	p.tasks.Wait()
}

func TestOldListIsReturnedWhileItIsRead(t *testing.T) {
	p := newPlace(t, "a.go")
	synctest.Test(t, func(t *testing.T) {
		p.below(t.Context())
		p.write("b.go", "")
		if got, _ := p.below(t.Context()); got != "a.go" {
			t.Errorf("a list that is fresh was read again: %q", got)
		}
		p.tasks.Wait()
		time.Sleep(freshFor + time.Second)
		p.hold = make(chan struct{})
		if got, complete := p.below(t.Context()); got != "a.go" || !complete {
			t.Errorf("an old list is %q, complete %t", got, complete)
		}
		close(p.hold)
		p.tasks.Wait()
		if got, _ := p.below(t.Context()); got != "a.go b.go" {
			t.Errorf("then it is %q", got)
		}
		p.tasks.Wait()
	})
}

func TestFirstListIsAwaitedUntilTheContextEnds(t *testing.T) {
	p := newPlace(t, "a.go")
	synctest.Test(t, func(t *testing.T) {
		p.hold = make(chan struct{})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if got, complete := p.below(ctx); got != "" || complete {
			t.Errorf("got %q, complete %t", got, complete)
		}
		close(p.hold)
		if got, complete := p.below(t.Context()); got != "a.go" || !complete {
			t.Errorf("then %q, complete %t", got, complete)
		}
		p.tasks.Wait()
	})
}
