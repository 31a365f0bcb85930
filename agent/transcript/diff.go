package transcript

import (
	"encoding/json"
	"errors"
	"unicode/utf8"

	"github.com/emendo-dev/emendo/ide/diff"
)

// diffLine is a [Diff] in the log. The new text is there whole, or as what was
// changed in the old one.
type diffLine struct {
	Path    string       `json:"path"`
	Old     *string      `json:"old,omitempty"`
	New     *string      `json:"new,omitempty"`
	Changes []diffChange `json:"changes,omitempty"` // ascending, all in the old text
}

// diffChange puts a text in the place of bytes A to B.
type diffChange struct {
	A    int    `json:"a"`
	B    int    `json:"b"`
	Text string `json:"text,omitempty"`
}

// changeSize is about what a change takes in the log beside its text, in bytes.
const changeSize = 32

// MarshalJSON writes whichever is shorter.
func (d Diff) MarshalJSON() ([]byte, error) {
	l := diffLine{Path: d.Path, Old: d.Old, New: &d.New}
	if d.Old != nil && utf8.ValidString(*d.Old) && utf8.ValidString(d.New) { // else what is read is not what was written
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

// UnmarshalJSON reads both.
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

var errNoText = errors.New("a diff without a text that could be told from it")
