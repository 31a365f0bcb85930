package tools

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/ide/ignore"
	"github.com/emendo-dev/emendo/ide/walk"
	"github.com/emendo-dev/emendo/internal/search"
)

// ignoreOptions are the rules that a call goes by: those of the session, or
// what the call says instead. A call cannot lift .emendoignore: it is the
// user's word on what a model must not see.
func ignoreOptions(env Env, git, gemini *bool) ignore.Options {
	return ignore.Options{NoGit: !either(git, env.IgnoreGit), NoGemini: !either(gemini, env.IgnoreEmendo), Global: env.GitExcludes}
}

func either(said *bool, otherwise bool) bool {
	if said != nil {
		return *said
	}
	return otherwise
}

// hidden returns an error when the ignore rules exclude the file at p or, where
// links lead elsewhere, the one that was asked for.
func hidden(ctx context.Context, env Env, p disk.Path, name string) error {
	if yes, err := excludes(ctx, env, p, name, ignoreOptions(env, nil, nil)); err != nil {
		return diskError("read", name, err)
	} else if yes {
		return Errorf(PermissionDenied, "cannot read %s: the ignore rules (.gitignore, .geminiignore or .emendoignore) exclude it", Shown(name))
	}
	return nil
}

// sealed returns an error when .geminiignore or .emendoignore exclude the file:
// the model may neither see nor change it. Git's own folder, which is excluded
// without any rules, is for the gate to protect.
func sealed(ctx context.Context, env Env, p disk.Path, name string) error {
	if slices.Contains(strings.Split(filepath.ToSlash(p.Rel), "/"), ".git") {
		return nil
	}
	yes, err := excludes(ctx, env, p, name, ignore.Options{NoGit: true, NoGemini: !env.IgnoreEmendo})
	if err != nil {
		return diskError("change", name, err)
	}
	if yes {
		return Errorf(PermissionDenied, "cannot change %s: .geminiignore or .emendoignore excludes it; if the task needs the change, ask the user to make it", Shown(name))
	}
	return nil
}

// excludes reports whether rules exclude the file at p, or the link to it that
// was asked for.
func excludes(ctx context.Context, env Env, p disk.Path, name string, rules ignore.Options) (bool, error) {
	places := []disk.Path{p}
	if asked, err := env.Snapshot.Tree().At(full(env, name)); err == nil && asked != p {
		places = append(places, asked)
	}
	for _, place := range places {
		if yes, err := ignore.Ignored(ctx, env.Snapshot.Tree(), place, false, rules); yes || err != nil {
			return yes, err
		}
	}
	return false, nil
}

// folder finds the folder that a path argument names. One that holds nothing
// but files not saved yet counts.
func folder(ctx context.Context, env Env, param, name string) (disk.Path, error) {
	p, err := resolve(env, param, name)
	if err != nil {
		return disk.Path{}, err
	}
	info, err := env.Snapshot.Tree().Stat(p)
	switch {
	case err != nil && len(search.OpenBelow(env.Snapshot, p)) > 0:
	case errors.Is(err, fs.ErrNotExist):
		return disk.Path{}, absent(ctx, env, "find", name, p)
	case err != nil:
		return disk.Path{}, diskError("find", name, err)
	case !info.IsDir():
		return disk.Path{}, Errorf(NotADirectory, "%s is a file, not a folder; read_file reads it", Shown(name))
	}
	return p, nil
}

// firstElement is the first element of a slash-separated path and whether more
// follow.
func firstElement(rel string) (name string, more bool) {
	name, _, more = strings.Cut(rel, "/")
	return name, more
}

// below says whether a clean absolute path is the folder or in it.
func below(folder, path string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(rel)
}

// everywhere returns the folders that a search without a folder covers: the
// session's, and those of the workspace that are neither in it nor around it.
func everywhere(env Env) ([]disk.Path, error) {
	at, err := env.Snapshot.Tree().Resolve(env.Dir)
	if err != nil {
		return nil, diskError("search", env.Dir, err)
	}
	dirs := []disk.Path{at}
	for _, name := range env.Snapshot.Tree().Folders() {
		p, err := env.Snapshot.Tree().Resolve(name)
		if err != nil {
			return nil, diskError("search", name, err)
		}
		if !slices.ContainsFunc(dirs, func(d disk.Path) bool { return below(d.Abs, p.Abs) || below(p.Abs, d.Abs) }) {
			dirs = append(dirs, p)
		}
	}
	return dirs, nil
}

// gapReason says in a few words why part of a folder was skipped.
func gapReason(gap *walk.Gap) string {
	for _, c := range diskErrors {
		if errors.Is(gap.Err, c.is) {
			return c.words
		}
	}
	return gap.Err.Error()
}

func locations(dirs []disk.Path) []Location {
	l := make([]Location, len(dirs))
	for i, d := range dirs {
		l[i].Path = d.Abs
	}
	return l
}
