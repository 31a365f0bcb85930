package chatdoc

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/agent/view/phrase"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/internal/paths"
	"github.com/emendo-dev/emendo/internal/rpc"
	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/lsp/chat"
	"github.com/emendo-dev/emendo/lsp/chatdoc/grammar"
	"github.com/emendo-dev/emendo/lsp/client"
)

// SendArgs are the arguments of emendo.send.
type SendArgs struct {
	URI string `json:"uri"`
}

// sending is a question on its way to a session. The mutex of Documents guards what
// changes.
type sending struct {
	d        *Documents
	uri      ide.URI
	path     string // of the document; empty if it is not a file
	question string
	mark     int // where it ends in the document
	passages []passage
	twins    int  // how many answered questions of the document are the same
	gone     bool // the document was closed
	page     *page
	answer   *answer // once it has a turn
}

// follow keeps the mark valid. It runs on the read loop.
func (s *sending) follow(e ide.Event) {
	switch e.Kind {
	case ide.Opened, ide.Closed:
		s.gone = true
	case ide.Changed:
		for by := range steps(e) {
			s.mark = by.Offset(s.mark, true)
		}
	case ide.Saved:
	}
}

// Send runs emendo.send: it sends the question in the input of a chat document.
func (r *Requests) Send(_ context.Context, a SendArgs) (rpc.Work, error) {
	if !r.d.serves() {
		return nil, client.Unable("chat documents are for editors without emendo's panel")
	}
	u := ide.ParseURI(a.URI)
	if a.URI == "" {
		u = r.d.c.Focus.ChatDocument()
	}
	doc := r.d.c.Workspace.Snapshot().Document(u)
	switch {
	case a.URI == "" && doc == nil:
		return nil, client.Unable("no chat document is open: emendo.chat opens one")
	case doc == nil:
		return nil, client.Invalid("%s is not open", visible.Line(a.URI))
	case !u.IsChat():
		return nil, client.Invalid("%s is not a chat document: its name does not end in %s", visible.Line(a.URI), ide.ChatSuffix)
	}
	text := doc.Text.String()
	parsed := parse(doc)
	question, ok := parsed.Question()
	if !ok {
		return nil, client.Unable("there is nothing to send: write a question at the end, below \"## You\"")
	}
	start, _ := parsed.Input()
	x := &sending{d: r.d, uri: u, path: doc.Path, question: withLineFeeds(question), mark: start + strings.LastIndex(text[start:], question) + len(question)}
	x.twins = len(twinsOf(text, x.question))
	if !r.d.addSending(x) {
		return nil, client.Unable("the question is being sent already")
	}
	x.passages = r.d.passages(u, question, x.mark-len(question))
	focus := r.d.c.Focus.Current()
	return r.chat.Turns.Send(chat.Sending{
		Question: x, SessionID: parsed.Session,
		Unasked: !slices.ContainsFunc(parsed.Sections, func(s grammar.Section) bool { return s.Speaker == grammar.Emendo }),
		Prompt:  state.Prompt{Snapshot: r.d.c.Workspace.Snapshot(), Focus: &focus},
	}), nil
}

// addSending notes a question that is to be sent; false if one of its document is.
func (d *Documents) addSending(x *sending) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	placing := func(p *page) bool { // a question has a turn and no heading for the answer yet
		return p.refused < mostTries && slices.ContainsFunc(p.answers, func(a *answer) bool { return a.sent })
	}
	if d.sending[x.uri] != nil || d.anyPage(x.uri, placing) {
		return false
	}
	d.sending[x.uri] = x
	return true
}

// CheckSession implements [chat.Question].
func (x *sending) CheckSession(ctx context.Context, sessionID string) error {
	return x.d.belongs(ctx, x.path, sessionID)
}

// Opened implements [chat.Question]: it notes the session that gets the question, and makes its blocks.
func (x *sending) Opened(ctx context.Context, ses *agent.Session, p *state.Prompt) error {
	p.Blocks = blocksFor(ctx, ses, p.Snapshot, x.passages)
	x.page = x.d.pageOf(ses.ID())
	x.page.takeDocument(x.uri)
	return x.page.catchUp(ctx)
}

// belongs returns an error if a document is not where the session works that it names,
// and that is not open either: what a question does would be out of sight, and the
// document, which may be of others, would get what was said there. The session is not
// opened, which would add its folders to the workspace.
func (d *Documents) belongs(ctx context.Context, path, session string) error {
	h, err := d.c.Host.Get(ctx)
	if err != nil {
		return err
	}
	info, err := h.Agent.Info(session)
	if err != nil {
		return err
	}
	for _, folder := range append([]string{info.Cwd}, info.Roots...) {
		if paths.Within(path, folder) || slices.ContainsFunc(d.c.Folders.Roots(), func(root string) bool { return paths.Within(root, folder) || paths.Within(folder, root) }) {
			return nil
		}
	}
	if h.Chats != "" && paths.Within(path, disk.RealPath(h.Chats)) {
		return nil
	}
	return client.Unable("the session of this document works in %s: open that folder, or delete the line of the session to begin another one here", visible.Line(info.Cwd))
}

// takeDocument makes an open document the page's, even if another one names the session too.
func (p *page) takeDocument(u ide.URI) {
	p.d.mu.Lock() // so that no event is missed
	defer p.d.mu.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	if doc := p.d.c.Workspace.Snapshot().Document(u); doc != nil && (p.doc == nil || p.doc.URI != u) {
		p.setDocument(doc)
	}
}

// Accepted implements [chat.Question]: it notes that the question has a turn, which may have to wait for others.
func (x *sending) Accepted(turnID string) {
	x.d.mu.Lock()
	defer x.d.mu.Unlock()
	if x.answer != nil {
		return
	}
	delete(x.d.sending, x.uri)
	p := x.page
	p.mu.Lock()
	defer p.mu.Unlock()
	x.answer = p.addAnswer(&answer{turn: turnID, question: x.question, mark: x.mark, twins: x.twins, typed: true, sent: !x.gone && p.doc != nil && p.doc.URI == x.uri})
	p.startWriting()
}

// Failed implements [chat.Question]: it notes that no turn begins: the question stays in the document.
func (x *sending) Failed(err error) {
	x.d.mu.Lock()
	defer x.d.mu.Unlock()
	delete(x.d.sending, x.uri)
	p := x.page
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch a := x.answer; {
	case a != nil: // it was queued, and could not begin
		p.addBlocks(a, a.format.AddNotice("Error", phrase.Say("error.not_sent", "why", err.Error()).Text), true)
	case !errors.Is(err, transcript.ErrCancelled):
		p.failures = append(p.failures, phrase.Say("error.not_sent", "why", err.Error()).Text)
		p.refused = 0
		p.startWriting()
	}
}

// WhyUnshown implements [chat.Question]: it returns why the answer is not in the document that the user sees.
func (x *sending) WhyUnshown() string {
	x.page.mu.Lock()
	defer x.page.mu.Unlock()
	switch {
	case x.page.doc == nil:
		return ""
	case x.d.c.Can.EditsFor > 0 && x.page.isIncomplete():
		return "The editor takes edits only after a command: choose \"" + moreTitle + "\" in the document, or close it, and the answer is written into its file."
	case x.d.c.Can.ApplyEdit:
		return ""
	}
	return "The editor takes no edits from language servers: close the document, and the answer is written into its file."
}
