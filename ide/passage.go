package ide

import "strings"

// Passage is a run of whole lines of a file that is followed while the text around it changes.
// It is a value: each change makes another one.
type Passage struct {
	First int    // the index of its first line
	Text  string // its lines, with their ends
	Gone  bool   // other text is at its place

	text     *Text // the document's; nil: it is not open
	a, b     int   // offsets in text
	unplaced bool  // it was found nowhere in the whole text
}

// NewPassage returns the lines from first to last of a text.
func NewPassage(t *Text, first, last int) Passage {
	return Passage{First: first, Text: t.Slice(t.LineStart(first), t.LineStart(last+1))}
}

// Last returns the index of the last line.
func (p Passage) Last() int {
	t := NewText(p.Text)
	return p.First + t.LineAt(max(t.Len()-1, 0))
}

// FindIn returns the passage in a text whose history is unknown: at its line, else where its lines
// occur once.
func (p Passage) FindIn(t *Text) Passage {
	p.a, p.b = t.LineStart(p.First), t.LineStart(p.Last()+1)
	return p.within(t, true)
}

// Follow returns the passage after a change of the document. The splices are in the text after
// the one before; after is the last text. Where the whole text was replaced, or had the lines
// nowhere, they are searched for as in [Passage.FindIn].
func (p Passage) Follow(splices []Splice, after *Text) Passage {
	switch {
	case p.text == after: // it was found in that text already
		return p
	case p.text == nil, p.unplaced:
		return p.FindIn(after)
	}
	text, whole := p.text, false
	for i, s := range splices {
		next := after
		if i < len(splices)-1 {
			next = text.Splice(s.A, s.B, s.Text)
		}
		whole = whole || s.A == 0 && s.B == text.Len()
		p.a, p.b, _ = NewMapping(s).Span(p.a, p.b, next)
		text = next
	}
	return p.within(after, whole)
}

// Closed returns the passage of a document that was closed.
func (p Passage) Closed() Passage {
	p.text = nil
	return p
}

// within returns the passage at its place in a text, else with searches where its lines occur
// once.
func (p Passage) within(t *Text, searches bool) Passage {
	p.text = t
	p.Gone = withoutEnd(t.Slice(p.a, p.b)) != withoutEnd(p.Text)
	if p.Gone && searches {
		a, ok := t.OnlyLines(p.Text)
		if ok {
			p.a, p.b = a, a+len(p.Text)
		}
		p.Gone = !ok
	}
	p.unplaced = p.Gone && searches
	if !p.unplaced {
		p.First = t.LineAt(p.a)
	}
	return p
}

func withoutEnd(s string) string { return strings.TrimRight(s, "\r\n") }

// OnlyLines returns the only offset at which s is a run of whole lines.
func (t *Text) OnlyLines(s string) (a int, ok bool) {
	if s == "" {
		return 0, false
	}
	text := t.String()
	for from := 0; from+len(s) <= len(text); {
		i := strings.Index(text[from:], s)
		if i < 0 {
			break
		}
		from += i + 1
		if !t.AreLines(from-1, from-1+len(s)) {
			continue
		}
		if ok {
			return 0, false
		}
		a, ok = from-1, true
	}
	return a, ok
}
