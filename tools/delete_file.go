package tools

import (
	"context"
	_ "embed"
	"encoding/json"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/ledger"
)

//go:embed delete_file.md
var deleteFileText string // what the model reads about this tool

type deleteFile struct{}

// NewDeleteFile returns the tool that deletes a file.
func NewDeleteFile() Tool { return deleteFile{} }

func (deleteFile) Spec() Spec {
	return Spec{
		Name: "delete_file", Display: "DeleteFile", Kind: Delete, Description: deleteFileText, Aliases: []string{"Delete", "remove_file"}, Synonyms: filePathSynonyms, Schema: deleteFileParams.Schema(),
		Similar: []string{"delete", "remove", "removefile", "rm", "unlink"},
	}
}

type deleteFileArgs struct {
	FilePath string `json:"file_path" jsonschema:"Path, absolute or relative to the session folder."`
}

var deleteFileParams = NewParams[deleteFileArgs]()

func (deleteFile) Prepare(ctx context.Context, env Env, raw json.RawMessage) (Action, error) {
	args, err := deleteFileParams.Decode(raw)
	if err != nil {
		return Action{}, err
	}
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
