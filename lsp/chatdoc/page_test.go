package chatdoc

import (
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/lsp/chatdoc/render"
)

// sheet is a document with one answer that grows.
type sheet struct {
	page *page
	text string
}

// newSheet returns a document with a question that has no answer yet.
func newSheet() *sheet {
	s := &sheet{page: &page{session: "s", answers: []*answer{{question: "Why?"}}}}
	s.write()
	return s
}

func (s *sheet) answer() *answer { return s.page.answers[0] }

// add adds blocks to the answer, and writes them.
func (s *sheet) add(blocks ...render.Block) {
	s.answer().addBlocks(blocks)
	s.write()
}

// write writes what the document lacks.
func (s *sheet) write() {
	for e := s.page.nextEdit(s.text); e != nil; e = s.page.nextEdit(s.text) {
		s.replace(e.splices...)
		e.landed(s.text)
	}
}

// user replaces the first occurrence of a text.
func (s *sheet) user(old, text string) {
	at := strings.Index(s.text, old)
	s.replace(ide.Splice{A: at, B: at + len(old), Text: text})
}

func (s *sheet) replace(splices ...ide.Splice) {
	s.text = ide.NewText(s.text).Replace(splices).String()
	s.answer().follow(ide.NewMapping(splices...))
}

// line returns the block of a call's line.
func line(call, text string) render.Block {
	return render.Block{Text: "\n" + text + "\n", Call: call, Line: text}
}

// What the user does to the line of a call that runs stays when the call ends, also if more
// of the answer has come since.
func TestLinesOfRunningCallsAreTheUsers(t *testing.T) {
	const runs, ended = "- `Run make`: allowed once", "- `Run make`: allowed once, exit 0, 0.0 s"
	one, two := render.Block{Text: "\nOne.\n"}, render.Block{Text: "\nTwo.\n"}
	for _, tt := range []struct {
		name, want string
		user       func(s *sheet)
	}{
		{"nothing", ended + "\n\nOne.\n\n" + runs + "\n\nTwo.\n", func(*sheet) {}},
		{"typed", runs + " why?\n\nOne.\n\n" + runs + "\n\nTwo.\n\n" + ended + "\n", func(s *sheet) { s.user(runs, runs+" why?") }},
		{"deleted", "One.\n\n" + runs + "\n\nTwo.\n\n" + ended + "\n", func(s *sheet) { s.user(runs+"\n\n", "") }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newSheet()
			s.add(line("1", runs), one, line("2", runs))
			tt.user(s)
			s.add(two)
			s.add(line("1", ended))
			want := "---\nsession: s\n---\n\n## You\n\nWhy?\n\n## emendo\n\n" + tt.want + "\n## You\n\n"
			if s.text != want {
				t.Errorf("the document is\n%s\nwant\n%s", s.text, want)
			}
		})
	}
}
