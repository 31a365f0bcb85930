package tools

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/ide/ignore"
	"github.com/emendo-dev/emendo/ide/walk"
	"github.com/emendo-dev/emendo/internal/paths"
	"github.com/emendo-dev/emendo/internal/search"
	"github.com/emendo-dev/emendo/tools/proposed"
)

// Names that models give path parameters.
var (
	filePathSynonyms = map[string]string{
		"path": "file_path", "absolute_path": "file_path", "filename": "file_path", "target_file": "file_path", "filePath": "file_path", "filepath": "file_path",
		"file": "file_path", "file_name": "file_path", "fileName": "file_path", "absolutePath": "file_path",
	}
	dirPathSynonyms = map[string]string{
		"path": "dir_path", "directory": "dir_path", "target_directory": "dir_path", "relative_workspace_path": "dir_path", "dirPath": "dir_path",
		"directory_path": "dir_path", "dir": "dir_path", "folder": "dir_path", "absolute_path": "dir_path",
	}
)

// withSynonyms returns synonyms with more of them.
func withSynonyms(synonyms map[string]string, more map[string]string) map[string]string {
	all := maps.Clone(synonyms)
	maps.Copy(all, more)
	return all
}

// Resolve resolves a path argument, absolute or relative to the session's folder,
// to a place in the workspace. The file need not exist.
func Resolve(env Env, param, name string) (disk.Path, error) {
	switch {
	case strings.TrimSpace(name) == "":
		return disk.Path{}, Errorf(InvalidParams, "invalid params: %s is empty", param)
	case !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl):
		return disk.Path{}, Errorf(InvalidParams, "invalid params: %s: contains a control character: %s", param, Shown(name))
	}
	name = TrimAt(env, name)
	p, err := env.Snapshot.Tree().Resolve(absoluteUnclean(env, name))
	if errors.Is(err, disk.ErrOutside) {
		return disk.Path{}, Errorf(NotInWorkspace, "%s is outside the workspace (%s)", Shown(name), Shown(strings.Join(env.Snapshot.Tree().Folders(), ", ")))
	}
	if err != nil {
		return disk.Path{}, DiskError("find", name, err)
	}
	return asStored(env, p, name), nil
}

// asStored returns the path that a name has on disk, where that is written in another
// normal form of Unicode, as macOS stores names; else p.
func asStored(env Env, p disk.Path, name string) disk.Path {
	if exists(env, p) {
		return p
	}
	for _, form := range []norm.Form{norm.NFC, norm.NFD} {
		other := form.String(name)
		if other == name {
			continue
		}
		if q, err := env.Snapshot.Tree().Resolve(absoluteUnclean(env, other)); err == nil && exists(env, q) {
			return q
		}
	}
	return p
}

// TrimAt removes the leading "@" that people write before a file in a prompt from
// a path argument, unless a file or a first folder has that name.
func TrimAt(env Env, name string) string {
	for {
		rest, ok := strings.CutPrefix(name, "@")
		if !ok || rest == "" {
			return name
		}
		first, _, _ := strings.Cut(name, "/")
		for _, n := range []string{name, first} {
			if p, err := env.Snapshot.Tree().Resolve(absoluteUnclean(env, n)); err == nil && exists(env, p) {
				return name
			}
		}
		name = rest
	}
}

// absoluteUnclean returns a path argument as an absolute path. It does not use
// filepath.Join, which would remove "link/.." before the link is followed.
func absoluteUnclean(env Env, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return env.Dir + string(filepath.Separator) + name
}

// Absolute returns the absolute path that a path argument names, links not followed.
func Absolute(env Env, name string) string {
	return filepath.Clean(absoluteUnclean(env, TrimAt(env, name)))
}

// exists reports whether there is something at p, on disk or in the editor.
func exists(env Env, p disk.Path) bool {
	if env.Snapshot.DocumentAt(p.Abs) != nil || env.Snapshot.Gone(p.Abs) {
		return !env.Snapshot.Gone(p.Abs)
	}
	_, err := env.Snapshot.Tree().Stat(p)
	return err == nil
}

// Exists reports whether a path argument names something that exists.
func Exists(env Env, name string) bool {
	p, err := Resolve(env, "path", name)
	return err == nil && exists(env, p)
}

// isDir reports whether there is a folder at p on disk.
func isDir(env Env, p disk.Path) bool {
	info, err := env.Snapshot.Tree().Stat(p)
	return err == nil && info.IsDir()
}

