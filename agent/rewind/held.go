package rewind

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/emendo-dev/emendo/ide/disk"
)

// Held returns a function that reports whether nothing is lost when what is at an absolute path
// is removed: the commit that is checked out has the text of each file, or a command that began
// now would find it copied, or tools make it again. What does not exist is no loss. The folders
// of the tree are looked at once, when it is first called, and nothing is stored: a decision
// comes before the copies are made. Where that fails, everything counts as lost.
func (s *Store) Held(tree *disk.Tree) func(path string) bool {
	ctx := context.Background() // a decision has no context; git is limited in time
	look := sync.OnceValue(func() []holding {
		var l []holding
		for _, folder := range tree.Folders() {
			if h, err := s.holding(ctx, tree, folder); err == nil {
				l = append(l, h)
			}
		}
		return l
	})
	return func(path string) bool {
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			return true
		}
		path = filepath.Join(disk.RealPath(filepath.Dir(path)), filepath.Base(path)) // a link itself is removed
		for _, h := range look() {
			if rel, err := filepath.Rel(h.dir.Abs, path); err == nil && filepath.IsLocal(rel) && rel != "." {
				return h.holds(ctx, filepath.ToSlash(rel))
			}
		}
		return false
	}
}

// A holding is what can be had back of a workspace folder.
type holding struct {
	disk   *disk.Tree
	dir    disk.Path
	repo   *repository
	now    *listing
	copied map[string]bool // what the checkpoint takes
}

func (s *Store) holding(ctx context.Context, tree *disk.Tree, folder string) (h holding, err error) {
	r, err := (&Journal{git: s.git}).watch("", tree).view(ctx, folder)
	if err != nil {
		return h, err
	}
	h = holding{disk: tree, dir: r.dir, repo: r.repo, now: r.was, copied: map[string]bool{}}
	var all sizes
	for rel, size := range r.was.copied(&all) {
		_, h.copied[rel] = measure(tree, r.dir.Join(rel), size)
	}
	return h, nil
}

var errLost = errors.New("it is lost")

// holds reports whether a file, or every file in a folder, can be had back.
func (h holding) holds(ctx context.Context, rel string) bool {
	fi, err := os.Lstat(h.abs(rel))
	if err != nil {
		return false
	}
	if h.now.isRemade(rel, fi.IsDir()) {
		return true
	}
	rest := map[string]fs.FileMode{} // what only the commit may have
	err = filepath.WalkDir(h.abs(rel), func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		at, err := filepath.Rel(h.dir.Abs, path)
		if err != nil {
			return err
		}
		at = filepath.ToSlash(at)
		switch {
		case strings.EqualFold(e.Name(), ".git"):
			return errLost
		case e.IsDir() && h.now.skips(at):
			return filepath.SkipDir
		case e.IsDir(), h.now.remade[at], h.copied[at] && h.readable(at):
			return nil
		case h.repo == nil || h.repo.head == "" || len(rest) == maxNames:
			return errLost
		}
		rest[at] = e.Type()
		return nil
	})
	return err == nil && (len(rest) == 0 || h.committed(ctx, rel, rest))
}

func (h holding) abs(rel string) string { return h.dir.Join(rel).Abs }

// readable reports whether a file can be copied.
func (h holding) readable(rel string) bool {
	f, err := h.disk.Open(h.dir.Join(rel))
	if err != nil {
		return false
	}
	return f.Close() == nil
}

// committed reports whether the commit has the content of files, all of them at or below a path.
func (h holding) committed(ctx context.Context, below string, files map[string]fs.FileMode) bool {
	all, err := h.repo.filesBelow(ctx, below)
	if err != nil {
		return false
	}
	all = slices.DeleteFunc(all, func(c committed) bool { _, asked := files[c.rel]; return !asked })
	err = h.repo.read(ctx, all, disk.EditLimit, func(c committed, data []byte) error {
		now, isLink, err := h.content(ctx, c.rel, files[c.rel])
		if err != nil || data == nil || isLink != (c.gap != "") || !bytes.Equal(data, now) {
			return errLost
		}
		return nil
	})
	return err == nil && len(all) == len(files)
}

// content returns the bytes of a file, or where a link leads.
func (h holding) content(ctx context.Context, rel string, kind fs.FileMode) (data []byte, isLink bool, err error) {
	if kind == fs.ModeSymlink {
		to, err := os.Readlink(h.abs(rel))
		return []byte(to), true, err
	}
	data, err = h.disk.ReadBytes(ctx, h.dir.Join(rel), disk.EditLimit)
	return data, false, err
}

// filesBelow returns the files of the commit at or below a path.
func (r *repository) filesBelow(ctx context.Context, below string) ([]committed, error) {
	out, err := r.git.Run(ctx, r.dir, nil, "ls-tree", "-r", "-z", r.head, "--", below)
	if err != nil {
		return nil, err
	}
	var l []committed
	for rec := range strings.SplitSeq(string(out), "\x00") { // "mode kind name", a tab, the path
		about, rel, ok := strings.Cut(rec, "\t")
		fields := strings.Fields(about)
		if !ok || len(fields) != 3 || fields[1] != "blob" {
			continue
		}
		c := committed{rel: rel, oid: fields[2]}
		if fields[0] == "120000" {
			c.gap = "it is a link"
		}
		l = append(l, c)
	}
	return l, nil
}
