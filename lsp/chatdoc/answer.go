package chatdoc

import (
	"cmp"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/lsp/chatdoc/grammar"
	"github.com/emendo-dev/emendo/lsp/chatdoc/render"
	"github.com/emendo-dev/emendo/lsp/question"
)

// answer is a question in a chat document and the answer that grows below it. The
// page that it is on guards it.
type answer struct {
	turn     string // the agent's ID; empty until the turn has one
	question string
	message  string // the ID of the question's message, once it is shown
	format   render.Answer
	blocks   []*block // all so far
	over     bool     // no more blocks come
	done     bool     // it was complete in a document that was closed since

	typed bool // the question was typed in the document
	sent  bool // the question is in the document, from mark up to it, and has no heading for the answer yet
	mark  int  // where it ends
	twins int  // how many answered questions of the document were the same when it was sent

	// The offsets are in the page's document, and follow its changes.
	begun   bool // the heading was in a document
	placed  bool // the heading is in the document
	removed bool // the user has removed it since
	known   bool // the offsets are valid
	head    int  // of the heading's line
	at      int  // where the next block goes
	written int  // how many blocks are in the document
	sure    int  // how many were seen in this document while it was open
	saved   int  // how many it had when it was saved last
}

// block is a block of an answer.
type block struct {
	render.Block
	pos    int                // of its line, if it has one
	wanted string             // the line that replaces it; empty: it is as it should be
	allow  string             // the line with which it asked for permission; empty: it did not
	task   string             // that it asked about
	edited bool               // by the user: it stays as it is
	live   bool               // the session does not have it
	asks   *question.Question // that the line asks
}

// addBlocks adds blocks to the answer. The line of a call replaces the one in which it
// asked for permission.
func (a *answer) addBlocks(blocks []render.Block) {
	for _, b := range blocks {
		if b.Call != "" {
			if asked := a.lineOf(b.Call); asked != nil {
				asked.wanted, asked.asks = b.Line, nil
				continue
			}
		}
		a.blocks = append(a.blocks, &block{Block: b})
	}
}

// lineOf returns the last block with a line of a call, or of none, unless the user has
// edited it.
func (a *answer) lineOf(callID string) *block {
	for _, b := range slices.Backward(a.blocks) {
		if b.Line != "" && b.Call == callID && !b.edited {
			return b
		}
	}
	return nil
}

// pending reports whether the document lacks something of the answer.
func (a *answer) pending() bool {
	if a.removed {
		return a.sure < len(a.blocks)
	}
	return !a.placed || a.written < len(a.blocks) || slices.ContainsFunc(a.blocks, func(b *block) bool { return b.wanted != "" && !b.edited })
}

// follow moves the offsets by a change of the document, which are to be found again if it
// replaces what is around them.
func (a *answer) follow(by *ide.Mapping) {
	a.known = a.known && !by.Replaces(a.at)
	a.mark, a.head, a.at = by.Offset(a.mark, true), by.Offset(a.head, false), by.Offset(a.at, true)
	for _, b := range a.blocks {
		b.pos = by.Offset(b.pos, false)
	}
}

// forgetPlaces notes that the offsets are those of another text.
func (a *answer) forgetPlaces() {
	a.done = a.done || a.over && !a.pending()
	a.placed, a.known, a.removed, a.sent, a.written, a.sure = false, false, false, false, 0, a.saved
}

// locate looks for the question and the answer in a text, from which it learns which
// blocks are there.
func (a *answer) locate(text string) {
	a.known = true
	s, ok := a.section(text)
	if !ok {
		a.placed, a.written = false, 0
		return
	}
	a.begun, a.placed, a.head = true, true, s.Start
	a.written = max(a.findBlocks(text, s, true), a.sure)
}

// recognize looks for a question that was typed in the document, and has no heading for the
// answer as far as is known, in a text: below it the heading may be, from an edit that
// seemed to be lost, or it is in the input, from which the document may have been closed
// since.
func (a *answer) recognize(text string) {
	if a.placed || !a.typed {
		return
	}
	if twins := twinsOf(text, a.question); len(twins) > a.twins {
		s := twins[len(twins)-1]
		a.begun, a.placed, a.known, a.sent, a.head, a.at = true, true, true, false, s.Start, s.Body
		return
	}
	mark := 0
	if a.sent {
		mark = a.mark
	}
	a.mark, a.sent = endOfQuestion(text, a.question, mark)
}

