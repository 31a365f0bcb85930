package bench

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"
)

// document is a buffer of the editor, which takes the server's edits.
type document struct {
	path string

	mu      sync.Mutex
	text    string
	version int
}

// place is a position in a document, its character in bytes.
type place struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

type textEdit struct {
	Range struct {
		Start place `json:"start"`
		End   place `json:"end"`
	} `json:"range"`
	Text string `json:"newText"`
}

// hold opens the document, and has it take the server's edits.
func (e *editor) hold(d *document) {
	d.version = 1
	e.didOpen(d.path, d.text)
	e.applied = func(params json.RawMessage) bool {
		var p struct {
			Edit struct {
				DocumentChanges []struct {
					TextDocument struct {
						URI     string
						Version int
					}
					Edits []textEdit
				}
			}
		}
		if err := json.Unmarshal(params, &p); err != nil {
			e.tb.Errorf("an edit that is none: %v", err)
			return false
		}
		d.mu.Lock()
		defer d.mu.Unlock()
		for _, c := range p.Edit.DocumentChanges {
			if c.TextDocument.URI != "file://"+d.path || c.TextDocument.Version != d.version {
				return false
			}
			d.change(e, c.Edits)
		}
		return true
	}
}

// change makes edits of the current text and reports them; d.mu
// is held.
func (d *document) change(e *editor, edits []textEdit) {
	slices.SortStableFunc(edits, func(a, b textEdit) int { return d.offset(b.Range.Start) - d.offset(a.Range.Start) })
	var changes []object
	for _, edit := range edits { // from the last to the first, so that each leaves the others where they are
		from, to := d.offset(edit.Range.Start), d.offset(edit.Range.End)
		d.text = d.text[:from] + edit.Text + d.text[to:]
		changes = append(changes, object{"range": edit.Range, "text": edit.Text})
	}
	d.version++
	e.notify("textDocument/didChange", object{"textDocument": object{"uri": "file://" + d.path, "version": d.version}, "contentChanges": changes})
}

func (d *document) offset(p place) int {
	at := 0
	for range p.Line {
		at += strings.IndexByte(d.text[at:], '\n') + 1
	}
	return at + p.Character
}

// insert types at the begin of a line.
func (d *document) insert(e *editor, line int, text string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	edit := textEdit{Text: text}
	edit.Range.Start.Line, edit.Range.End.Line = line, line
	d.change(e, []textEdit{edit})
}

func (d *document) now() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.text
}
