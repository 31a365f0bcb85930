package langserver

import (
	"context"
	"maps"
	"slices"

	"github.com/emendo-dev/emendo/ide"
)

// documents are the documents that a server has open, by path.
type documents map[string]document

type document struct {
	version int32
	text    string
}

// textDocument identifies a document in a message.
type textDocument struct {
	URI      ide.URI `json:"uri"`
	Language string  `json:"languageId,omitempty"`
	Version  *int32  `json:"version,omitempty"`
	Text     *string `json:"text,omitempty"`
}

// sync makes the server's documents equal to want, which maps paths to texts.
func (s *server) sync(ctx context.Context, want map[string]string) error {
	for _, path := range slices.Sorted(maps.Keys(s.documents)) {
		if _, ok := want[path]; ok {
			continue
		}
		delete(s.documents, path)
		if err := s.conn.Notify(ctx, "textDocument/didClose", map[string]any{"textDocument": textDocument{URI: ide.FileURI(path)}}); err != nil {
			return err
		}
	}
	for _, path := range slices.Sorted(maps.Keys(want)) {
		if err := s.setDocument(ctx, path, want[path]); err != nil {
			return err
		}
	}
	return nil
}

// setDocument opens a document with that text, or changes its text. Version numbers
// continue after a document was closed, so that a late report is not taken for a
// current one.
func (s *server) setDocument(ctx context.Context, path, text string) error {
	d, open := s.documents[path]
	if open && d.text == text {
		return nil
	}
	s.version++
	d = document{s.version, text}
	s.documents[path] = d
	if !open {
		return s.conn.Notify(ctx, "textDocument/didOpen", map[string]any{
			"textDocument": textDocument{URI: ide.FileURI(path), Language: s.program.language(path), Version: &d.version, Text: &d.text},
		})
	}
	return s.conn.Notify(ctx, "textDocument/didChange", map[string]any{
		"textDocument": textDocument{URI: ide.FileURI(path), Version: &d.version}, "contentChanges": []map[string]string{{"text": text}},
	})
}
