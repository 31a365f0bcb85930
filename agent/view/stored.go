package view

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide"
)

// Stored is the text of a call's result where only the record of the session has it.
type Stored struct {
	Seq   int64 // of the update with the result
	Units int   // its length
	Bytes int   // at most, of the wire form of as much as a client gets at once
}

// A Reader reads the results of calls again, like [transcript.Log.Reread].
type Reader func(seqs []int64, may func(line []byte) bool, got func(i int, u transcript.ToolUpdate, err error))

// leastStored is the length, in bytes, of the shortest text that is left to the record.
const leastStored = 1 << 10

// leave leaves the text of a call's result to the record: the client has it, or has not asked
// for it yet.
func (e *entry) leave(enc ide.Encoding) {
	if e.call == nil || e.call.seq == 0 {
		return
	}
	for n := range e.Parts {
		p := &e.Parts[n]
		if p.Kind != Code && len(p.Text) >= leastStored {
			b, err := json.Marshal(cut(*p, enc))
			if err != nil {
				panic(err) // a text encodes
			}
			p.Stored, p.Text = &Stored{e.call.seq, length(p.Text, enc), len(b)}, ""
		}
	}
	e.call.seq = 0
}

// Fill reads the texts of items that only the record has: whole, or as much as a client gets at
// once. In place of one that it has no more it says so.
func Fill(read Reader, whole bool, enc ide.Encoding, items ...*Item) {
	var parts []*Part
	var calls []string
	var seqs []int64
	for _, i := range items {
		for n := range i.Parts {
			if p := &i.Parts[n]; p.Stored != nil {
				parts, calls, seqs = append(parts, p), append(calls, i.ID), append(seqs, p.Stored.Seq)
			}
		}
	}
	if len(parts) == 0 {
		return
	}
	read(seqs, nil, func(i int, u transcript.ToolUpdate, err error) {
		text, ok := resultText(u)
		switch {
		case err != nil || u.CallID != calls[i] || !ok:
			text = Part{Kind: Plain, Text: say("part.lost").Text}
		case !whole:
			text = cut(text, enc)
		}
		*parts[i] = text
	})
}

// FillAll is [Fill] for a list.
func FillAll(read Reader, whole bool, enc ide.Encoding, items []Item) {
	all := make([]*Item, len(items))
	for n := range items {
		all[n] = &items[n]
	}
	Fill(read, whole, enc, all...)
}

// FillChanges is [Fill] for the items that have changed.
func FillChanges(read Reader, enc ide.Encoding, changes []Change) {
	var items []*Item
	for _, c := range changes {
		if c.Item != nil {
			items = append(items, c.Item)
		}
	}
	Fill(read, false, enc, items...)
}

// Found is where a text stands, or may stand.
type Found struct {
	text string // in lower case
	ids  []string
	seqs []int64 // by item: the update in whose result it may stand; 0: it stands in the item
}

// Find returns the items in which a text stands, without regard to case, in the order of the
// screen.
func (c *Conversation) Find(text string) Found {
	f := Found{text: strings.ToLower(text)}
	if text == "" {
		return f
	}
	for _, i := range c.all() {
		seq := int64(0)
		found := f.isIn(i.Title.Text) || i.Note != nil && f.isIn(i.Note.Text) ||
			slices.ContainsFunc(i.Lines, func(l Line) bool { return f.isIn(l.Text.Text) })
		for _, p := range i.Parts {
			found = found || f.isIn(p.Text) || slices.ContainsFunc(p.Rows, func(r Row) bool { return f.isIn(r.Text) })
			if p.Stored != nil {
				seq = p.Stored.Seq
			}
		}
		if found {
			seq = 0
		}
		if found || seq > 0 {
			f.ids, f.seqs = append(f.ids, i.ID), append(f.seqs, seq)
		}
	}
	return f
}

func (f Found) isIn(s string) bool { return strings.Contains(strings.ToLower(s), f.text) }

// LookUp returns the items, and looks into the texts that only the record has.
func (f Found) LookUp(read Reader) []string {
	var at []int // by number that is read: the item's
	var seqs []int64
	for i, seq := range f.seqs {
		if seq > 0 {
			at, seqs = append(at, i), append(seqs, seq)
		}
	}
	found := make([]bool, len(f.ids))
	if len(at) > 0 {
		read(seqs, f.mayHave(), func(i int, u transcript.ToolUpdate, err error) {
			text, ok := resultText(u)
			found[at[i]] = ok && err == nil && u.CallID == f.ids[at[i]] && f.isIn(text.Text)
		})
	}
	ids := []string{}
	for i, id := range f.ids {
		if f.seqs[i] == 0 || found[i] {
			ids = append(ids, id)
		}
	}
	return ids
}

// mayHave returns what tells which lines of the record may have the text, without decoding them; nil
// if the text stands there in another form.
func (f Found) mayHave() func(line []byte) bool {
	if b, err := json.Marshal(f.text); err != nil || string(b) != `"`+f.text+`"` {
		return nil
	}
	return func(line []byte) bool { return f.isIn(string(line)) }
}
