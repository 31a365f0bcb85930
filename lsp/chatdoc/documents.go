// Package chatdoc serves chat documents: Markdown files in which users of clients
// without emendo's panel converse with the agent. It sends their questions, writes
// the answers into the open document or its file, and offers what can be done in
// them. It owns what emendo writes there and no other text of them; package grammar
// knows their syntax, package render how items look in them.
package chatdoc

import (
	"context"
	"path/filepath"
	"sync"

	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/lsp/chatdoc/grammar"
	"github.com/emendo-dev/emendo/lsp/chatdoc/render"
	"github.com/emendo-dev/emendo/lsp/client"
	"github.com/emendo-dev/emendo/lsp/question"
)

// Documents are the chat documents of a server's sessions.
type Documents struct {
	c      *client.Client
	prompt promptness

	mu      sync.Mutex
	pages   map[string]*page     // by session
	sending map[ide.URI]*sending // questions on their way to a session
	foreign map[ide.URI]foreign  // what of open documents the user has not typed
}

// New returns the chat documents of a client's sessions.
func New(c *client.Client) *Documents {
	return &Documents{c: c, pages: map[string]*page{}, sending: map[ide.URI]*sending{}, foreign: map[ide.URI]foreign{}}
}

// Follow follows the documents of the client's workspace, which initialize has made.
func (d *Documents) Follow() {
	d.c.Workspace.Watch(d.follow)
}

