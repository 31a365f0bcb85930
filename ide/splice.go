package ide

import (
	"iter"
	"strings"

	"github.com/emendo-dev/emendo/ide/diff"
)

// Splice replaces the bytes A to B of a text.
type Splice struct {
	A, B int
	Text string
}

// Trim returns an equivalent splice of t that does not replace text by itself at
// its edges.
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

// ByLine returns splices of t, ascending and with offsets in it, that do the same as one
// which replaces lines that it does not change, such as that of an editor that sends one
// range for several edits, or the whole text.
func (s Splice) ByLine(t *Text) []Splice {
	if !strings.ContainsAny(t.Slice(s.A, s.B), "\r\n") || !strings.ContainsAny(s.Text, "\r\n") {
		return []Splice{s}
	}
	a, b := t.LineStart(t.LineAt(s.A)), t.LineStart(t.LineAt(s.B)+1)
	return LineSplices(t.Slice(a, b), t.Slice(a, s.A)+s.Text+t.Slice(s.B, b), a)
}

// LineSplices returns the splices that turn the lines old, which are at offset at, into
// those of new. They are ascending and have offsets in the text with the old lines.
func LineSplices(old, new string, at int) []Splice {
	var l []Splice
	for _, k := range diff.Lines(old, new) {
		l = append(l, Splice{A: at + k.Old.A, B: at + k.Old.B, Text: new[k.New.A:k.New.B]})
	}
	return l
}

// Steps yields the splices of a change, each with the text that it changes.
func (e Event) Steps() iter.Seq2[*Text, Splice] {
	return func(yield func(*Text, Splice) bool) {
		text := e.Before.Text
		for i, s := range e.Splices {
			if !yield(text, s) {
				return
			}
			if i < len(e.Splices)-1 {
				text = text.Splice(s.A, s.B, s.Text)
			}
		}
	}
}
