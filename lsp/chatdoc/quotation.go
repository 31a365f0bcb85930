package chatdoc

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/lsp/chatdoc/grammar"
	"github.com/emendo-dev/emendo/lsp/client"
)

// passage is a part of a question that is sent: a text, or a comment on lines.
type passage struct {
	source    string // the part, with the blank lines above it that are more than one
	text      string // what the user says
	quotation *agent.Quotation
	typed     bool // the user has typed the text
}

// passages returns the parts of a question that is at an offset of an open document.
func (d *Documents) passages(u ide.URI, question string, at int) (l []passage) {
	text, end := withLineFeeds(question), 0
	for _, p := range grammar.Passages(text) {
		x := passage{source: text[p.Start:p.End], text: text[p.Start:p.End]}
		start := p.Start
		if q := p.Quotation; q != nil {
			x.text = strings.TrimSpace(text[min(q.Body, p.End):p.End])
			start = p.End - len(x.text)
			x.quotation = &agent.Quotation{URI: q.URI, First: q.First, Last: q.Last, Lines: q.Lines}
		}
		if n := strings.Count(text[end:p.Start], "\n") - 2; n > 0 {
			x.source = strings.Repeat("\n", n) + x.source
		}
		x.typed = d.isTyped(u, at+offsetIn(question, start), at+offsetIn(question, p.End))
		l, end = append(l, x), p.End
	}
	return l
}

// offsetIn returns where an offset of a text with line feeds is in the text as it was.
func offsetIn(original string, at int) int {
	for i := range len(original) {
		isReturn := strings.HasPrefix(original[i:], "\r\n")
		if at == 0 && !isReturn {
			return i
		}
		if !isReturn {
			at--
		}
	}
	return len(original)
}

// blocksFor returns the parts of a question as a session gets them. A quotation of what the session
// may not read, or one without a word of the user's, is text that the user has not written.
func blocksFor(ctx context.Context, ses *agent.Session, snapshot *ide.Snapshot, l []passage) (blocks []transcript.Block) {
	for _, p := range l {
		if p.quotation != nil && p.text != "" {
			if c, err := agent.CommentsOf(ses).FromQuotation(ctx, snapshot, *p.quotation, p.text); err == nil {
				c.Source = p.source
				b := c.Block()
				b.Relayed = !p.typed
				blocks = append(blocks, b)
				continue
			}
		}
		b := transcript.Block{Type: transcript.TextBlock, Text: p.source, Relayed: !p.typed || p.quotation != nil}
		if n := len(blocks) - 1; n >= 0 && blocks[n].Comment == nil {
			blocks[n].Text += "\n\n" + b.Text
			blocks[n].Relayed = blocks[n].Relayed || b.Relayed
			continue
		}
		blocks = append(blocks, b)
	}
	return blocks
}

// quoting is a quotation on its way into a document.
type quoting struct {
	markdown string
	done     chan struct{} // closed when it is there
}

// quoteWait is how long an editor may take to show a quotation.
const quoteWait = 10 * time.Second

// Quote adds a quotation to the document of a session, below which the user writes a comment, and
// returns where.
func (d *Documents) Quote(ctx context.Context, session, markdown string) (Shown, error) {
	p, q := d.pageOf(session), &quoting{markdown, make(chan struct{})}
	p.mu.Lock()
	if p.doc != nil && !d.c.Can.ApplyEdit {
		p.mu.Unlock()
		return Shown{}, client.Unable("the editor takes no edits from language servers: close the document, and the comment is written into its file")
	}
	p.quotes, p.refused, p.hurried = append(p.quotes, q), 0, true
	p.mu.Unlock()
	shown, err := d.Open(ctx, session)
	switch {
	case err != nil:
	case shown.elsewhere:
		err = client.Unable("%s is open in another editor", shown.Path)
	default:
		select {
		case <-q.done:
		case <-time.After(quoteWait):
			err = client.Unable("the editor has not taken the lines into %s", shown.Path)
		case <-ctx.Done():
			err = context.Cause(ctx)
		}
	}
	if err != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.quotes = slices.DeleteFunc(p.quotes, func(o *quoting) bool { return o == q })
		return Shown{}, err
	}
	if doc := d.c.Workspace.Snapshot().Document(ide.ParseURI(shown.URI)); doc != nil {
		shown.Range = endOf(doc.Text, d.c.Workspace.Encoding())
	} else if text, err := readText(shown.file); err == nil {
		shown.Range = endOf(ide.NewText(text), d.c.Workspace.Encoding())
	}
	return shown, nil
}

func endOf(text *ide.Text, e ide.Encoding) ide.Range { return text.Range(text.Len(), text.Len(), e) }

// editToQuote returns the change that adds quotations at the end of the input. p.mu is held.
func (p *page) editToQuote(text string) *edit {
	quotes := slices.Clone(p.quotes)
	var b strings.Builder
	b.WriteString(grammar.BlankLine(text))
	parsed := grammar.Parse(text)
	if start, ok := parsed.Input(); ok {
		b.WriteString(grammar.Open(withLineFeeds(text[start:])))
	} else {
		_, before, after := beforeInput(text)
		b.Reset()
		b.WriteString(before + after)
	}
	for i, q := range quotes {
		if i > 0 {
			b.WriteString("\n")
		}
		b.WriteString(q.markdown)
	}
	splices := nameSession(text, p.session)
	inserted := inLineEndsOf(text, b.String())
	if n := len(splices); n > 0 && splices[n-1].A == len(text) { // one edit, since both are there
		splices[n-1].Text += inserted
	} else {
		splices = append(splices, ide.Splice{A: len(text), B: len(text), Text: inserted})
	}
	return &edit{splices, func(string) {
		p.quotes = slices.DeleteFunc(p.quotes, func(q *quoting) bool { return slices.Contains(quotes, q) })
		for _, q := range quotes {
			close(q.done)
		}
	}}
}
