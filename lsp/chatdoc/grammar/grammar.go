// Package grammar reads and writes the text of chat documents, as
// docs/chat-documents.md defines it. It knows nothing of editors and sessions.
//
// Offsets are in bytes. Text that it returns has line feeds as line ends.
package grammar

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Speaker is who speaks in a section.
type Speaker string

// The speakers, as headings name them.
const (
	You    Speaker = "You"
	Emendo Speaker = "emendo"
)

// Section is the part of a document that begins with a heading.
type Section struct {
	Speaker Speaker
	Start   int // of the heading's line
	Body    int // of what follows the heading
	End     int // the start of the next section, or the end of the document
}

// Document is the structure of a chat document.
type Document struct {
	Session  string // from the front matter; empty if it has none
	Sections []Section

	text   string
	front  front
	joined bool // the question of the last section begins on the line of its heading
}

// Parse returns the structure of a text. Every text is a chat document.
func Parse(source string) Document {
	d := Document{text: source, front: frontMatter(source)}
	d.Session = d.front.session
	var joined *Section // begun by the last heading that begins with the user's
	for _, h := range headingsIn(source[d.front.end:]) {
		s := Section{Start: h.start + d.front.end, Body: h.next + d.front.end, End: len(source)}
		if s.Speaker = h.speaker(); s.Speaker != "" {
			d.add(s)
			joined = nil
		} else if rest, ok := strings.CutPrefix(h.text, string(You)); ok {
			joined = &Section{Speaker: You, Start: s.Start, Body: h.end + d.front.end - len(strings.TrimLeft(rest, " \t")), End: len(source)}
		}
	}
	n := len(d.Sections)
	if joined != nil && (n == 0 && d.Session != "" || n > 0 && d.Sections[n-1].Speaker != You) {
		// Their section is missing at the end: they have typed the question on its line.
		d.joined = true
		d.add(*joined)
	}
	return d
}

// add adds a section at the end.
func (d *Document) add(s Section) {
	if n := len(d.Sections); n > 0 {
		d.Sections[n-1].End = s.Start
	}
	d.Sections = append(d.Sections, s)
}

// parseBlocks parses the blocks of a text and leaves their contents alone.
func parseBlocks(source string) ast.Node {
	return blocks.Parse(text.NewReader([]byte(source)))
}

var blocks = parser.NewParser(
	parser.WithBlockParsers(parser.DefaultBlockParsers()...),
	parser.WithInlineParsers(util.Prioritized(noInlines{}, 0)),
)

// noInlines is an inline parser that is never called: goldmark wants at least one.
type noInlines struct{}

func (noInlines) Trigger() []byte { return nil }

func (noInlines) Parse(ast.Node, text.Reader, parser.Context) ast.Node { return nil }

// heading is a line that begins with two number signs.
type heading struct {
	text        string // behind the signs
	start, next int    // of its line and the one after it
	end         int    // of the text
}

// speaker returns who speaks in the section that the heading begins; "" if it begins none.
func (h heading) speaker() Speaker {
	if s := Speaker(strings.TrimSpace(h.text)); s == You || s == Emendo {
		return s
	}
	return ""
}

// headingsIn returns the headings of a text, which has no front matter, that may be of the
// document.
func headingsIn(markdown string) (l []heading) {
	for node := parseBlocks(markdown).FirstChild(); node != nil; node = node.NextSibling() {
		h, ok := node.(*ast.Heading)
		if !ok || h.Level != 2 || h.Lines().Len() != 1 {
			continue
		}
		at := h.Lines().At(0)
		start := strings.LastIndexByte(markdown[:at.Start], '\n') + 1
		if strings.Contains(markdown[start:at.Start], "#") { // else it is underlined
			l = append(l, heading{markdown[at.Start:at.Stop], start, NextLine(markdown, at.Start), at.Stop})
		}
	}
	return l
}

// NextLine returns the start of the line after an offset, or the length of the text.
func NextLine(source string, at int) int {
	if n := strings.IndexByte(source[at:], '\n'); n >= 0 {
		return at + n + 1
	}
	return len(source)
}

// front is the front matter of a document.
type front struct {
	session string
	keys    int // offset of the line after the first; 0 if there is no front matter
	end     int // offset of the text after it
}

// frontMatter reads the front matter of a text.
func frontMatter(source string) front {
	const fence = "---"
	if strings.TrimRight(line(source, 0), " \t\r\n") != fence {
		return front{}
	}
	f := front{keys: len(line(source, 0))}
	for at := f.keys; at < len(source); {
		l := line(source, at)
		at += len(l)
		if strings.TrimRight(l, " \t\r\n") == fence {
			f.end = at
			return f
		}
		key, value, ok := strings.Cut(l, ":")
		if !ok && strings.TrimSpace(l) != "" {
			break
		}
		if key == "session" {
			f.session = strings.TrimSpace(value)
		}
	}
	return front{} // a thematic break
}

// line returns the line at an offset, with its end.
func line(source string, at int) string { return source[at:NextLine(source, at)] }
