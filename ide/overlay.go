package ide

import (
	"maps"
	"slices"
)

// Pending is a file as it would be with edits that the user has not decided on.
type Pending struct {
	Path     string    // absolute, links resolved; empty if the document is not a file
	Document *Document // with the proposed text; nil: the edits delete or move the file
}

// overlay is what pending edits change in a [Snapshot].
type overlay struct {
	gone map[string]bool // paths of files that they delete or move
	live *Snapshot       // the view without them; nil: there are none
}

// With returns the view with pending edits in place. A file that they change or create has
// a document whose text is the proposed one, as if it were open with unsaved text; a file
// that they delete does not exist.
func (s *Snapshot) With(pending []Pending) *Snapshot {
	if len(pending) == 0 {
		return s
	}
	list, over := slices.Clone(s.open.list), overlay{gone: maps.Clone(s.over.gone), live: s.Live()}
	if over.gone == nil {
		over.gone = map[string]bool{}
	}
	for _, p := range pending {
		at := func(d *Document) bool {
			return p.Path != "" && d.Path == p.Path || p.Document != nil && d.URI == p.Document.URI
		}
		if p.Document == nil {
			list = slices.DeleteFunc(list, at)
			over.gone[p.Path] = true
			continue
		}
		proposed := false
		for i, d := range list {
			if at(d) { // perhaps open under two names
				list[i], proposed = d.proposed(p.Document.Text), true
			}
		}
		if !proposed {
			list = append(list, p.Document.proposed(p.Document.Text))
		}
		delete(over.gone, p.Path)
	}
	v := *s
	v.open, v.over = newDocuments(list), over
	return &v
}

func (d *Document) proposed(text *Text) *Document {
	p := *d
	p.Text, p.Unsaved, p.Proposed = text, true, true
	return &p
}

// Live returns the view without pending edits.
func (s *Snapshot) Live() *Snapshot {
	if s.over.live == nil {
		return s
	}
	return s.over.live.Within(s.tree)
}

// Gone reports whether pending edits delete or move the file at that absolute path, links
// resolved. Whoever looks for a file on the disk asks first.
func (s *Snapshot) Gone(path string) bool { return s.over.gone[path] }

// AllGone returns the files that pending edits delete or move, ordered by path.
func (s *Snapshot) AllGone() []string { return slices.Sorted(maps.Keys(s.over.gone)) }

// Proposed returns the documents whose text has pending edits, ordered by URI.
func (s *Snapshot) Proposed() []*Document {
	return slices.DeleteFunc(s.Documents(), func(d *Document) bool { return !d.Proposed })
}
