package lsp

import (
	"context"
	"encoding/json"
	"fmt"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/lsp/client"
)

// editor implements [ide.Editor] over the client.
type editor struct{ c *client.Client }

// applied is the answer to workspace/applyEdit. The library's type also has
// failedChange, and fails to decode if that is malformed.
type applied struct {
	Applied bool   `json:"applied"`
	Reason  string `json:"failureReason"`
}

// ApplyEdit implements [ide.Editor].
func (e editor) ApplyEdit(ctx context.Context, edit ide.Edit) error {
	if !e.c.Can.ApplyEdit {
		return fmt.Errorf("the editor accepts no edits from a language server: %w", ide.ErrRefused)
	}
	w, err := e.workspaceEdit(edit)
	if err != nil {
		return err
	}
	var answer applied
	params := protocol.ApplyWorkspaceEditParams{Edit: w}
	if edit.Label != "" {
		params.Label = &edit.Label
	}
	err = e.c.Ask(ctx, "workspace/applyEdit", params, &answer)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return fmt.Errorf("%w: %w", ide.ErrRefused, err)
	case !answer.Applied && answer.Reason != "":
		return fmt.Errorf("%w: %s", ide.ErrRefused, answer.Reason)
	case !answer.Applied:
		return ide.ErrRefused
	}
	return nil
}

// workspaceEdit returns an edit in the form that the client supports: with document
// versions if possible, so that the client refuses edits of old text too.
func (e editor) workspaceEdit(edit ide.Edit) (protocol.WorkspaceEdit, error) {
	var w protocol.WorkspaceEdit
	can := e.c.Can
	for _, f := range edit.Files {
		d := f.Document
		name := uri.URI(d.Spelling)
		edits := make([]protocol.TextEdit, len(f.Splices))
		for i, x := range f.Splices {
			edits[i] = protocol.TextEdit{Range: client.Range(d.Text.Range(x.A, x.B, e.c.Workspace.Encoding())), NewText: x.Text}
		}
		switch {
		case f.Delete && can.VersionedEdits && can.Deletes:
			w.DocumentChanges = append(w.DocumentChanges, &protocol.DeleteFile{Kind: "delete", URI: name})
		case f.RenameTo != "" && can.VersionedEdits && can.Renames:
			w.DocumentChanges = append(w.DocumentChanges, &protocol.RenameFile{Kind: "rename", OldURI: name, NewURI: uri.URI(ide.FileURI(f.RenameTo))})
		case f.Delete || f.RenameTo != "":
			return w, fmt.Errorf("the editor cannot delete or rename the open file %s; close it first: %w", d.Spelling, ide.ErrRefused)
		case can.VersionedEdits:
			c := &protocol.TextDocumentEdit{Edits: make([]protocol.TextDocumentEditElement, len(edits))}
			c.TextDocument.URI, c.TextDocument.Version = name, &d.Version
			for i := range edits {
				c.Edits[i] = &edits[i]
			}
			w.DocumentChanges = append(w.DocumentChanges, c)
		default:
			if w.Changes == nil {
				w.Changes = map[uri.URI][]protocol.TextEdit{}
			}
			w.Changes[name] = edits
		}
	}
	return w, nil
}

type urisParams struct {
	URIs []string `json:"uris,omitempty"` // without them: all files
}

// Save implements [ide.Editor].
func (e editor) Save(ctx context.Context, uris []ide.URI) ([]ide.URI, error) {
	if !e.c.Can.Save {
		return nil, ide.ErrUnsupported
	}
	var answer struct {
		Saved []string `json:"saved"`
	}
	if err := e.c.Ask(ctx, "emendo/editor/save", urisParams{e.spelled(uris)}, &answer); err != nil {
		return nil, fmt.Errorf("save in the editor: %w", err)
	}
	saved := make([]ide.URI, len(answer.Saved))
	for i, u := range answer.Saved {
		saved[i] = ide.ParseURI(u)
	}
	return saved, nil
}

// Diagnostics implements [ide.Editor].
func (e editor) Diagnostics(ctx context.Context, uris []ide.URI) (json.RawMessage, error) {
	if !e.c.Can.Diagnostics {
		return nil, ide.ErrUnsupported
	}
	var answer struct {
		Items json.RawMessage `json:"items"`
	}
	if err := e.c.Ask(ctx, "emendo/editor/diagnostics", urisParams{e.spelled(uris)}, &answer); err != nil {
		return nil, fmt.Errorf("get diagnostics from the editor: %w", err)
	}
	return answer.Items, nil
}

// spelled returns URIs as the client writes them.
func (e editor) spelled(uris []ide.URI) []string {
	now := e.c.Workspace.Snapshot()
	l := make([]string, len(uris))
	for i, u := range uris {
		l[i] = string(u)
		if d := now.Document(u); d != nil {
			l[i] = d.Spelling
		}
	}
	return l
}

// Passes implements [ide.LanguageServers].
func (e editor) Passes(method string) bool {
	if method == "textDocument/diagnostic" {
		return e.c.Can.Diagnostics
	}
	return e.c.Can.Passes(method)
}

// Request implements [ide.LanguageServers].
func (e editor) Request(ctx context.Context, method string, params, result any) error {
	return e.c.Request(ctx, method, params, result)
}
