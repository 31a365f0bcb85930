package ide

import (
	"context"
	"encoding/json"
	"errors"
)

// An Editor makes edits in the user's buffers and answers what only the editor
// knows. Packages lsp and acp implement it; a session without an editor has none.
type Editor interface {
	// ApplyEdit asks the editor to make the edit, as one undo step in each
	// document. A nil error is only a claim: the edit is done when the workspace
	// has the new text. [ErrRefused] means that nothing was changed.
	ApplyEdit(ctx context.Context, e Edit) error
	// Save asks the editor to save documents. It returns [ErrUnsupported] if the
	// editor cannot.
	Save(ctx context.Context, uris []URI) (saved []URI, err error)
	// Diagnostics returns the diagnostics of these documents, or of all, as the
	// editor's JSON. It returns [ErrUnsupported] if the editor cannot.
	Diagnostics(ctx context.Context, uris []URI) (json.RawMessage, error)
}

// Edit is a change to open documents that is made as one.
type Edit struct {
	Label string // names the undo step; may be empty
	Files []FileEdit
}

// FileEdit is the part of an [Edit] in one document.
type FileEdit struct {
	Document *Document // the version that Splices were made from
	Splices  []Splice  // offsets in Document's text, ascending, not overlapping
	Delete   bool      // delete the file and close its buffer; no Splices then
	RenameTo string    // absolute path; empty: no rename
}

// Errors of an [Editor].
var (
	ErrRefused     = errors.New("the editor refused the edit")
	ErrUnsupported = errors.New("the editor cannot do this")
)

// LanguageServers are those that an editor runs. An [Editor] that can make requests
// of them implements it.
type LanguageServers interface {
	// Passes reports whether the editor has its language servers answer LSP requests
	// of a method. For "textDocument/diagnostic" it reports whether
	// [Editor.Diagnostics] works.
	Passes(method string) bool
	// Request makes a request and decodes the answer into result. It returns
	// [ErrUnsupported] for a method that the editor does not pass on.
	Request(ctx context.Context, method string, params, result any) error
}
