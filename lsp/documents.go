package lsp

import (
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/lsp/client"
)

// openDocuments applies the client's document notifications to the workspace.
type openDocuments struct {
	c     *client.Client
	order ide.Order
}

func (d *openDocuments) didOpen(p client.DocumentParams) error {
	if err := client.Require(p.Document.URI, "textDocument.uri"); err != nil {
		return err
	}
	d.order.Forget(p.Document.URI)
	d.c.Workspace.Open(p.Document.URI, p.Document.Language, p.Document.VersionNumber(), p.Document.Text)
	d.c.Focus.Opened(ide.ParseURI(p.Document.URI))
	return nil
}

func (d *openDocuments) didChange(p client.ChangeParams) error {
	l := make([]ide.Change, len(p.Changes))
	for i, c := range p.Changes {
		l[i] = ide.Change{Range: c.Range, Text: c.Text}
	}
	if err := d.order.Change(d.c.Workspace, p.Document.URI, p.Document.VersionNumber(), l); err != nil {
		return err
	}
	if n := len(l); n > 0 && l[n-1].Range != nil {
		at := l[n-1].Range.Start
		d.c.Focus.NoteRange(ide.ParseURI(p.Document.URI), ide.Range{Start: at, End: at})
	}
	return nil
}

func (d *openDocuments) didSave(p client.DocumentParams) error {
	return d.c.Workspace.Save(p.Document.URI)
}

// renameParams are the params of workspace/didRenameFiles.
type renameParams struct {
	Files []struct {
		OldURI string `json:"oldUri"`
		NewURI string `json:"newUri"`
	} `json:"files"`
}

func (d *openDocuments) didRename(p renameParams) error {
	for _, f := range p.Files {
		d.c.Workspace.Rename(f.OldURI, f.NewURI)
	}
	return nil
}

func (d *openDocuments) didClose(p client.DocumentParams) error {
	d.order.Forget(p.Document.URI)
	d.c.Focus.Closed(ide.ParseURI(p.Document.URI))
	return d.c.Workspace.Close(p.Document.URI)
}
