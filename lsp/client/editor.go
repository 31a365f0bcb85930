package client

import (
	"context"
	"encoding/json"
	"fmt"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/emendo-dev/emendo/ide"
)

// applied is the answer to workspace/applyEdit. The library's type also has
// failedChange, and fails to decode if that is malformed.
type applied struct {
	Applied bool   `json:"applied"`
	Reason  string `json:"failureReason"`
}

// ApplyEdit implements [ide.Editor].
func (c *Client) ApplyEdit(ctx context.Context, edit ide.Edit) error {
	if !c.Can.ApplyEdit {
		return fmt.Errorf("the editor accepts no edits from a language server: %w", ide.ErrRefused)
	}
	w, err := c.workspaceEdit(edit)
	if err != nil {
		return err
	}
	var answer applied
	params := protocol.ApplyWorkspaceEditParams{Edit: w}
	if edit.Label != "" {
		params.Label = &edit.Label
	}
	err = c.Ask(ctx, "workspace/applyEdit", params, &answer)
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
func (c *Client) workspaceEdit(edit ide.Edit) (protocol.WorkspaceEdit, error) {
	var w protocol.WorkspaceEdit
	can := c.Can
	for _, f := range edit.Files {
		d := f.Document
		name := uri.URI(d.Spelling)
		edits := make([]protocol.TextEdit, len(f.Splices))
		for i, s := range f.Splices {
			edits[i] = protocol.TextEdit{Range: Range(d.Text.Range(s.A, s.B, c.Workspace.Encoding())), NewText: s.Text}
		}
		switch {
		case f.Delete && can.VersionedEdits && can.Deletes:
			w.DocumentChanges = append(w.DocumentChanges, &protocol.DeleteFile{Kind: "delete", URI: name})
		case f.RenameTo != "" && can.VersionedEdits && can.Renames:
			w.DocumentChanges = append(w.DocumentChanges, &protocol.RenameFile{Kind: "rename", OldURI: name, NewURI: uri.URI(ide.FileURI(f.RenameTo))})
		case f.Delete || f.RenameTo != "":
			return w, fmt.Errorf("the editor cannot delete or rename the open file %s; close it first: %w", d.Spelling, ide.ErrRefused)
		case can.VersionedEdits:
			x := &protocol.TextDocumentEdit{Edits: make([]protocol.TextDocumentEditElement, len(edits))}
			x.TextDocument.URI, x.TextDocument.Version = name, &d.Version
			for i := range edits {
				x.Edits[i] = &edits[i]
			}
			w.DocumentChanges = append(w.DocumentChanges, x)
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
func (c *Client) Save(ctx context.Context, uris []ide.URI) ([]ide.URI, error) {
	if !c.Can.Save {
		return nil, ide.ErrUnsupported
	}
	var answer struct {
		Saved []string `json:"saved"`
	}
	if err := c.Ask(ctx, "emendo/editor/save", urisParams{c.spelled(uris)}, &answer); err != nil {
		return nil, fmt.Errorf("save in the editor: %w", err)
	}
	saved := make([]ide.URI, len(answer.Saved))
	for i, u := range answer.Saved {
		saved[i] = ide.ParseURI(u)
	}
	return saved, nil
}

// Diagnostics implements [ide.Editor].
func (c *Client) Diagnostics(ctx context.Context, uris []ide.URI) (json.RawMessage, error) {
	if !c.Can.Diagnostics {
		return nil, ide.ErrUnsupported
	}
	var answer struct {
		Items json.RawMessage `json:"items"`
	}
	if err := c.Ask(ctx, "emendo/editor/diagnostics", urisParams{c.spelled(uris)}, &answer); err != nil {
		return nil, fmt.Errorf("get diagnostics from the editor: %w", err)
	}
	return answer.Items, nil
}

// spelled returns URIs as the client writes them.
func (c *Client) spelled(uris []ide.URI) []string {
	now := c.Workspace.Snapshot()
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
func (c *Client) Passes(method string) bool {
	if method == "textDocument/diagnostic" {
		return c.Can.Diagnostics
	}
	return c.Can.Passes(method)
}
