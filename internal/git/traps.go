package git

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/emendo-dev/emendo/internal/gitdir"
)

// traps are pipes, sockets and devices where git reads a file: git would wait for them.
// Those in a repository's own folder are looked for before each call, those anywhere
// below the work tree only when git takes long, and then they are remembered.
type traps struct {
	mu    sync.Mutex
	found []string // absolute
}

// inFolders are the files that git reads in each folder of a work tree.
var inFolders = []string{".gitignore", ".gitattributes", ".gitmodules"}

// check returns an error if git would wait for a trap in the repository of a folder.
func (t *traps) check(dir string) error {
	r, ok := gitdir.Around(dir, "")
	if !ok {
		return nil
	}
	t.mu.Lock()
	t.found = slices.DeleteFunc(t.found, func(path string) bool { return !isTrap(path) })
	suspects := slices.Clone(t.found)
	t.mu.Unlock()
	suspects = slices.DeleteFunc(suspects, func(path string) bool { return !strings.HasPrefix(path, r.Tree+string(filepath.Separator)) })
	for _, name := range []string{"HEAD", "index", "config.worktree"} {
		suspects = append(suspects, filepath.Join(r.Git, name))
	}
	for _, name := range []string{"config", "packed-refs", "shallow", "info/exclude", "info/attributes", "info/grafts", "objects/info/alternates"} {
		suspects = append(suspects, filepath.Join(r.Common, filepath.FromSlash(name)))
	}
	for at := dir; ; at = filepath.Dir(at) {
		for _, name := range inFolders {
			suspects = append(suspects, filepath.Join(at, name))
		}
		if at == r.Tree || at == filepath.Dir(at) {
			break
		}
	}
	for _, path := range suspects {
		if isTrap(path) {
			return trapError(path)
		}
	}
	return nil
}

// trapError is the path of a trap.
type trapError string

func (e trapError) Error() string {
	return fmt.Sprintf("%s is a pipe, a socket or a device, for which git would wait; remove it", string(e))
}

// guard returns a context that ends with a trapError if a trap is found below the work
// tree of a folder. The search begins after a while; stop ends it and waits for it.
func (t *traps) guard(ctx context.Context, dir string, after time.Duration) (guarded context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	var search sync.WaitGroup
	timer := time.NewTimer(after)
	search.Go(func() {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		if path := find(ctx, dir); path != "" {
			t.mu.Lock()
			t.found = append(t.found, path)
			t.mu.Unlock()
			cancel(trapError(path))
		}
	})
	return ctx, func() {
		timer.Stop()
		cancel(nil)
		search.Wait()
	}
}

// find returns the first trap in the folders of a work tree, or "".
func find(ctx context.Context, dir string) string {
	if r, ok := gitdir.Around(dir, ""); ok {
		dir = r.Tree
	}
	found := ""
	_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error { // what cannot be read, git does not read either
		switch {
		case ctx.Err() != nil:
			return fs.SkipAll
		case err == nil && e.IsDir() && e.Name() == ".git":
			return fs.SkipDir
		case err == nil && slices.Contains(inFolders, e.Name()) && isTrap(path):
			found = path
			return fs.SkipAll
		}
		return nil
	})
	return found
}

// isTrap reports whether a path leads to a pipe, a socket or a device. It does
// not count the null device, which git sees the end of.
func isTrap(path string) bool {
	info, err := os.Stat(path)
	if err != nil || info.Mode()&(fs.ModeNamedPipe|fs.ModeSocket|fs.ModeDevice) == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}
