package lsp

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/emendo-dev/emendo/ide"
)

// editor is the server as the ledger sees it.
type editor server

// textEdit and the like are LSP's; a workspaceEdit has one of its fields.
type textEdit struct {
	Range   ide.Range `json:"range"`
	NewText string    `json:"newText"`
}

type workspaceEdit struct {
	DocumentChanges []any                 `json:"documentChanges,omitzero"`
	Changes         map[string][]textEdit `json:"changes,omitzero"`
}

type documentEdit struct {
	Document struct {
		URI     string `json:"uri"`
		Version int32  `json:"version"`
	} `json:"textDocument"`
	Edits []textEdit `json:"edits"`
}

type deleteFile struct {
	Kind string `json:"kind"`
	URI  string `json:"uri"`
}

type renameFile struct {
	Kind   string `json:"kind"`
	OldURI string `json:"oldUri"`
	NewURI string `json:"newUri"`
}

type applyParams struct {
	Label string        `json:"label"`
	Edit  workspaceEdit `json:"edit"`
}

// ApplyEdit implements [ide.Editor].
func (e *editor) ApplyEdit(ctx context.Context, edit ide.Edit) error {
	if !e.can.applyEdit {
		return fmt.Errorf("it takes no edits from a language server: %w", ide.ErrRefused)
	}
	w, err := e.workspaceEdit(edit)
	if err != nil {
		return err
	}
	var answer struct {
		Applied bool   `json:"applied"`
		Reason  string `json:"failureReason"`
	}
	err = (*server)(e).call(ctx, "workspace/applyEdit", applyParams{edit.Label, w}, &answer)
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

// workspaceEdit puts an edit as this client takes it: with versions where it
// knows them, so that an edit made from old text is refused by it too.
func (e *editor) workspaceEdit(edit ide.Edit) (workspaceEdit, error) {
	var w workspaceEdit
	for _, f := range edit.Files {
		d := f.Document
		edits := make([]textEdit, len(f.Splices))
		for i, x := range f.Splices {
			edits[i] = textEdit{d.Text.Range(x.A, x.B, e.workspace.Encoding()), x.Text}
		}
		switch {
		case f.Delete && e.can.versionedEdits && e.can.deletes:
			w.DocumentChanges = append(w.DocumentChanges, deleteFile{"delete", d.Spelling})
		case f.RenameTo != "" && e.can.versionedEdits && e.can.renames:
			w.DocumentChanges = append(w.DocumentChanges, renameFile{"rename", d.Spelling, string(ide.FileURI(f.RenameTo))})
		case f.Delete || f.RenameTo != "":
			return w, fmt.Errorf("it cannot delete or rename the open file %s for a language server; close the file first: %w", d.Spelling, ide.ErrRefused)
		case e.can.versionedEdits:
			c := documentEdit{Edits: edits}
			c.Document.URI, c.Document.Version = d.Spelling, d.Version
			w.DocumentChanges = append(w.DocumentChanges, c)
		default:
			if w.Changes == nil {
				w.Changes = map[string][]textEdit{}
			}
			w.Changes[d.Spelling] = edits
		}
	}
	return w, nil
}

type urisParams struct {
	URIs []string `json:"uris,omitzero"`
}

// Save implements [ide.Editor].
func (e *editor) Save(ctx context.Context, uris []ide.URI) ([]ide.URI, error) {
	if !e.can.save {
		return nil, ide.ErrUnsupported
	}
	var answer struct {
		Saved []string `json:"saved"`
	}
	if err := (*server)(e).call(ctx, "emendo/editor/save", urisParams{e.spelled(uris)}, &answer); err != nil {
		return nil, fmt.Errorf("saving in the editor: %w", err)
	}
	saved := make([]ide.URI, len(answer.Saved))
	for i, u := range answer.Saved {
		saved[i] = ide.ParseURI(u)
	}
	return saved, nil
}

// Diagnostics implements [ide.Editor].
func (e *editor) Diagnostics(ctx context.Context, uris []ide.URI) (json.RawMessage, error) {
	if !e.can.diagnostics {
		return nil, ide.ErrUnsupported
	}
	var answer struct {
		Items json.RawMessage `json:"items"`
	}
	if err := (*server)(e).call(ctx, "emendo/editor/diagnostics", urisParams{e.spelled(uris)}, &answer); err != nil {
		return nil, fmt.Errorf("asking the editor for diagnostics: %w", err)
	}
	return answer.Items, nil
}

// spelled gives URIs back as the client writes them.
func (e *editor) spelled(uris []ide.URI) []string {
	now := e.workspace.Snapshot()
	l := make([]string, len(uris))
	for i, u := range uris {
		l[i] = string(u)
		if d := now.Document(u); d != nil {
			l[i] = d.Spelling
		}
	}
	return l
}
