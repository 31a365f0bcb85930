package lsp

import (
	"github.com/emendo-dev/emendo/ide"
)

type document struct {
	URI      string `json:"uri"`
	Language string `json:"languageId"`
	Version  *int32 `json:"version"`
	Text     string `json:"text"`
}

type documentParams struct {
	Document document `json:"textDocument"`
}

type changeParams struct {
	Document document `json:"textDocument"`
	Changes  []struct {
		Range *ide.Range `json:"range"`
		Text  string     `json:"text"`
	} `json:"contentChanges"`
}

func (s *server) didOpen(p documentParams) error {
	if err := need(p.Document.URI, "textDocument.uri"); err != nil {
		return err
	}
	s.workspace.Open(p.Document.URI, p.Document.Language, version(p.Document), p.Document.Text)
	s.focus.opened(ide.ParseURI(p.Document.URI))
	return nil
}

func (s *server) didChange(p changeParams) error {
	l := make([]ide.Change, len(p.Changes))
	for i, c := range p.Changes {
		l[i] = ide.Change{Range: c.Range, Text: c.Text}
	}
	if err := s.workspace.Change(p.Document.URI, version(p.Document), l); err != nil {
		return err
	}
	if n := len(l); n > 0 && l[n-1].Range != nil {
		at := l[n-1].Range.Start
		s.focus.seen(ide.ParseURI(p.Document.URI), ide.Range{Start: at, End: at})
	}
	return nil
}

func (s *server) didSave(p documentParams) error { return s.workspace.Save(p.Document.URI) }

func (s *server) didClose(p documentParams) error {
	s.focus.closed(ide.ParseURI(p.Document.URI))
	return s.workspace.Close(p.Document.URI)
}

// version of a document; some clients send null for one that never changes.
func version(d document) int32 {
	if d.Version == nil {
		return 0
	}
	return *d.Version
}