// Near returns a path as the model reads it and may use it again: relative to the
// session's folder, with slashes, if it is in there, else absolute.
func (env Env) Near(path string) string {
	if rel, ok := paths.CutFolder(path, env.Dir); ok {
		return filepath.ToSlash(rel)
	}
	return path
}

// noteProposed puts before what the model reads of a result which of the files have proposed
// edits in it.
func (env Env) noteProposed(r Result, path string, more ...string) Result {
	if names := proposed.Files(env.Snapshot, env.Near, append(more, path)...); len(names) > 0 {
		r = r.Noted(proposed.With(names))
	}
	return r
}

// Noted returns the result with a note, if there is one, before what the model reads of it,
// unless it is an error.
func (r Result) Noted(note string) Result {
	if r.Err == nil && note != "" {
		r.Display, r.Output = cmp.Or(r.Display, r.Output), note+"\n"+r.Output
	}
	return r
}

// DiskError words an error of package disk for the model: what was attempted on
// which path, what happened and what may help.
func DiskError(doing, name string, err error) *Error {
	name = Shown(name)
	if rules, ok := errors.AsType[*ignore.Error](err); ok { // the problem is not the file itself
		return Errorf(ReadFailure, "cannot %s %s: %s", doing, name, Shown(rules.Error()))
	}
	for _, c := range diskErrors {
		if errors.Is(err, c.is) {
			if errors.Is(c.is, disk.ErrTooLarge) && doing == "write" {
				c.words = "it is too large: the limit for a text that is written is 50 MiB; use run_shell_command to make it"
			}
			return Errorf(c.kind, "cannot %s %s: %s", doing, name, c.words)
		}
	}
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	kind := ReadFailure
	if doing == "write" {
		kind = WriteFailure
	}
	return Errorf(kind, "cannot %s %s: %s", doing, name, Shown(err.Error()))
}

var diskErrors = []struct {
	is    error
	kind  ErrorType
	words string
}{
	{fs.ErrNotExist, FileNotFound, "no such file or folder; use glob to find files by name"},
	{disk.ErrNotDir, FileNotFound, "part of the path is a file, not a folder"},
	{disk.ErrOutside, NotInWorkspace, "it is outside the workspace"},
	{disk.ErrIsDir, TargetIsDirectory, "it is a folder; use list_directory"},
	{disk.ErrNotFile, ReadFailure, "it is a device, a pipe or a socket, not a regular file"},
	{disk.ErrBinary, ReadFailure, "it is a binary file"},
	{disk.ErrEncoding, ReadFailure, "its text encoding is not supported"},
	{disk.ErrTooLarge, FileTooLarge, "it is too large: the limit is 10 MiB; use run_shell_command to extract or change a part"},
	{disk.ErrName, InvalidParams, "the path is invalid: names are limited to 255 bytes, paths to 4096"},
	{disk.ErrChanged, EditFailure, "it changed on disk; read it again"},
	{disk.ErrMoved, ReadFailure, "it was moved meanwhile; try again"},
	{syscall.ELOOP, ReadFailure, "its symbolic links form a loop"},
	{fs.ErrPermission, PermissionDenied, "permission denied"},
	{syscall.ENOSPC, NoSpaceLeft, "no space left on the disk"},
}

// ignoreOptions returns the ignore rules of a call: those of the session, unless
// its arguments say otherwise. A call cannot disable .emendoignore, by which the
// user decides what a model must not see.
func ignoreOptions(env Env, git, gemini *bool) ignore.Options {
	return ignore.Options{NoGit: !either(git, env.IgnoreGit), NoGemini: !either(gemini, env.IgnoreEmendo), Global: env.GitExcludes}
}

func either(given *bool, otherwise bool) bool {
	if given != nil {
		return *given
	}
	return otherwise
}

// Hidden returns an error if the ignore rules exclude the file at p or, with symbolic
// links, the one that was named. Those of git do not exclude what a search can find: a
// file that git tracks, one in a folder of dependencies, and with noIgnore any file.
func Hidden(ctx context.Context, env Env, p disk.Path, name string, noIgnore bool) error {
	rules := ignoreOptions(env, nil, nil)
	rules.NoGit = rules.NoGit || noIgnore || slices.ContainsFunc(elements(p), func(name string) bool { return slices.Contains(walk.Dependencies, name) })
	yes, err := excludes(ctx, env, p, name, rules)
	if err != nil {
		return DiskError("read", name, err)
	}
	if !yes {
		return nil
	}
	why := "the ignore rules (.geminiignore or .emendoignore) exclude it, which only the user can change"
	if inGit(p) {
		why = "it is in git's own folder; use git in run_shell_command to see what git knows"
	} else if rules.NoGit = true; !noIgnore {
		if yes, err := excludes(ctx, env, p, name, rules); err == nil && !yes {
			why = "the ignore rules (.gitignore) exclude it; read_file with no_ignore reads it"
		}
	}
	return Errorf(PermissionDenied, "cannot read %s: %s", Shown(name), why)
}

