package chatdoc

import (
	"slices"

	"github.com/emendo-dev/emendo/ide"
)

// A question that came into its document from the disk is no word of the user's: others write
// files too, the model among them. The parts of open documents that came from there are
// followed, those with which a document was opened and those of a reload.

// typing is the most characters that a change inserts which is taken for typing. A longer one
// may be a reload, and is compared with the file.
const typing = 3

// foreign are the parts of an open document that the user has not typed, by offsets.
type foreign []part

type part struct {
	a, b int
	// asked is not nil while the file is compared with the text that the part came with.
	asked *ide.Document
}

// follow follows a change. A part that it divides becomes two.
func (f foreign) follow(by *ide.Mapping) foreign {
	var l foreign
	for _, p := range f {
		for _, rest := range by.Rest(p.a, p.b) {
			l = append(l, part{rest[0], rest[1], p.asked})
		}
	}
	return l
}

// followForeign follows what of a document the user has not typed. d.mu is held.
func (d *Documents) followForeign(e ide.Event) {
	switch e.Kind {
	case ide.Opened:
		d.foreign[e.After.URI] = foreign{{a: 0, b: e.After.Text.Len()}}
	case ide.Closed:
		delete(d.foreign, e.Before.URI)
	case ide.Changed:
		l, long := d.foreign[e.After.URI], false
		ours := d.anyPage(e.After.URI, func(p *page) bool { return p.out != nil })
		for by, splices := range steps(e) {
			l = l.follow(by)
			for _, s := range splices {
				if len(s.Text) > typing && e.After.Path != "" && !ours {
					a := by.Offset(s.A, true)
					l, long = append(l, part{a, a + len(s.Text), e.After}), true
				}
			}
		}
		d.foreign[e.After.URI] = l
		if long {
			d.c.Go(func() { d.compare(e.After) })
		}
	case ide.Saved:
	}
}

// compare finds out whether the text of a document, as it was after a change, is that of its
// file: then the change was a reload.
func (d *Documents) compare(doc *ide.Document) {
	text, err := readText(doc.Path)
	reloaded := err == nil && text == doc.Text.String()
	d.mu.Lock()
	defer d.mu.Unlock()
	l := d.foreign[doc.URI]
	for i := range l {
		if reloaded && l[i].asked == doc {
			l[i].asked = nil
		}
	}
	d.foreign[doc.URI] = slices.DeleteFunc(l, func(p part) bool { return p.asked == doc })
}

// isTyped reports whether the user has typed all of a part of an open document.
func (d *Documents) isTyped(u ide.URI, a, b int) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return !slices.ContainsFunc(d.foreign[u], func(p part) bool { return p.a < b && a < p.b })
}
