package ignore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/emendo-dev/emendo/ide/disk"
)

// Options say whose rules hold; the zero value is git's, .geminiignore's and
// .emendoignore's.
type Options struct {
	NoGit    bool     // leaves out .gitignore and .git/info/exclude
	NoGemini bool     // leaves out .geminiignore
	Files    []string // more files of rules, relative to the workspace folder; an earlier one is stronger
	Global   string   // the text of git's core.excludesFile, weakest of all
}

// An Error says that a file of rules cannot be read, so that nobody can tell what
// it hides.
type Error struct {
	File string // absolute
	Err  error
}

func (e *Error) Error() string {
	return fmt.Sprintf("the ignore rules in %s cannot be read: %v; mend that file or take it away", e.File, e.Err)
}

// Unwrap gives the reason.
func (e *Error) Unwrap() error { return e.Err }

// Limit is how large a file of rules may be, in bytes.
const Limit = 1 << 20

// Load gives the rules that hold for the entries of a folder of the tree. From
// weak to strong they are git's, if the folder is in a repository, those of
// .geminiignore and of the options' files in the workspace folder, and those
// of .emendoignore there. A missing file has no rules; one that cannot be read
// is an error, for without its rules more would be shown than the user wants.
func Load(ctx context.Context, tree *disk.Tree, dir disk.Path, o Options) (*Rules, error) {
	r, err := loadTop(ctx, tree, dir.Root, o)
	if err != nil {
		return nil, err
	}
	at := disk.Path{Abs: dir.Root, Root: dir.Root, Rel: "."}
	for _, name := range elements(dir.Rel) {
		at = at.Join(name)
		if r, err = r.enter(ctx, tree, at, name); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// Ignored says whether the entry at p, or a folder that it is in, is ignored.
// The workspace folder itself never is.
func Ignored(ctx context.Context, tree *disk.Tree, p disk.Path, isDir bool, o Options) (bool, error) {
	r, err := loadTop(ctx, tree, p.Root, o)
	if err != nil {
		return false, err
	}
	at := disk.Path{Abs: p.Root, Root: p.Root, Rel: "."}
	names := elements(p.Rel)
	for i, name := range names {
		last := i == len(names)-1
		if r.Ignored(name, isDir || !last) {
			return true, nil
		}
		if last {
			break
		}
		at = at.Join(name)
		if r, err = r.enter(ctx, tree, at, name); err != nil {
			return false, err
		}
	}
	return false, nil
}

// enter is Enter with the .gitignore read; at is the folder that is entered.
func (r *Rules) enter(ctx context.Context, tree *disk.Tree, at disk.Path, name string) (*Rules, error) {
	var text string
	if r.Git() {
		var err error
		if text, err = read(ctx, tree, at.Join(".gitignore")); err != nil {
			return nil, err
		}
	}
	return r.Enter(name, text), nil
}

// loadTop gives the rules for the entries of a workspace folder.
func loadTop(ctx context.Context, tree *disk.Tree, folder string, o Options) (*Rules, error) {
	r := &Rules{}
	if !o.NoGit {
		var err error
		if r, err = loadGit(ctx, folder, o.Global); err != nil {
			return nil, err
		}
	}
	names := append([]string{".emendoignore"}, o.Files...)
	if !o.NoGemini {
		names = append(names, ".geminiignore")
	}
	for _, name := range names {
		p, err := tree.Resolve(filepath.Join(folder, name))
		if err != nil {
			return nil, &Error{filepath.Join(folder, name), err}
		}
		text, err := read(ctx, tree, p)
		if err != nil {
			return nil, err
		}
		if l := parse(text); len(l.patterns) > 0 {
			r.over = append(r.over, level{list: l, base: r.baseLength()})
		}
	}
	return r, nil
}

// loadGit reads git's rules from the top of the repository down to folder. The
// top may be above the workspace; no more than files of rules is read there.
func loadGit(ctx context.Context, folder, global string) (*Rules, error) {
	top, ok := repository(folder)
	if !ok {
		return &Rules{}, nil
	}
	tree, err := disk.NewTree([]string{top})
	if err != nil {
		return nil, fmt.Errorf("read git's ignore rules: %w", err)
	}
	defer tree.Close()
	at := disk.Path{Abs: top, Root: top, Rel: "."}
	exclude, err := read(ctx, tree, at.Join(".git/info/exclude"))
	if err != nil {
		return nil, err
	}
	text, err := read(ctx, tree, at.Join(".gitignore"))
	if err != nil {
		return nil, err
	}
	r := &Rules{git: &level{list: parse(exclude), above: &level{list: parse(global)}}}
	r.add(text)
	rel, err := filepath.Rel(top, folder)
	if err != nil {
		return nil, fmt.Errorf("read git's ignore rules: %w", err)
	}
	for _, name := range elements(filepath.ToSlash(rel)) {
		at = at.Join(name)
		if r, err = r.enter(ctx, tree, at, name); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// repository is the top of the git repository that folder is in.
func repository(folder string) (string, bool) {
	for {
		if _, err := os.Lstat(filepath.Join(folder, ".git")); err == nil {
			return folder, true
		}
		above := filepath.Dir(folder)
		if above == folder {
			return "", false
		}
		folder = above
	}
}

// read gives the text of a file of rules. What is missing or is no file has
// none, and neither has a link, as git wants it.
func read(ctx context.Context, tree *disk.Tree, p disk.Path) (string, error) {
	data, err := tree.ReadBytes(ctx, p, Limit)
	switch {
	case err == nil:
		return string(data), nil
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, disk.ErrIsDir), errors.Is(err, disk.ErrNotFile),
		errors.Is(err, disk.ErrMoved), errors.Is(err, disk.ErrNotDir):
		return "", nil
	}
	return "", &Error{p.Abs, err}
}

// elements of a relative, slash-separated path.
func elements(rel string) []string {
	if rel = path.Clean(rel); rel == "." {
		return nil
	}
	return strings.Split(rel, "/")
}
