package ledger

import (
	"context"
	"slices"

	"github.com/emendo-dev/emendo/ide"
)

// Mark is a run of whole lines that the ledger follows for somebody else, as it follows hunks.
type Mark struct {
	ID       string
	Path     string // absolute, links resolved; empty for a document that is not a file
	URI      ide.URI
	Spelling string    // the URI as the editor writes it
	Range    ide.Range // where the lines are; where they were, and empty, if they are gone
	Text     string    // the lines as they are; as they were last, if they are gone
	Gone     bool
}

// mark is the mutable state of a [Mark]. The ledger's mutex guards it.
type mark struct {
	id    string
	place *place
	a, b  int
	text  string
	gone  bool
}

// markAt is where a mark was in an earlier text.
type markAt struct {
	m    *mark
	a, b int
	text string
	gone bool
}

// Marks are those of a ledger.
type Marks struct{ ledger *Ledger }

// MarksOf returns the marks of a ledger.
func MarksOf(l *Ledger) Marks { return Marks{l} }

// Follow follows lines from now on. They are at the range, if its text is there, else where the
// text occurs once, and else gone.
func (ms Marks) Follow(ctx context.Context, v Mark) {
	l := ms.ledger
	found := onDisk{}
	if v.Path != "" {
		found = l.files.loadAny(ctx, v.Path)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	p := l.placeFor(v.Path, v.URI)
	if v.Path != "" {
		p.refresh(found)
	}
	m := &mark{id: v.ID, place: p, text: v.Text}
	a, b, err := p.text.Offsets(v.Range, l.encoding)
	if ok := err == nil && p.text.Slice(a, b) == v.Text; ok {
		m.a, m.b = a, b
	} else if a, ok = p.text.OnlyLines(v.Text); ok {
		m.a, m.b = a, a+len(v.Text)
	} else {
		m.a, m.gone = p.text.LineStart(min(int(v.Range.Start.Line), p.text.Lines())), true
		m.b = m.a
	}
	ms.drop(v.ID)
	p.marks = append(p.marks, m)
	l.marks[v.ID] = m
}

// Drop follows lines no longer.
func (ms Marks) Drop(id string) {
	ms.ledger.mu.Lock()
	defer ms.ledger.mu.Unlock()
	ms.drop(id)
}

// drop is [Marks.Drop] for a caller that holds the ledger's mutex.
func (ms Marks) drop(id string) {
	l := ms.ledger
	if m := l.marks[id]; m != nil {
		m.place.marks = slices.DeleteFunc(m.place.marks, func(o *mark) bool { return o == m })
		m.place.past.forgetMark(m)
		delete(l.marks, id)
	}
}

// Get returns where the lines of a mark are, as far as is known without reading a file.
func (ms Marks) Get(id string) (Mark, bool) {
	l := ms.ledger
	l.mu.Lock()
	defer l.mu.Unlock()
	m := l.marks[id]
	if m == nil {
		return Mark{}, false
	}
	v := Mark{ID: id, Path: m.place.path, URI: m.place.uri, Spelling: string(m.place.uri), Range: m.place.text.Range(m.a, m.b, l.encoding), Text: m.text, Gone: m.gone}
	if d := m.place.doc; d != nil {
		v.URI, v.Spelling = d.URI, d.Spelling
	}
	return v, true
}

// Refresh reads the files of marks that no editor has open.
func (ms Marks) Refresh(ctx context.Context, ids ...string) {
	l := ms.ledger
	l.mu.Lock()
	closed := map[*place]string{}
	for _, id := range ids {
		if m := l.marks[id]; m != nil && m.place.doc == nil && m.place.path != "" {
			closed[m.place] = m.place.path
		}
	}
	l.mu.Unlock()
	for p, path := range closed {
		f, err := l.files.load(ctx, path)
		if err != nil {
			continue // it stays where it was
		}
		l.mu.Lock()
		if p.path == path {
			p.refresh(f)
			l.publish(p.changeSets()...)
		}
		l.mu.Unlock()
	}
	l.notify()
}

// Watch registers f to be called when lines of a mark may have moved. f must be quick, and must
// not call the ledger.
func (ms Marks) Watch(f func()) {
	l := ms.ledger
	l.notifying.Lock()
	defer l.notifying.Unlock()
	l.markWatchers = append(l.markWatchers, f)
}

// follow moves a mark with a change of its place's text, and reports whether that touched it.
func (m *mark) follow(c *change) (touched bool) {
	if m.gone {
		m.a = c.by.Offset(m.a, true)
		m.b = m.a
		return false
	}
	a, b, how, _ := c.span(m.a, m.b)
	if a == b && m.a < m.b {
		m.a, m.b, m.gone = a, a, true
		return true
	}
	a, b = wholeLines(c.after, a, b)
	m.a, m.b, m.text = a, b, c.after.Slice(a, b)
	return how != ide.Apart
}

// followMarks moves the marks of a place with splices, each in the text after the one before
// it. after is the final text.
func (p *place) followMarks(splices []ide.Splice, after *ide.Text) {
	if len(p.marks) == 0 {
		return
	}
	text := p.text
	for i, s := range splices {
		next := after
		if i < len(splices)-1 {
			next = text.Splice(s.A, s.B, s.Text)
		}
		c := newChange(text, next, []ide.Splice{s})
		for _, m := range p.marks {
			m.follow(c)
		}
		text = next
	}
}

// findMarks looks for the lines that are gone from a text that was replaced.
func (p *place) findMarks() {
	for _, m := range p.marks {
		if a, ok := p.text.OnlyLines(m.text); m.gone && ok {
			m.a, m.b, m.gone = a, a+len(m.text), false
		}
	}
}

// restore moves a mark to where it was.
func (w markAt) restore() { w.m.a, w.m.b, w.m.text, w.m.gone = w.a, w.b, w.text, w.gone }

// forgetMark removes a mark from the remembered texts.
func (p *past) forgetMark(m *mark) {
	for i := range p.known {
		p.known[i].marks = slices.DeleteFunc(p.known[i].marks, func(w markAt) bool { return w.m == m })
	}
}
