package view

import (
	"unicode/utf8"

	"github.com/emendo-dev/emendo/ide"
)

// most is how much of the content of a part a client gets at once: of an output its end, of
// texts, code and diffs their beginning. docs/protocol.md promises it.
const most = 20_000

// length returns the length of a text in units of an encoding.
func length(s string, enc ide.Encoding) int {
	if enc == ide.UTF8 {
		return len(s)
	}
	n := 0
	for _, r := range s {
		n += enc.Units(utf8.RuneLen(r))
	}
	return n
}

// cut returns a part with as much of its content as a client gets.
func cut(p Part, enc ide.Encoding) Part {
	switch p.Kind {
	case Output:
		if over := length(p.Text, enc) - most; over > 0 {
			at := offset(p.Text, over, enc)
			p.Omitted += length(p.Text[:at], enc)
			p.Text = p.Text[at:]
		}
	case Plain, Code:
		if length(p.Text, enc) > most {
			at := offset(p.Text, most, enc)
			p.Omitted = length(p.Text[at:], enc)
			p.Text = p.Text[:at]
		}
	case Diff:
		size := 0
		for i, r := range p.Rows {
			if size += length(r.Text, enc); size > most {
				for _, r := range p.Rows[i:] {
					p.Omitted += length(r.Text, enc)
				}
				p.Rows = p.Rows[:i:i]
				break
			}
		}
	case Markdown, Image:
	}
	return p
}

// sized returns a part with the size of its content in place of it.
func sized(p Part, enc ide.Encoding) Part {
	switch p.Kind {
	case Image:
		p.Size = len(p.Data)
	case Diff:
		for _, r := range p.Rows {
			p.Size += length(r.Text, enc)
		}
	case Markdown, Plain, Output, Code:
		if p.Stored != nil {
			p.Size = p.Stored.Units
		} else {
			p.Size = length(p.Text, enc)
		}
	}
	p.Text, p.Rows, p.Data, p.Stored = "", nil, nil, nil
	return p
}

// offset returns the offset in bytes of the first character at or after a number of units.
func offset(s string, units int, enc ide.Encoding) int {
	for i, r := range s {
		if units <= 0 {
			return i
		}
		units -= enc.Units(utf8.RuneLen(r))
	}
	return len(s)
}
