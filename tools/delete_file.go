package tools

import (
	"context"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/ledger"
)

// DeleteFile is the tool that deletes a file.
var DeleteFile = Declare(Spec{
	Name: "delete_file", Display: "DeleteFile", Kind: Delete, Aliases: []string{"Delete", "remove_file"}, Synonyms: filePathSynonyms,
	Similar: []string{"delete", "remove", "removefile", "rm", "unlink"},
}, pages, NewParams[deleteFileArgs](), prepareDeleteFile)

type deleteFileArgs struct {
	FilePath string `json:"file_path" jsonschema:"Path, absolute or relative to the session folder."`
}

func prepareDeleteFile(ctx context.Context, env Env, args deleteFileArgs) (Action, error) {
	return Deletion(ctx, env, "file_path", args.FilePath)
}

// Deletion returns the action that deletes the file that an argument names.
func Deletion(ctx context.Context, env Env, param, name string) (Action, error) {
	e, err := existing(ctx, env, "delete", param, name)
	if err != nil {
		return Action{}, err
	}
	p := ledger.Proposed{Path: e.File.Path, URI: ide.FileURI(e.File.Path), Op: ledger.Delete, Base: e.File}
	return Action{
		Title:     "Delete " + e.Name,
		Locations: []Location{{Path: e.File.Path}},
		Effect:    Edits{Files: []ledger.Proposed{p}, Given: []string{e.Given}, Hidden: e.hides(p)},
	}, nil
}