// inGit reports whether a file is in git's own folder, which is excluded without any
// rules.
func inGit(p disk.Path) bool { return slices.Contains(elements(p), ".git") }

// elements returns the names in the path of a file from its workspace folder.
func elements(p disk.Path) []string { return strings.Split(filepath.ToSlash(p.Rel), "/") }

// sealed returns an error if .geminiignore or .emendoignore excludes the file: the
// model may neither see nor change it. Git's own folder is protected by the gate.
func sealed(ctx context.Context, env Env, p disk.Path, name string) error {
	if inGit(p) {
		return nil
	}
	yes, err := excludes(ctx, env, p, name, ignore.Options{NoGit: true, NoGemini: !env.IgnoreEmendo})
	if err != nil {
		return DiskError("change", name, err)
	}
	if yes {
		return Errorf(PermissionDenied, "cannot change %s: .geminiignore or .emendoignore excludes it; if the task needs the change, ask the user to make it", Shown(name))
	}
	return nil
}

// excludes reports whether rules exclude the file at p, or the link to it that was
// named.
func excludes(ctx context.Context, env Env, p disk.Path, name string, rules ignore.Options) (bool, error) {
	places := []disk.Path{p}
	if asked, err := env.Snapshot.Tree().At(absoluteUnclean(env, name)); err == nil && asked != p {
		places = append(places, asked)
	}
	for _, place := range places {
		if yes, err := ignore.Ignored(ctx, env.Snapshot.Tree(), place, false, rules); yes || err != nil {
			return yes, err
		}
	}
	return false, nil
}

// folder resolves a path argument that names a folder. A folder that exists only
// because the editor has unsaved files in it counts.
func folder(ctx context.Context, env Env, param, name string) (disk.Path, error) {
	p, err := Resolve(env, param, name)
	if err != nil {
		return disk.Path{}, err
	}
	info, err := env.Snapshot.Tree().Stat(p)
	switch {
	case err != nil && len(search.OpenBelow(env.Snapshot, p)) > 0:
	case errors.Is(err, fs.ErrNotExist), env.Snapshot.Gone(p.Abs):
		return disk.Path{}, absent(ctx, env, "find", name, p)
	case err != nil:
		return disk.Path{}, DiskError("find", name, err)
	case !info.IsDir():
		return disk.Path{}, Errorf(NotADirectory, "%s is a file, not a folder; use read_file", Shown(name))
	}
	return p, nil
}

// everywhere returns the folders that a search without a folder covers: the
// session's, and those of the workspace that are neither in it nor around it.
func everywhere(env Env) ([]disk.Path, error) {
	at, err := env.Snapshot.Tree().Resolve(env.Dir)
	if err != nil {
		return nil, DiskError("search", env.Dir, err)
	}
	dirs := []disk.Path{at}
	for _, name := range env.Snapshot.Tree().Folders() {
		p, err := env.Snapshot.Tree().Resolve(name)
		if err != nil {
			return nil, DiskError("search", name, err)
		}
		if !slices.ContainsFunc(dirs, func(d disk.Path) bool { return paths.Within(p.Abs, d.Abs) || paths.Within(d.Abs, p.Abs) }) {
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

// IsPlanName reports whether a file with that name can be a plan: Markdown.
func IsPlanName(path string) bool { return strings.EqualFold(filepath.Ext(path), ".md") }

// isPlan reports whether an absolute path, links resolved, is in the session's
// folder of plans.
func isPlan(env Env, path string) bool {
	return env.Plans != nil && filepath.IsAbs(path) && env.Plans.Contains(path)
}

// plannedAs returns the absolute path of the plan that an edit's path names: a path
// in the session's folder of plans or, in plan mode, a relative name that does not
// exist in the workspace.
func plannedAs(env Env, name string) (path string, ok bool) {
	switch {
	case isPlan(env, name):
		return name, true
	case !env.Planning || env.Plans == nil || !filepath.IsLocal(name) || !IsPlanName(name):
		return "", false
	}
	if p, err := env.Snapshot.Tree().Resolve(absoluteUnclean(env, name)); err == nil && exists(env, p) {
		return "", false
	}
	return filepath.Join(env.Plans.Folders()[0], name), true
}
