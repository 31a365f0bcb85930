package ide

import (
	"maps"
	"slices"
)

// documents is a set of open documents that never changes: a change makes
// another set, which shares all but one page with the old one. So a keystroke
// costs the same with one open document and with thousands.
type documents struct {
	index map[URI]int    // where each is in the pages; shared until one is opened or closed
	paths map[string]URI // of open files, by absolute path with links resolved; shared likewise
	pages []*page
}

// page is some of the documents.
type page [64]*Document

// get is the document of that URI, or nil.
func (s documents) get(u URI) *Document {
	i, ok := s.index[u]
	if !ok {
		return nil
	}
	return s.pages[i/len(page{})][i%len(page{})]
}

// all are the documents, ordered by URI.
func (s documents) all() []*Document {
	l := make([]*Document, 0, len(s.index))
	for _, u := range slices.Sorted(maps.Keys(s.index)) {
		l = append(l, s.get(u))
	}
	return l
}

// with is the set with a newer version of one of its documents.
func (s documents) with(d *Document) documents {
	i := s.index[d.URI]
	s.pages = slices.Clone(s.pages)
	p := *s.pages[i/len(page{})]
	p[i%len(page{})] = d
	s.pages[i/len(page{})] = &p
	return s
}

// opened is the set with one more document.
func (s documents) opened(d *Document) documents { return arrange(append(s.without(d.URI), d)) }

// closed is the set without a document.
func (s documents) closed(u URI) documents { return arrange(s.without(u)) }

// without are the documents but one, in the order they were opened.
func (s documents) without(u URI) []*Document {
	l := make([]*Document, 0, len(s.index)+1)
	for _, p := range s.pages {
		for _, d := range p {
			if d != nil && d.URI != u {
				l = append(l, d)
			}
		}
	}
	return l
}

// arrange makes a set. Of two documents that are one file under two names, the
// path is the later one's.
func arrange(l []*Document) documents {
	s := documents{index: make(map[URI]int, len(l)), paths: make(map[string]URI, len(l))}
	for i, d := range l {
		if i%len(page{}) == 0 {
			s.pages = append(s.pages, new(page))
		}
		s.pages[i/len(page{})][i%len(page{})] = d
		s.index[d.URI] = i
		if d.Path != "" {
			s.paths[d.Path] = d.URI
		}
	}
	return s
}
