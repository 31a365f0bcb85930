package demo

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// buffer is a file that the editor has open.
type buffer struct {
	path    string
	uri     string
	text    string
	version int
	unsaved bool
}

// position is LSP's. The editor chose UTF-8, so characters are bytes.
type position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

type span struct {
	Start position `json:"start"`
	End   position `json:"end"`
}

type textEdit struct {
	Range   span   `json:"range"`
	NewText string `json:"newText"`
}

// offset is where a position is in the text; one past an end is the end.
func (b *buffer) offset(p position) int {
	at := 0
	for range p.Line {
		i := strings.IndexByte(b.text[at:], '\n')
		if i < 0 {
			return len(b.text)
		}
		at += i + 1
	}
	return min(at+p.Character, len(b.text))
}

// apply makes edits that do not overlap, none of which sees another.
func (b *buffer) apply(edits []textEdit) {
	var out strings.Builder
	at := 0
	for _, e := range edits { // the server sends them in order of place
		from, to := b.offset(e.Range.Start), b.offset(e.Range.End)
		out.WriteString(b.text[at:from])
		out.WriteString(e.NewText)
		at = to
	}
	out.WriteString(b.text[at:])
	b.text = out.String()
	b.version++
	b.unsaved = true
}

// find is the place of a passage that stands once.
func (b *buffer) find(passage string) span {
	return span{b.position(strings.Index(b.text, passage)), b.position(strings.Index(b.text, passage) + len(passage))}
}

func (b *buffer) position(offset int) position {
	before := b.text[:offset]
	return position{strings.Count(before, "\n"), offset - strings.LastIndexByte(before, '\n') - 1}
}

// lines gives lines from one to another, the last one left out, as far as there
// are any.
func (b *buffer) lines(from, to int) []string {
	all := strings.Split(b.text, "\n")
	return all[max(from, 0):min(to, len(all))]
}

func (b *buffer) save() error {
	if err := os.WriteFile(b.path, []byte(b.text), 0o600); err != nil {
		return fmt.Errorf("saving %s: %w", b.path, err)
	}
	b.unsaved = false
	return nil
}

func (b *buffer) name() string { return filepath.Base(b.path) }
