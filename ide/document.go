package ide

// URI identifies a document. It is normalized, so that two spellings of one
// document are equal. [ParseURI] returns one.
type URI string

// Document is an open document at one version. It is immutable.
type Document struct {
	URI      URI
	Spelling string // the URI as the editor writes it
	Path     string // absolute, links resolved; empty if the document is not a file
	Language string
	Version  int32
	Text     *Text
	Unsaved  bool // the text has changed since the document was opened or saved
	Proposed bool // the text has edits that the user has not decided on, which the editor does not show
}

// Change is one content change as editors send it. The range, nil for the whole
// text, is in the text after the changes before it.
type Change struct {
	Range *Range
	Text  string
}

// Event is an event in the life of an open document.
type Event struct {
	Kind    EventKind
	Before  *Document // nil if Opened
	After   *Document // nil if Closed
	Splices []Splice  // of Changed, each in the text after the one before it
}

// EventKind is the kind of an [Event].
type EventKind int

// The kinds of [Event].
const (
	Opened EventKind = iota + 1
	Changed
	Saved
	Closed
)