// follow runs on the read loop.
func (d *Documents) follow(e ide.Event) {
	doc := e.After
	if doc == nil {
		doc = e.Before
	}
	if !doc.URI.IsChat() {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.followForeign(e)
	if s := d.sending[doc.URI]; s != nil {
		s.follow(e)
	}
	session := sync.OnceValue(func() string { return sessionOf(e.After) })
	for _, p := range d.pages {
		p.follow(e, session)
	}
}

// Commanded has the documents written that wait for a command of a client which takes edits
// only after one.
func (d *Documents) Commanded() {
	if d.c.Can.EditsFor == 0 {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, p := range d.pages {
		p.mu.Lock()
		p.startWriting()
		p.mu.Unlock()
	}
}

// serves reports whether conversations are in documents: the client has no panel.
func (d *Documents) serves() bool { return !d.c.Can.Session }

// pageOf returns the page of a session, and makes it if there is none.
func (d *Documents) pageOf(session string) *page {
	d.mu.Lock()
	defer d.mu.Unlock()
	p := d.pages[session]
	if p == nil {
		p = &page{d: d, session: session, news: client.NewSignal()}
		p.record.p, p.reload.p = p, p
		d.pages[session] = p
		p.mu.Lock()
		defer p.mu.Unlock()
		if doc := d.openDocument(session); doc != nil {
			p.setDocument(doc)
		}
	}
	return p
}

// knownPage returns the page of a session, or nil.
func (d *Documents) knownPage(session string) *page {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.pages[session]
}

// anyPage reports whether a page has an open document and matches. d.mu is held, and the
// page's mu while it is matched.
func (d *Documents) anyPage(u ide.URI, match func(*page) bool) bool {
	for _, p := range d.pages {
		p.mu.Lock()
		matches := p.doc != nil && p.doc.URI == u && match(p)
		p.mu.Unlock()
		if matches {
			return true
		}
	}
	return false
}

// openDocument returns the open document of a session, or nil.
func (d *Documents) openDocument(session string) *ide.Document {
	for _, doc := range d.c.Workspace.Snapshot().Documents() {
		if doc.URI.IsChat() && sessionOf(doc) == session {
			return doc
		}
	}
	return nil
}

// Begun implements [chat.Documents]: a turn that was not sent from a document gets a
// question and an answer in one.
func (d *Documents) Begun(sessionID, turnID string, prompt []transcript.Block) {
	if !d.serves() {
		return
	}
	p := d.pageOf(sessionID)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.answerOf(turnID) == nil {
		p.addAnswer(&answer{turn: turnID, question: render.QuestionOf(prompt, d.c)})
		p.unseen = true
		p.startWriting()
	}
}

// AddUpdate implements [chat.Documents]: an update becomes a part of the document.
func (d *Documents) AddUpdate(u transcript.Update) {
	if !d.serves() || u.Replay || u.TurnID == "" {
		return
	}
	p := d.pageOf(u.SessionID)
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.fold(u) {
		i := render.Changed(p.items, c)
		a := p.answerOf(u.TurnID)
		switch {
		case i != nil && i.Kind == view.KindUser:
			p.ask(a, u.TurnID, *i)
		case a != nil:
			p.addBlocks(a, a.format.Add(c, i), false)
		}
	}
	if _, over := u.Event.(transcript.TurnEnded); over {
		if a := p.answerOf(u.TurnID); a != nil {
			p.addBlocks(a, a.format.Flush(), true)
		}
		p.items = nil
	}
}

// fold folds an update, and returns what it has changed. The items of a turn are kept while it
// runs. p.mu is held.
func (p *page) fold(u transcript.Update) []view.Change {
	if p.items == nil || p.turn != u.TurnID {
		p.items, p.turn = view.NewConversation(view.Options{Folders: p.d.c}), u.TurnID
	}
	p.items.Add(u)
	return p.items.Changes()
}

// ask begins an answer to a prompt that steers the turn of a, or notes which prompt a answers.
// p.mu is held.
func (p *page) ask(a *answer, turnID string, prompt view.Item) {
	if a == nil || a.message != "" && a.message != prompt.ID {
		next := &answer{turn: turnID, question: render.Question(prompt)}
		if a != nil {
			p.addBlocks(a, a.format.Flush(), true)
			next.format = a.format.Next()
		}
		a = p.addAnswer(next)
	}
	a.message = prompt.ID
}

// Where says where the conversation of a session is; empty if that is not known.
func (d *Documents) Where(ctx context.Context, session string) string {
	if !d.serves() {
		return ""
	}
	p := d.pageOf(session)
	p.mu.Lock()
	doc := p.doc
	p.mu.Unlock()
	if doc != nil {
		return d.shown(doc.Path, doc.Spelling)
	}
	path, err := p.locate(ctx)
	if err != nil {
		d.c.Log.Debug("no place for a chat document", "session", session, "error", err)
		return ""
	}
	return d.shown(path, path)
}

// shown returns a path as the user sees it.
func (d *Documents) shown(path, otherwise string) string {
	if path == "" {
		return visible.Line(otherwise)
	}
	return visible.Line(filepath.ToSlash(d.c.Near(path)))
}

// Asked notes that a question about a call is open, and reports whether its line in
// an open document asks it.
func (d *Documents) Asked(q *question.Question) bool {
	if !d.serves() {
		return false
	}
	p := d.knownPage(q.SessionID)
	if p == nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	a := p.answerOf(q.TurnID)
	if a == nil {
		return false
	}
	call := q.CallID
	if q.Elicits { // a call may ask several, and its own line comes when it ends
		call = ""
	}
	blocks := a.format.Ask(call, q.Task)
	a.addBlocks(blocks)
	if b := a.lineOf(call); b != nil {
		b.asks, b.allow, b.task, b.live = q, blocks[len(blocks)-1].Line, q.Task, q.Elicits
	}
	p.startWriting()
	return p.doc != nil && d.c.Can.ApplyEdit
}

// Decided notes that a question is not open any more, with the answer in a few
// words.
func (d *Documents) Decided(q *question.Question, choice string) {
	p := d.knownPage(q.SessionID)
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, a := range p.answers {
		for _, b := range a.blocks {
			switch {
			case b.asks != q:
			case q.Elicits:
				b.asks, b.wanted = nil, grammar.CallLine(b.task, ruling(q, choice))
			default:
				b.asks, b.wanted = nil, a.format.Ruled(q.CallID, b.task, ruling(q, choice))
			}
		}
	}
	p.startWriting()
}

// ruling describes an answer to a question.
func ruling(q *question.Question, choice string) string {
	title := ""
	for _, c := range q.Choices {
		if c.ID == choice {
			title = c.Title
		}
	}
	return view.Answered(choice, title).Text
}
