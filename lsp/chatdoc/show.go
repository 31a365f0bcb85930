package chatdoc

import (
	"context"
	"errors"
	"strings"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/lsp/chatdoc/grammar"
)

// Shown is the document of a session, to be opened.
type Shown struct {
	URI   string
	Path  string // as the user sees it
	Range ide.Range
}

// below is the distance, in lines, from the heading of the last answer to the line
// to open: an editor that shows it at the bottom of its window shows the heading too.
const below = 5

// Open brings the document of a session up to date, and creates it if there is none.
func (d *Documents) Open(ctx context.Context, session string) (Shown, error) {
	p := d.page(session)
	p.mu.Lock()
	doc := p.doc
	p.mu.Unlock()
	if doc != nil {
		if err := p.catchUp(ctx); err != nil {
			return Shown{}, err
		}
		return d.shownAt(doc.Spelling, doc.Path, doc.Text), nil
	}
	turns, err := p.record.turns(ctx)
	if err != nil {
		return Shown{}, err
	}
	f, err := p.file(ctx)
	if err != nil {
		return Shown{}, err
	}
	defer f.close()
	was, err := f.read(ctx, session)
	if err != nil {
		return Shown{}, err
	}
	p.mu.Lock()
	p.supply(turns, was.Text)
	p.mu.Unlock()
	text, ok := p.completed(was.Text)
	switch {
	case !ok: // opened meanwhile
		return d.Open(ctx, session)
	case text != was.Text || was.Hash == disk.Hash{}:
		switch err := p.replace(ctx, f, text, was); {
		case errors.Is(err, errElsewhere): // there it is brought up to date
			text = was.Text
		case err != nil:
			return Shown{}, err
		}
	}
	return d.shownAt(string(ide.FileURI(f.path.Abs)), f.path.Abs, ide.NewText(text)), nil
}

// replace writes the file of a document that no editor has open.
func (p *page) replace(ctx context.Context, f file, text string, was disk.Text) error {
	release, err := p.claimed.take(ctx, p, f.path.Abs)
	if err == nil {
		defer release()
		err = f.write(ctx, text, was)
	}
	p.mu.Lock()
	if err == nil {
		p.record.noteSaved()
	} else {
		p.lose()
	}
	p.mu.Unlock()
	p.record.update(nil)
	return err
}

// shownAt returns a document and the place of its last answer.
func (d *Documents) shownAt(uri, path string, text *ide.Text) Shown {
	whole := text.String()
	line := text.LineAt(len(strings.TrimRight(whole, " \t\r\n")))
	for _, s := range grammar.Parse(whole).Sections {
		if s.Speaker == grammar.Emendo {
			line = min(text.LineAt(s.Start)+below, text.LineAt(text.Len()))
		}
	}
	at := ide.Position{Line: uint32(line)}
	return Shown{URI: uri, Path: d.shown(path, uri), Range: ide.Range{Start: at, End: at}}
}
