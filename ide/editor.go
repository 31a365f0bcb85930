package ide

import (
	"context"
	"encoding/json"
	"errors"
)

// An Editor puts edits into the user's buffers and answers what only the
// editor knows. Packages lsp and acp implement it; a session without an editor
// has none.
type Editor interface {
	// ApplyEdit asks the editor to make the edit, as one undo step in each
	// document. A nil error is the editor's word only: the edit is done when
	// the text comes back. [ErrRefused] says that nothing was changed.
	ApplyEdit(ctx context.Context, e Edit) error
	// Save asks the editor to save documents; [ErrUnsupported] when it cannot.
	Save(ctx context.Context, uris []URI) (saved []URI, err error)
	// Diagnostics of these documents, or of all, as the editor's own JSON;
	// [ErrUnsupported] when it cannot.
	Diagnostics(ctx context.Context, uris []URI) (json.RawMessage, error)
}

// Edit is a change to open documents, made as one.
type Edit struct {
	Label string // what the undo step is called
	Files []FileEdit
}

// FileEdit is the part of an [Edit] in one document.
type FileEdit struct {
	Document *Document // the version that Splices were made from
	Splices  []Splice  // offsets in Document's text, ascending, not overlapping
	Delete   bool      // delete the file and close its buffer; no Splices then
	RenameTo string    // absolute path; empty when it keeps its name
}

// What an Editor says when it does not do as asked.
var (
	ErrRefused     = errors.New("the editor refused the edit")
	ErrUnsupported = errors.New("the editor cannot do this")
)
