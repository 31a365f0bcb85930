package ignore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/ide/disk"
)

// Options select the ignore files. The zero value uses those of git, .geminiignore
// and .emendoignore.
type Options struct {
	NoGit    bool     // do not use .gitignore and .git/info/exclude
	NoGemini bool     // do not use .geminiignore
	Files    []string // more ignore files, relative to the workspace folder; earlier ones take precedence
	Global   string   // the text of git's core.excludesFile, which has the lowest precedence
}

// An Error means that an ignore file cannot be read, so that its rules are unknown.
type Error struct {
	File string // absolute
	Err  error
}

func (e *Error) Error() string {
	return fmt.Sprintf("cannot read the ignore rules in %s: %v; fix or remove that file", e.File, e.Err)
}

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Err }

// Limit is the largest ignore file that is read, in bytes.
const Limit = 1 << 20

// Load returns the rules for the entries of a folder of the tree. In order of
// increasing precedence they are those of git, if the folder is in a repository, of
// .geminiignore and the options' files in the workspace folder, and of .emendoignore
// there. A missing file has no rules. One that cannot be read is an error, because
// without its rules more would be visible than the user wants.
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

// Ignored reports whether the entry at p, or a folder that it is in, is ignored. The
// workspace folder itself never is, nor are the messages that git has the user edit.
func Ignored(ctx context.Context, tree *disk.Tree, p disk.Path, isDir bool, o Options) (bool, error) {
	if !isDir && isMessage(p.Rel) {
		return false, nil
	}
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

// messages are the files in git's folder that the user writes in an editor.
var messages = []string{"COMMIT_EDITMSG", "MERGE_MSG", "SQUASH_MSG", "TAG_EDITMSG", "NOTES_EDITMSG", "EDIT_DESCRIPTION", "git-rebase-todo"}

// isMessage reports whether a file in git's folder, or in that of a linked work tree or
// a submodule, is one of messages.
func isMessage(rel string) bool {
	return slices.Contains(messages, path.Base(rel)) && slices.Contains(strings.Split(rel, "/"), ".git")
}

// enter is Enter, and reads the .gitignore of the folder at.
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

// loadTop returns the rules for the entries of a workspace folder.
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

// loadGit reads git's rules from the top of the repository down to folder. The top
// may be above the workspace; only ignore files are read there.
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
	r := &Rules{git: &level{list: parse(exclude), above: &level{list: parse(global)}}, tracked: &tracked{top: top}}
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
	r.inside = false // the user works in the folder, whatever a repository around it ignores
	return r, nil
}

// repository returns the top of the git repository that folder is in.
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

// read returns the text of an ignore file. A missing file, a link and anything else
// that is not a regular file have none, as in git.
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

// elements splits a relative, slash-separated path.
func elements(rel string) []string {
	if rel = path.Clean(rel); rel == "." {
		return nil
	}
	return strings.Split(rel, "/")
}
