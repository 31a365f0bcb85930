package canonical

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// A Document is the content of a here-document.
type Document struct {
	pieces  []piece // including newlines; pieces with a node are expanded when it runs
	Expands bool    // something in it is expanded
	Tricky  bool    // it contains a backslash or a dollar sign that could be read differently
}

// Text returns the content if nothing is expanded.
func (d Document) Text() string {
	var b strings.Builder
	for _, p := range d.pieces {
		b.WriteString(p.text)
	}
	return b.String()
}

// DocumentOf reads a here-document. It returns false where bash may see a
// different end than the parser: the delimiter has to be literal and stand
// alone on the line after the text and on no line before, and no line of
// expanded text may be continued by a backslash.
func DocumentOf(r *syntax.Redirect, source string) (Document, bool) {
	delimiter, known := Literal(r.Word)
	end := r.Word.End().Offset()
	if !known || strings.ContainsAny(delimiter, "\n\\") || end < uint(len(source)) && source[end] == '#' { // which bash reads as part of it
		return Document{}, false
	}
	quoted := false
	for _, p := range r.Word.Parts {
		lit, ok := p.(*syntax.Lit)
		quoted = quoted || !ok || strings.Contains(lit.Value, `\`)
	}
	if r.Hdoc == nil {
		return Document{}, true
	}
	to := r.Hdoc.End().Offset() // after the delimiter
	raw := TextOf(r.Hdoc, source)
	if raw == "" || to < uint(len(source)) && source[to] != '\n' {
		return Document{}, false
	}
	dash := r.Op == syntax.DashHdoc
	lines := strings.Split(raw, "\n")
	for i, line := range lines {
		if dash {
			line = strings.TrimLeft(line, "\t")
		}
		if (line == delimiter) != (i == len(lines)-1) {
			return Document{}, false
		}
		if !quoted && (len(line)-len(strings.TrimRight(line, `\`)))%2 != 0 {
			return Document{}, false
		}
	}
	d := Document{Tricky: !quoted && strings.ContainsAny(raw, "\\$`")}
	begun := false // text was written on this line, so tabs are kept
	for _, p := range r.Hdoc.Parts {
		lit, ok := p.(*syntax.Lit)
		if !ok {
			d.pieces, d.Expands, begun = append(d.pieces, piece{kind: expanded, node: p}), true, true
			continue
		}
		var b strings.Builder
		for line := range strings.Lines(lit.Value) {
			if dash && !begun {
				line = strings.TrimLeft(line, "\t")
			}
			b.WriteString(line)
			begun = !strings.HasSuffix(line, "\n")
		}
		text := b.String()
		if !quoted {
			text = unquoteDocument.Replace(text)
		}
		d.pieces = append(d.pieces, piece{text: text})
	}
	return d, true
}
