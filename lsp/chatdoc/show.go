package chatdoc

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/lsp/chatdoc/grammar"
)

// Shown is the document of a session, to be opened.
type Shown struct {
	URI   string
	Path  string // as the user sees it
	Range ide.Range
	Waits bool // it is open, in a client that takes edits only after a command such as this

	elsewhere bool   // another editor has it open
	file      string // the document, where no editor of this client has it open
}

// Open brings the document of a session up to date, and creates it if there is none.
func (d *Documents) Open(ctx context.Context, session string) (Shown, error) {
	p := d.pageOf(session)
	p.mu.Lock()
	doc := p.doc
	p.mu.Unlock()
	if doc != nil {
		if err := p.catchUp(ctx); err != nil {
			return Shown{}, err
		}
		shown := d.shownAt(doc.Spelling, doc.Path, doc.Text, p.takeUnseen())
		shown.Waits = d.c.Can.EditsFor > 0
		return shown, nil
	}
	turns, err := p.record.turns(ctx)
	if err != nil {
		return Shown{}, err
	}
	f, err := p.store(ctx, turns)
	switch {
	case f.open: // opened meanwhile
		return d.Open(ctx, session)
	case err != nil && !errors.Is(err, errElsewhere): // there it is brought up to date
		return Shown{}, err
	}
	if d.c.Can.ShowDocument {
		p.mu.Lock()
		p.opening = time.Now()
		p.mu.Unlock()
	}
	shown := d.shownAt(string(ide.FileURI(f.path)), f.path, ide.NewText(f.text), p.takeUnseen())
	shown.elsewhere, shown.file = err != nil, f.path
	return shown, nil
}

// takeUnseen reports whether the last answer is to a question that was asked elsewhere, and
// was not shown yet. It then is.
func (p *page) takeUnseen() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	unseen := p.unseen
	p.unseen = false
	return unseen
}

// below is the distance, in lines, from the heading of an answer to the line to open: an
// editor that shows it at the bottom of its window shows the heading too.
const below = 5

// shownAt returns a document and the place of an answer that is new to the user, else that
// for the next question, or the end while there is none.
func (d *Documents) shownAt(uri, path string, text *ide.Text, unseen bool) Shown {
	whole := text.String()
	at := len(whole)
	parsed := grammar.Parse(whole)
	if start, ok := parsed.Input(); ok {
		if question := strings.TrimRight(whole[start:], " \t\r\n"); question != "" { // the user goes on with it
			at = start + len(question)
		}
	}
	for _, s := range parsed.Sections {
		if unseen && s.Speaker == grammar.Emendo {
			at = text.LineStart(min(text.LineAt(s.Start)+below, text.LineAt(text.Len())))
		}
	}
	return Shown{URI: uri, Path: d.shown(path, uri), Range: text.Range(at, at, d.c.Workspace.Encoding())}
}