// twinsOf returns the answers of a text to a question.
func twinsOf(text, question string) (l []grammar.Section) {
	sections := grammar.Parse(text).Sections
	for i, s := range sections {
		if i > 0 && s.Speaker == grammar.Emendo && sections[i-1].Speaker == grammar.You && isQuestion(text[sections[i-1].Body:sections[i-1].End], question) {
			l = append(l, s)
		}
	}
	return l
}

// isQuestion reports whether a part of a document is a question.
func isQuestion(text, question string) bool {
	return sameText(text, question) || sameText(text, grammar.Escape(question))
}

// section returns the section of a text that has the answer. If there was one, the user may
// have typed in its question since.
func (a *answer) section(text string) (s grammar.Section, ok bool) {
	sections := grammar.Parse(text).Sections
	best, most := -1, -1
	for i, s := range sections {
		if a.placed && s.Start == a.head && s.Speaker == grammar.Emendo { // it is still there
			best = i
			break
		}
		if s.Speaker != grammar.Emendo || i == 0 || sections[i-1].Speaker != grammar.You {
			continue
		}
		asked := text[sections[i-1].Body:sections[i-1].End]
		exact := isQuestion(asked, a.question)
		if !exact && !(a.begun && isEditedQuestion(asked, a.question)) {
			continue
		}
		n := a.findBlocks(text, s, false)
		if n == 0 && len(a.blocks) > 0 && len(linesOf(text[s.Body:s.End])) > 0 {
			continue // the answer to the same question, asked at another time
		}
		if exact {
			n += len(a.blocks) + 1
		}
		if n >= most {
			best, most = i, n
		}
	}
	if best < 0 {
		return grammar.Section{}, false
	}
	return sections[best], true
}

// isEditedQuestion reports whether a part of a document is a question in which the user has typed.
func isEditedQuestion(text, question string) bool {
	return typedInto([]string{strings.Join(linesOf(text), "\n")}, strings.Join(linesOf(question), "\n"))
}

// findBlocks returns how many blocks, from the first one on, a section has. It sets the
// offsets if it is to.
func (a *answer) findBlocks(text string, s grammar.Section, set bool) (written int) {
	lines := placesIn(text, s.Body, s.End)
	from, at := 0, s.Body
	for i, b := range a.blocks {
		want := linesOf(b.Text)
		found := indexOf(lines, want, from)
		if b.Line != "" {
			found = indexOfLine(lines, b, from)
			want = want[:1]
		}
		if found < 0 {
			continue
		}
		from, written = found+len(want), i+1
		at = lines[from-1].end
		if set && b.Line != "" {
			b.pos = lines[found].start
			b.takeLine(lines[found].text)
		}
	}
	if set {
		if written == 0 || written < a.sure {
			at = contentEnd(text, s)
		}
		a.at = at
	}
	return written
}

// indexOfLine returns the index of the line of a call or a question, whatever it says of
// its end.
func indexOfLine(lines []place, b *block, from int) int {
	for i := from; i < len(lines); i++ {
		for _, line := range []string{b.Line, b.wanted, b.allow} {
			if line != "" && titleOf(lines[i].text) == titleOf(line) {
				return i
			}
		}
	}
	return -1
}

// titleOf returns the part of a line up to the end of the title of its call.
func titleOf(line string) string {
	if grammar.IsAllow(line) {
		return line
	}
	if i := strings.LastIndex(line, "`: "); i >= 0 {
		return line[:i+1]
	}
	return line
}

// takeLine notes which line a document has for the block.
func (b *block) takeLine(line string) {
	wanted := cmp.Or(b.wanted, b.Line)
	if line != wanted && (line == b.Line || line == b.allow) {
		b.wanted = wanted
	} else {
		b.wanted = "" // what differs is the user's
	}
	b.Line = line
}
