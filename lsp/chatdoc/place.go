package chatdoc

import (
	"iter"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/lsp/chatdoc/grammar"
)

// heading is the line that begins an answer.
const heading = "## " + string(grammar.Emendo)

// parse returns the structure of a document.
func parse(d *ide.Document) grammar.Document { return grammar.Parse(d.Text.String()) }

// lineEndOf returns the line end of a text.
func lineEndOf(text string) string {
	if n := strings.IndexByte(text, '\n'); n > 0 && text[n-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// inLineEndsOf returns a text with the line ends of a document.
func inLineEndsOf(document, text string) string {
	if lineEndOf(document) == "\n" {
		return text
	}
	return strings.ReplaceAll(text, "\n", "\r\n")
}

// withLineFeeds returns a text with line feeds as line ends.
func withLineFeeds(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }

// sameText reports whether two texts are equal except for line ends, and for blank
// space at their ends and at the ends of their lines: editors remove it.
func sameText(a, b string) bool {
	return slices.Equal(linesOf(a), linesOf(b))
}

// linesOf returns the lines of a text without the space at their ends, and without
// blank lines at the start and the end.
func linesOf(text string) []string {
	l := strings.Split(strings.TrimRight(text, " \t\r\n"), "\n")
	for i := range l {
		l[i] = strings.TrimRight(l[i], " \t\r")
	}
	for len(l) > 0 && l[0] == "" {
		l = l[1:]
	}
	return l
}

// place is a line of a text.
type place struct {
	start, end int // end: of the line after it
	text       string
}

// placesIn returns the lines of a part of a text.
func placesIn(text string, from, to int) []place {
	var l []place
	for line := range strings.Lines(text[from:to]) {
		l = append(l, place{from, from + len(line), strings.TrimRight(line, " \t\r\n")})
		from += len(line)
	}
	return l
}

// indexOf returns the index in lines, from a first one on, at which a sequence of
// lines begins; -1 if it is not there.
func indexOf(lines []place, want []string, from int) int {
	for i := from; len(want) > 0 && i+len(want) <= len(lines); i++ {
		k := 0
		for k < len(want) && lines[i+k].text == want[k] {
			k++
		}
		if k == len(want) {
			return i
		}
	}
	return -1
}

// nearest returns the occurrence of a text in a document that is nearest to an
// offset.
func nearest(document, text string, at int) (int, bool) {
	at = min(max(at, 0), len(document))
	if strings.HasPrefix(document[at:], text) {
		return at, true
	}
	after := strings.Index(document[at:], text)
	before := strings.LastIndex(document[:min(at+len(text), len(document))], text)
	switch {
	case after < 0 && before < 0:
		return 0, false
	case before < 0 || after >= 0 && after < at-before:
		return at + after, true
	}
	return before, true
}

// hasLine reports whether a line begins at an offset of a text and is exactly this
// one.
func hasLine(text string, at int, line string) bool {
	if at < 0 || at > len(text) || at > 0 && text[at-1] != '\n' || !strings.HasPrefix(text[at:], line) {
		return false
	}
	rest := text[at+len(line):]
	return rest == "" || rest[0] == '\n' || strings.HasPrefix(rest, "\r\n")
}

// hasHeading reports whether a text has a line that may be a heading of the document.
func hasHeading(text string) bool {
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \t\r\n#")
		if strings.HasSuffix(line, heading) || strings.HasSuffix(line, "## "+string(grammar.You)) {
			return true
		}
	}
	return false
}

// contentEnd returns the offset after the last line of a section that is not blank.
func contentEnd(text string, s grammar.Section) int {
	content := strings.TrimRight(text[s.Body:s.End], " \t\r\n")
	if content == "" {
		return s.Body
	}
	return grammar.NextLine(text, s.Body+len(content))
}

// steps yields what the splices of a change do, one after the other. An editor may report
// several changes as one, up to the whole text.
func steps(e ide.Event) iter.Seq2[*ide.Mapping, []ide.Splice] {
	return func(yield func(*ide.Mapping, []ide.Splice) bool) {
		for text, s := range e.Steps() {
			l := s.Trim(text).ByLine(text)
			for i := range l {
				l[i] = l[i].Trim(text)
			}
			if !yield(ide.NewMapping(l...), l) {
				return
			}
		}
	}
}

// insertion returns the splice that inserts blocks, formatted for the end of a
// section, at an offset. The lines around it may be the user's.
func insertion(text string, at int, blocks string) ide.Splice {
	if !strings.HasPrefix(blocks, "\n") { // a list goes on
		last := strings.TrimRight(text[:at], " \t\r\n")
		if !strings.HasPrefix(last[strings.LastIndexByte(last, '\n')+1:], "- ") || at != grammar.NextLine(text, len(last)) {
			blocks = "\n" + blocks
		}
	}
	switch {
	case at > 0 && text[at-1] != '\n':
		blocks = "\n" + blocks
	case grammar.BlankLine(text[:at]) == "":
		blocks = strings.TrimPrefix(blocks, "\n")
	}
	if rest := text[at:]; strings.TrimSpace(rest[:grammar.NextLine(rest, 0)]) != "" {
		blocks += "\n"
	}
	return ide.Splice{A: at, B: at, Text: inLineEndsOf(text, blocks)}
}

// beforeInput returns where questions that were asked elsewhere go, and what belongs
// before and after them so that the input stays the input.
func beforeInput(text string) (at int, before, after string) {
	const input = "## " + string(grammar.You) + "\n\n"
	d := grammar.Parse(text)
	n := len(d.Sections)
	switch {
	case n == 0:
		at, _ = d.Input()
		after = input
	case d.Sections[n-1].Speaker == grammar.You:
		at = d.Sections[n-1].Start
	default:
		at, after = len(text), input
		before = grammar.Open(withLineFeeds(text[d.Sections[n-1].Body:]))
	}
	return at, grammar.BlankLine(text[:at]) + before, after
}

// questionText returns a question with its heading.
func questionText(question string) string {
	return "## " + string(grammar.You) + "\n\n" + grammar.Escape(withLineFeeds(question)) + "\n\n"
}

// endOfQuestion returns where a question ends that is in the input of a text, behind which
// the user may have typed the next one: at the mark, if that is where it was, and at the end
// if they have typed in it. It returns false if it is not there.
func endOfQuestion(text, question string, mark int) (end int, ok bool) {
	at, ok := grammar.Parse(text).Input()
	if !ok {
		return 0, false
	}
	for at < len(text) && strings.TrimSpace(text[at:grammar.NextLine(text, at)]) == "" {
		at = grammar.NextLine(text, at)
	}
	input := text[at:]
	for _, c := range []byte(question) {
		if c == '\n' && strings.HasPrefix(text[at:], "\r\n") {
			at++
		}
		switch {
		case at < len(text) && text[at] == c:
			at++
		case mark > len(text)-len(input) && mark <= len(text) && strings.TrimSpace(text[len(text)-len(input):mark]) != "":
			return mark, true
		default:
			return len(strings.TrimRight(text, " \t\r\n")), isEditedQuestion(input, question)
		}
	}
	return at, true
}
