package ide

// URI names a document: normalised, so that two spellings of one document are
// equal. [ParseURI] makes one.
type URI string

// Document is an open document at one version. It never changes.
type Document struct {
	URI      URI
	Spelling string // the URI as the editor writes it; what goes back to it
	Path     string // absolute, links resolved; empty when the document is no file
	Language string
	Version  int32
	Text     *Text
	Unsaved  bool // the text has changed since it was opened or saved
}

// Splice replaces the bytes A to B of a text.
type Splice struct {
	A, B int
	Text string
}

// Trim returns a splice that does the same to t without replacing text by
// itself at its edges.
func (s Splice) Trim(t *Text) Splice {
	old := t.Slice(s.A, s.B)
	n := 0
	for n < len(old) && n < len(s.Text) && old[n] == s.Text[n] {
		n++
	}
	s.A, old, s.Text = s.A+n, old[n:], s.Text[n:]
	n = 0
	for n < len(old) && n < len(s.Text) && old[len(old)-1-n] == s.Text[len(s.Text)-1-n] {
		n++
	}
	s.B, s.Text = s.B-n, s.Text[:len(s.Text)-n]
	return s
}

// Change is one content change as editors send it: the range in the text as
// the changes before it left it, or nil for the whole text.
type Change struct {
	Range *Range
	Text  string
}

// Event is something that happened to an open document.
type Event struct {
	Kind    EventKind
	Before  *Document // nil when Opened
	After   *Document // nil when Closed
	Splices []Splice  // of a Changed, each in the text that the one before it left
}

// EventKind is what happened.
type EventKind int

// The kinds of [Event].
const (
	Opened EventKind = iota + 1
	Changed
	Saved
	Closed
)
