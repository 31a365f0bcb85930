package tools

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/ide/ledger"
)

// MoveFile is the tool that moves or renames a file.
var MoveFile = Declare(Spec{
	Name: "move_file", Display: "MoveFile", Kind: Move, Synonyms: moveSynonyms,
	Similar: []string{"move", "rename", "renamefile", "mv"},
}, pages, NewParams[moveFileArgs](), prepareMoveFile)

// moveSynonyms are the names that models give the two paths.
var moveSynonyms = map[string]string{
	"source": "source_path", "from": "source_path", "old_path": "source_path", "file_path": "source_path",
	"destination": "destination_path", "to": "destination_path", "new_path": "destination_path", "target_path": "destination_path",
}

type moveFileArgs struct {
	SourcePath      string `json:"source_path" jsonschema:"Path of the file, absolute or relative to the session folder."`
	DestinationPath string `json:"destination_path" jsonschema:"New path of the file, with its name. Missing folders are created."`
}

func prepareMoveFile(ctx context.Context, env Env, args moveFileArgs) (Action, error) {
	return Movement(ctx, env, "source_path", args.SourcePath, args.DestinationPath)
}

// Movement returns the action that moves the file that an argument names.
func Movement(ctx context.Context, env Env, param, from, dest string) (Action, error) {
	e, err := existing(ctx, env, "move", param, from)
	if err != nil {
		return Action{}, err
	}
	to, err := vacant(ctx, env, e, dest)
	if err != nil {
		return Action{}, err
	}
	p := ledger.Proposed{
		Path: e.File.Path, URI: ide.FileURI(e.File.Path), Op: ledger.Rename, NewPath: to.Abs,
		Base: e.File, New: e.File.Text.String(),
	}
	given := []string{e.Given, Absolute(env, dest)}
	return Action{
		Title:     "Move " + e.Name + " to " + Shown(env.Near(to.Abs)),
		Locations: []Location{{Path: e.File.Path}, {Path: to.Abs}},
		Effect:    Edits{Files: []ledger.Proposed{p}, Given: given, Hidden: e.hides(p)},
	}, nil
}

// existing reads a file that is to be moved or deleted as a whole.
func existing(ctx context.Context, env Env, doing, param, name string) (Editable, error) {
	if virtual(env, name) != nil {
		return Editable{}, Errorf(InvalidParams, "cannot %s %s: it is not a file on disk but a document of the editor", doing, Shown(name))
	}
	e, err := editableAt(ctx, env, param, name)
	switch {
	case errors.Is(err, disk.ErrIsDir):
		return Editable{}, Errorf(TargetIsDirectory, "cannot %s %s: it is a folder; use run_shell_command", doing, Shown(name))
	case errors.Is(err, disk.ErrBinary):
		return Editable{}, Errorf(ReadFailure, "cannot %s %s: it is a binary file, which cannot be reviewed; use run_shell_command", doing, Shown(name))
	case err != nil:
		return Editable{}, DiskError(doing, name, err)
	case e.Missing:
		return Editable{}, DiskError(doing, name, fs.ErrNotExist)
	case isLink(env, name):
		return Editable{}, Errorf(InvalidParams, "cannot %s %s: it is a symbolic link to %s; use run_shell_command, or name the file itself", doing, Shown(name), e.Name)
	}
	return e, nil
}

// isLink reports whether a path argument itself, not a folder on the way, is a
// symbolic link.
func isLink(env Env, name string) bool {
	tree, path := env.Snapshot.Tree(), absoluteUnclean(env, TrimAt(env, name))
	dir, err := tree.Resolve(filepath.Dir(path))
	if err != nil {
		return false
	}
	p, err := tree.At(filepath.Join(dir.Abs, filepath.Base(path)))
	if err != nil {
		return false
	}
	_, err = tree.Stat(p)
	return errors.Is(err, disk.ErrMoved)
}

// vacant resolves the place to which a file is to be moved.
func vacant(ctx context.Context, env Env, e Editable, name string) (disk.Path, error) {
	to, err := Resolve(env, "destination_path", name)
	if err != nil {
		return disk.Path{}, err
	}
	if err := sealed(ctx, env, to, name); err != nil {
		return disk.Path{}, err
	}
	info, err := env.Snapshot.Tree().Stat(to)
	folder := err == nil && info.Mode().IsDir() || strings.HasSuffix(filepath.ToSlash(name), "/")
	switch {
	case to.Abs == e.File.Path:
		return disk.Path{}, Errorf(NoChange, "%s is already there; nothing was changed", e.Name)
	case folder:
		return disk.Path{}, Errorf(InvalidParams, "cannot move %s to %s: that names a folder; pass the new path with the file's name", e.Name, Shown(name))
	case to.Root != e.Path.Root:
		return disk.Path{}, Errorf(InvalidParams, "cannot move %s to %s: that is in another workspace folder; write the file there and delete this one", e.Name, Shown(name))
	case exists(env, to) && !strings.EqualFold(to.Abs, e.File.Path): // only the case may change
		return disk.Path{}, Errorf(AlreadyExists, "cannot move %s to %s: that file exists already; delete it first if it is to be replaced", e.Name, Shown(name))
	}
	return to, nil
}
