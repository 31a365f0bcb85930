package tools

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf8"

	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/ide/ignore"
)

// Names that models give the arguments for paths.
var (
	filePathSynonyms = map[string]string{"path": "file_path", "absolute_path": "file_path", "filename": "file_path"}
	dirPathSynonyms  = map[string]string{"path": "dir_path", "directory": "dir_path"}
)

// resolve finds where a path argument leads: absolute, or relative to the
// session's folder, and inside the workspace. The file need not exist.
func resolve(env Env, param, name string) (disk.Path, error) {
	switch {
	case strings.TrimSpace(name) == "":
		return disk.Path{}, Errorf(InvalidParams, "%s is empty", param)
	case !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl):
		return disk.Path{}, Errorf(InvalidParams, "%s has a control character: %s", param, Shown(name))
	}
	name = Unmarked(env, name)
	p, err := env.Snapshot.Tree().Resolve(full(env, name))
	if errors.Is(err, disk.ErrOutside) {
		return disk.Path{}, Errorf(NotInWorkspace, "%s is outside the workspace (%s)", Shown(name), Shown(strings.Join(env.Snapshot.Tree().Folders(), ", ")))
	}
	if err != nil {
		return disk.Path{}, diskError("find", name, err)
	}
	return p, nil
}

// Unmarked returns a path argument without the leading "@" that people put
// before a file in a prompt, unless a file or a first folder has that name.
func Unmarked(env Env, name string) string {
	for {
		rest, ok := strings.CutPrefix(name, "@")
		if !ok || rest == "" {
			return name
		}
		first, _, _ := strings.Cut(name, "/")
		for _, n := range []string{name, first} {
			if p, err := env.Snapshot.Tree().Resolve(full(env, n)); err == nil && exists(env, p) {
				return name
			}
		}
		name = rest
	}
}

// full is a path argument as an absolute path. It does not join, which would
// take "link/.." away before the link is followed.
func full(env Env, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return env.Dir + string(filepath.Separator) + name
}

// exists says whether there is something at p, if only in the editor.
func exists(env Env, p disk.Path) bool {
	if env.Snapshot.DocumentAt(p.Abs) != nil {
		return true
	}
	_, err := env.Snapshot.Tree().Stat(p)
	return err == nil
}

// near is a path as the model reads and may write it again: relative to the
// session's folder with slashes when it is in there, else absolute.
func near(env Env, path string) string {
	rel, err := filepath.Rel(env.Dir, path)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return path
	}
	return filepath.ToSlash(rel)
}

// diskError puts an error of package disk in words for the model: what was
// done to which path, what happened and what may help.
func diskError(doing, name string, err error) *Error {
	name = Shown(name)
	if rules, ok := errors.AsType[*ignore.Error](err); ok { // it is not the file itself that is the matter
		return Errorf(ReadFailure, "cannot %s %s: %s", doing, name, Shown(rules.Error()))
	}
	for _, c := range diskErrors {
		if errors.Is(err, c.is) {
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
	{fs.ErrNotExist, FileNotFound, "there is no such file or folder; glob finds files by name"},
	{disk.ErrNotDir, FileNotFound, "a part of the path is a file, not a folder"},
	{disk.ErrOutside, NotInWorkspace, "it is outside the workspace"},
	{disk.ErrIsDir, TargetIsDirectory, "it is a folder; list_directory lists it"},
	{disk.ErrNotFile, ReadFailure, "it is a device, a pipe or a socket, not a regular file"},
	{disk.ErrBinary, ReadFailure, "it is a binary file"},
	{disk.ErrEncoding, ReadFailure, "its text encoding is not supported"},
	{disk.ErrTooLarge, FileTooLarge, "it is too large: the limit is 10 MiB for reading and 50 MiB for editing; extract a part with run_shell_command"},
	{disk.ErrName, InvalidParams, "the path is invalid: a name has at most 255 bytes, a path 4096"},
	{disk.ErrChanged, EditFailure, "it has changed on disk; read it again"},
	{disk.ErrMoved, ReadFailure, "it was moved at the same time; try again"},
	{syscall.ELOOP, ReadFailure, "its symbolic links form a loop"},
	{fs.ErrPermission, PermissionDenied, "permission denied"},
	{syscall.ENOSPC, NoSpaceLeft, "no space left on the disk"},
}
