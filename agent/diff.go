package agent

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/internal/paths"
	"github.com/emendo-dev/emendo/internal/secret"
)

// A Diff is what git says has changed, fit for a model.
type Diff struct {
	Text   string   // empty: nothing has changed
	Staged bool     // it has the staged changes alone
	Left   int      // files whose content is left out, since they hold secrets
	Files  []string // the names of all its files, also of those that Text was too short for
	Folder string   // absolute
}

// A DiffOf selects what a diff is made of.
type DiffOf struct {
	URI   string   // of a file or folder in the repository; empty: the first folder
	Of    string   // "staged", "uncommitted", "commit", "branch", or empty: what is staged, if anything is
	Ref   string   // of "commit" the commit, and of "branch" the branch that the current one has left; empty: the usual
	Files []string // URIs; empty: all
}

// ErrNoDiff means that there is no diff to be had.
var ErrNoDiff = errors.New("cannot compare with git")

// Diff returns a diff for the user's client to attach to a prompt. Git runs nothing
// that the repository names, whether it is trusted or not.
func (a *Agent) Diff(ctx context.Context, o DiffOf) (Diff, error) {
	if !a.Process.Options.Git.Found() {
		return Diff{}, fmt.Errorf("%w: git is not installed", ErrNoDiff)
	}
	dir, err := a.diffFolder(o.URI)
	if err != nil {
		return Diff{}, err
	}
	var files []string
	for _, uri := range o.Files {
		path := ide.ParseURI(uri).Path()
		if path == "" {
			return Diff{}, fmt.Errorf("%w: %s is not a file", ErrNoDiff, uri)
		}
		files = append(files, path)
	}
	var text []byte
	d := Diff{Folder: dir}
	switch git := a.Process.Options.Git; o.Of {
	case "commit":
		text, err = git.CommitDiff(ctx, dir, o.Ref)
	case "branch":
		text, err = git.BranchDiff(ctx, dir, o.Ref)
	default:
		d.Staged = o.Of != "uncommitted"
		text, err = git.Diff(ctx, dir, d.Staged, files)
		if err == nil && len(text) == 0 && o.Of == "" {
			d.Staged = false
			text, err = git.Diff(ctx, dir, false, files)
		}
	}
	if err != nil {
		return Diff{}, fmt.Errorf("%w: %w", ErrNoDiff, err)
	}
	known := a.Process.Options.Secrets.Known(string(text))
	d.Text, d.Left = secret.ShortDiff(known)
	d.Files = secret.FilesOf(known)
	return d, nil
}

// diffFolder returns the folder in which git compares: that of a file or folder in
// the workspace, or around it.
func (a *Agent) diffFolder(uri string) (string, error) {
	folders := a.Process.Options.Workspace.Snapshot().Tree().Folders()
	if uri == "" {
		if len(folders) == 0 {
			return "", fmt.Errorf("%w: no folder is open", ErrNoDiff)
		}
		return folders[0], nil
	}
	path := ide.ParseURI(uri).Path()
	dir := path
	for !paths.IsFolder(dir) && filepath.Dir(dir) != dir {
		dir = filepath.Dir(dir)
	}
	real := paths.Resolve(dir)
	if filepath.IsAbs(path) && slices.ContainsFunc(folders, func(f string) bool {
		return paths.WithinAny(real, []string{f}) || paths.WithinAny(f, []string{real})
	}) {
		return dir, nil
	}
	return "", fmt.Errorf("%w: %s is outside the workspace", ErrNoDiff, uri)
}
