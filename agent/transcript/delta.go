package transcript

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"unicode/utf8"

	"github.com/emendo-dev/emendo/ide/diff"
)

// Two forms keep a log small. Without them it takes 2.8 bytes for each byte of
// streamed text, and over 1.3 for each byte that the model reads; "make bench"
// allows 1.3. Compressing whole records would make a log unreadable for other
// tools, and a torn write would lose everything after it.

// more is the line of a record that only continues the text of the record before
// it. Most records of a log are chunks of messages, which repeat more than they
// add.
type more struct {
	Text string `json:"+"`
}

// chunk returns r if its text can be continued, and otherwise the zero record.
func (r Record) chunk() Record {
	if _, ok := r.continuedBy("more"); ok {
		return r
	}
	return Record{}
}

// continuedBy returns the record that continues r with text, at the time of r, if r can be
// continued.
func (r Record) continuedBy(text string) (Record, bool) {
	if r.Seq == 0 || text == "" {
		return Record{}, false
	}
	r.Seq++
	switch e := r.Event.(type) { //nolint:gochecksumtype // the other events have no chunks
	case Text:
		r.Event = Text{MessageID: e.MessageID, Part: e.Part, Text: text}
	case Thought:
		r.Event = Thought{MessageID: e.MessageID, Text: text}
	default:
		return Record{}, false
	}
	return r, true
}

// short returns the line of a record that continues last, or nil if it does not.
func (r Record) short(last Record) ([]byte, error) {
	var text string
	switch e := r.Event.(type) { //nolint:gochecksumtype // the other events have no chunks
	case Text:
		text = e.Text
	case Thought:
		text = e.Text
	}
	next, ok := last.continuedBy(text)
	next.At = r.At
	if !ok || !reflect.DeepEqual(next, r) {
		return nil, nil
	}
	b, err := unescaped(more{text})
	return append(b, '\n'), err
}

// parseAfter reads the line after the record last, which is the zero record if there
// is none.
func parseAfter(last Record, line []byte) (Record, error) {
	var m more
	if bytes.HasPrefix(line, []byte(`{"+":`)) && json.Unmarshal(line, &m) == nil && m.Text != "" {
		if r, ok := last.continuedBy(m.Text); ok {
			return r, nil
		}
	}
	return parseRecord(line)
}

// diffLine is a [Diff] in the log. The new text is stored as a whole or as changes of
// the old one.
type diffLine struct {
	Path    string       `json:"path"`
	Old     *string      `json:"old,omitempty"`
	New     *string      `json:"new,omitempty"`
	Changes []diffChange `json:"changes,omitempty"` // ascending; offsets are in the old text
}

// diffChange replaces the bytes from A to B by a text.
type diffChange struct {
	A    int    `json:"a"`
	B    int    `json:"b"`
	Text string `json:"text,omitempty"`
}

// changeSize is the approximate size of a change without its text, in bytes.
const changeSize = 32

// MarshalJSON returns the shorter of the two forms.
func (d Diff) MarshalJSON() ([]byte, error) {
	l := diffLine{Path: d.Path, Old: d.Old, New: &d.New}
	if d.Old != nil && utf8.ValidString(*d.Old) && utf8.ValidString(d.New) { // else the offsets would not match the decoded text
		size := 0
		for _, b := range diff.Lines(*d.Old, d.New) {
			c := diffChange{b.Old.A, b.Old.B, d.New[b.New.A:b.New.B]}
			l.Changes = append(l.Changes, c)
			size += len(c.Text) + changeSize
		}
		if l.Changes != nil && size < len(d.New) {
			l.New = nil
		} else {
			l.Changes = nil
		}
	}
	return unescaped(l)
}

// UnmarshalJSON reads either form.
func (d *Diff) UnmarshalJSON(b []byte) error {
	var l diffLine
	if err := json.Unmarshal(b, &l); err != nil {
		return err
	}
	*d = Diff{Path: l.Path, Old: l.Old}
	if l.New != nil {
		d.New = *l.New
		return nil
	}
	if l.Old == nil {
		return errNoText
	}
	at := 0
	for _, c := range l.Changes {
		if c.A < at || c.B < c.A || c.B > len(*l.Old) {
			return errNoText
		}
		d.New += (*l.Old)[at:c.A] + c.Text
		at = c.B
	}
	d.New += (*l.Old)[at:]
	return nil
}

var errNoText = errors.New("diff has no new text")
