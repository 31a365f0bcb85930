package code

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/internal/secret"
	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/tools"
)

// Limits of what the model reads.
const (
	maxPlaces = 100 // places of an answer
	maxLine   = 200 // characters of a line or a message
)

// location is a place in an answer: an LSP Location or LocationLink.
type location struct {
	URI         string     `json:"uri"`
	Range       ide.Range  `json:"range"`
	TargetURI   string     `json:"targetUri"`
	TargetRange *ide.Range `json:"targetSelectionRange"`
}

// locations decodes an answer that is one location, a list of them, or null.
type locations []location

// UnmarshalJSON implements [json.Unmarshaler].
func (l *locations) UnmarshalJSON(raw []byte) error {
	raw = bytes.TrimSpace(raw)
	if len(raw) > 0 && raw[0] == '{' {
		var one location
		err := json.Unmarshal(raw, &one)
		*l = locations{one}
		return err
	}
	return json.Unmarshal(raw, (*[]location)(l))
}

// place is a line in a file.
type place struct {
	path string // absolute; empty if it is not a file
	uri  string
	line int // from zero
	note string
}

// places returns the lines of locations, each once, in order of path and line.
func (l locations) places() []place {
	var all []place
	for _, x := range l {
		if x.TargetRange != nil {
			x.URI, x.Range = x.TargetURI, *x.TargetRange
		}
		all = append(all, place{path: ide.ParseURI(x.URI).Path(), uri: x.URI, line: int(x.Range.Start.Line)})
	}
	slices.SortFunc(all, func(a, b place) int { return cmp.Or(cmp.Compare(a.path, b.path), a.line-b.line) })
	return slices.Compact(all)
}

// listing is the text of places, file by file, with the line of each.
type listing struct {
	env   tools.Env
	s     strings.Builder
	last  string // path
	text  *ide.Text
	shown int
}

// add adds a place. The text of files outside the workspace, and of those that may
// hold secrets, is not shown.
func (l *listing) add(ctx context.Context, p place) {
	if l.shown++; l.shown > maxPlaces {
		return
	}
	if l.last != p.uri || l.shown == 1 {
		l.last, l.text = p.uri, nil
		name := p.uri
		if p.path != "" {
			name = l.env.Near(p.path)
		}
		fmt.Fprintf(&l.s, "File: %s\n", tools.Shown(name))
		if p.path != "" && !secret.Named(p.path) && l.env.Snapshot.Tree().Contains(p.path) {
			if f, err := l.env.Snapshot.Read(ctx, p.path); err == nil { // else it is not shown
				l.text = f.Text
			}
		}
	}
	fmt.Fprintf(&l.s, "L%d:", p.line+1)
	if p.note != "" {
		fmt.Fprintf(&l.s, " %s", shortLine(p.note))
	} else if l.text != nil && p.line < l.text.Lines() {
		fmt.Fprintf(&l.s, " %s", shortLine(strings.TrimRight(l.text.Line(p.line), "\r\n")))
	}
	l.s.WriteByte('\n')
}

// result returns what was listed. none is the output if there is nothing.
func (l *listing) result(one, many, none string) tools.Result {
	switch {
	case l.shown == 0:
		return tools.Result{Output: none, Summary: none}
	case l.shown > maxPlaces:
		fmt.Fprintf(&l.s, "[%d more]\n", l.shown-maxPlaces)
	}
	return tools.Result{Output: strings.TrimSuffix(l.s.String(), "\n"), Summary: tools.Count(l.shown, one, many)}
}

func shortLine(text string) string {
	text, _ = visible.Clip(text, maxLine)
	return tools.Shown(text)
}
