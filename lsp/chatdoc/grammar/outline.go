package grammar

import (
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// Symbol is an entry of the outline: a question, or an answer.
type Symbol struct {
	Speaker    Speaker
	Name       string // the beginning of its first line
	Start, End int    // without blank lines at the end
	NameEnd    int    // of its heading's line, without the line end
}

// maxName is the length of a symbol's name in characters.
const maxName = 60

// Symbols returns the outline, without an empty input.
func (d Document) Symbols() []Symbol {
	var l []Symbol
	for _, s := range d.Sections {
		content := trimBlank(d.text[s.Body:s.End])
		if content == "" {
			continue
		}
		name := []rune(strings.TrimSpace(line(content, 0)))
		if len(name) > maxName {
			name = append(name[:maxName-1], '…')
		}
		l = append(l, Symbol{
			Speaker: s.Speaker, Name: string(name),
			Start: s.Start, End: s.Start + len(strings.TrimRight(d.text[s.Start:s.End], " \t\r\n")),
			NameEnd: s.Start + len(strings.TrimRight(line(d.text, s.Start), "\r\n")),
		})
	}
	return l
}

// Fold is a range of lines that can be folded, by offsets in its first and last line.
type Fold struct{ Start, End int }

// Folds returns the front matter, the sections and the blocks of code.
func (d Document) Folds() []Fold {
	var l []Fold
	if d.front.end > 0 {
		l = append(l, Fold{0, d.front.end - 1})
	}
	for _, s := range d.Symbols() {
		l = append(l, Fold{s.Start, s.End})
	}
	body := d.text[d.front.end:]
	for node := parseBlocks(body).FirstChild(); node != nil; node = node.NextSibling() {
		code, ok := node.(*ast.FencedCodeBlock)
		if !ok || code.Lines().Len() < 2 {
			continue
		}
		lines := code.Lines()
		fence := strings.LastIndexByte(body[:lines.At(0).Start-1], '\n') + 1
		l = append(l, Fold{fence + d.front.end, lines.At(lines.Len()-1).Start + d.front.end})
	}
	return l
}

// Place is a mention of a file, and possibly of a line in it.
type Place struct {
	Start, End int
	Path       string
	Line       int // from 1; 0 if none is named
}

// The path of a place has a slash or an extension, so that words are not taken for
// paths; whether the file exists is for others to check.
var places = regexp.MustCompile(`(?:[A-Za-z]:)?[\w.@+~/\\-]*[\w](?:/[\w.@+-]+|\.[A-Za-z]\w*)(?::(\d+))?`)

// Places returns what looks like a place in the sections, in order.
func (d Document) Places() []Place {
	if len(d.Sections) == 0 {
		return nil
	}
	from := d.Sections[0].Body
	var l []Place
	text := d.text[from:]
	for _, m := range places.FindAllStringSubmatchIndex(text, -1) {
		p := Place{Start: from + m[0], End: from + m[1], Path: text[m[0]:m[1]]}
		if m[2] >= 0 {
			p.Path = text[m[0] : m[2]-1]
			for _, digit := range text[m[2]:m[3]] {
				p.Line = min(p.Line*10+int(digit-'0'), 1<<30)
			}
		}
		p.Path = strings.TrimPrefix(p.Path, "@")
		l = append(l, p)
	}
	return l
}
