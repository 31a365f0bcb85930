package chatdoc

import (
	"context"
	"errors"
	"sync"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/lsp/chat"
	"github.com/emendo-dev/emendo/lsp/chatdoc/grammar"
	"github.com/emendo-dev/emendo/lsp/client"
	"github.com/emendo-dev/emendo/lsp/complete"
	"github.com/emendo-dev/emendo/lsp/question"
	"github.com/emendo-dev/emendo/lsp/review"
)

// Requests answers the requests of the client about its chat documents, and runs the
// commands in them.
type Requests struct {
	d         *Documents
	chat      *chat.Chat
	completer *complete.Completer

	choosing sync.Mutex // held while the session of a command is chosen
	latest   latest
}

// NewRequests returns the requests about documents, whose sessions are those of c.
func NewRequests(d *Documents, c *chat.Chat, x *complete.Completer) *Requests {
	return &Requests{d: d, chat: c, completer: x}
}

// latest is the structure of the document that was asked about last: the client asks
// several things about one text, on the read loop, and a long text takes a while.
type latest struct {
	mu     sync.Mutex
	of     *ide.Document
	parsed grammar.Document
}

// parse returns the structure of a document.
func (r *Requests) parse(doc *ide.Document) grammar.Document {
	l := &r.latest
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.of != doc {
		l.of, l.parsed = doc, parse(doc)
	}
	return l.parsed
}

// Lines returns the open questions that lines of a document ask.
func (r *Requests) Lines(doc *ide.Document) []question.Asked {
	if doc == nil || !doc.URI.IsChat() {
		return nil
	}
	r.d.mu.Lock()
	defer r.d.mu.Unlock()
	var l []question.Asked
	for _, p := range r.d.pages {
		l = append(l, p.askedIn(doc, r.d.c.Workspace.Encoding())...)
	}
	return l
}

// Serves implements [review.Chats].
func (r *Requests) Serves(u ide.URI) bool { return r.d.serves() && u.IsChat() }

// Offers implements [review.Chats].
func (r *Requests) Offers(u ide.URI) []review.Offer {
	doc := r.d.c.Workspace.Snapshot().Document(u)
	if doc == nil {
		return nil
	}
	var l []review.Offer
	parsed := r.parse(doc)
	if _, ok := parsed.Question(); ok {
		l = append(l, review.Offer{
			Kind: review.SendKind, Title: "Send to emendo", CallsModel: true, Command: client.NewCommand("Send", "emendo.send", SendArgs{URI: doc.Spelling}),
		})
	}
	if parsed.Session != "" && r.chat.Turns.RunningIn(parsed.Session) {
		args := chat.CancelParams{SessionID: parsed.Session}
		l = append(l, review.Offer{Kind: review.CancelKind, Title: "Cancel the running turn", Command: client.NewCommand("Cancel", "emendo.cancel", args)})
	}
	if r.waits(doc) {
		args := struct {
			SessionID string `json:"sessionId"`
		}{parsed.Session}
		l = append(l, review.Offer{Kind: review.MoreKind, Title: moreTitle, Command: client.NewCommand("Show", "emendo.chat", args)})
	}
	if len(l) == 0 && len(parsed.Sections) > 1 {
		l = append(l, review.Offer{Kind: review.NewKind, Title: "Begin a new conversation", Command: client.NewCommand("New", "emendo.newSession", struct{}{})})
	}
	return l
}

// moreTitle is the action of a client that takes edits only after a command.
const moreTitle = "Show more of the answer"

// waits reports whether a document lacks something because its client takes edits only
// after a command.
func (r *Requests) waits(doc *ide.Document) bool {
	if r.d.c.Can.EditsFor == 0 {
		return false
	}
	r.d.mu.Lock()
	defer r.d.mu.Unlock()
	return r.d.anyPage(doc.URI, (*page).isIncomplete)
}

// mostSessions limits how many of the last sessions of a folder are considered.
const mostSessions = 50

// Session returns the session that emendo.chat opens: the one with the ID, else the
// current one, else the last one of the folder whose document exists and is not open in
// another editor, else an unused one.
func (r *Requests) Session(ctx context.Context, id string) (*agent.Session, error) {
	if id != "" || r.chat.Current.ID() != "" || !r.d.serves() {
		return r.chat.Sessions.OrCurrent(ctx, id)
	}
	r.choosing.Lock()
	defer r.choosing.Unlock()
	last, err := r.lastSession(ctx)
	if err != nil {
		return nil, err
	}
	if last == "" {
		return r.unused(ctx)
	}
	ses, err := r.d.c.Host.Session(ctx, last)
	if err != nil {
		return nil, err
	}
	r.chat.Current.Set(ses)
	return ses, nil
}

// Unused returns a session without prompts and makes it the current one. It prefers one
// that has an empty document to a new one.
func (r *Requests) Unused(ctx context.Context) (*agent.Session, error) {
	r.choosing.Lock()
	defer r.choosing.Unlock()
	return r.unused(ctx)
}

// lastSession returns the ID of the last session of the folder whose document exists and is not
// open in another editor, or "".
func (r *Requests) lastSession(ctx context.Context) (string, error) {
	h, err := r.d.c.Host.Get(ctx)
	if err != nil {
		return "", err
	}
	cwd, folders, err := r.newSessionFolders(ctx)
	if err != nil || len(folders) == 0 {
		return "", err
	}
	l, _, err := h.Agent.List(transcript.Listing{Cwd: cwd, Limit: mostSessions})
	if err != nil {
		return "", err
	}
	for _, info := range l {
		for _, folder := range folders {
			if path := fileOf(folder, info.ID); path != "" && r.isFree(ctx, path) {
				return info.ID, nil
			}
		}
	}
	return "", nil
}

// unused is [Requests.Unused] for a caller that holds choosing.
func (r *Requests) unused(ctx context.Context) (*agent.Session, error) {
	if ses := r.chat.Current.Session(); ses != nil && !ses.State.Record.IsStored() {
		return ses, nil
	}
	ses, err := r.ofEmptyDocument(ctx)
	if err == nil && ses == nil {
		ses, err = r.chat.Sessions.Create(ctx, chat.NewParams{})
	}
	if err != nil {
		return nil, err
	}
	r.chat.Current.Set(ses)
	return ses, nil
}

// ofEmptyDocument returns the session of an empty document of the folder that is not open
// in another editor, or nil. A session without prompts is not stored, so it is created
// again, with the same ID.
func (r *Requests) ofEmptyDocument(ctx context.Context) (*agent.Session, error) {
	h, err := r.d.c.Host.Get(ctx)
	if err != nil {
		return nil, err
	}
	cwd, folders, err := r.newSessionFolders(ctx)
	if err != nil {
		return nil, err
	}
	for _, folder := range folders {
		for _, path := range documentsIn(folder) {
			session := emptyDocument(path)
			if session == "" || r.d.openDocument(session) != nil || !r.isFree(ctx, path) {
				continue
			}
			switch info, err := h.Agent.Info(session); {
			case errors.Is(err, transcript.ErrUnknownSession):
				return r.chat.Sessions.Restore(ctx, session)
			case err == nil && info.Turns == 0 && info.Cwd == cwd:
				return r.d.c.Host.Session(ctx, session)
			}
		}
	}
	return nil, nil
}

// newSessionFolders returns the folder in which new sessions work, and the folders of its documents.
// Without an open folder both are empty.
func (r *Requests) newSessionFolders(ctx context.Context) (cwd string, folders []string, err error) {
	roots := r.d.c.Folders.Roots()
	if len(roots) == 0 {
		return "", nil, nil
	}
	folders, err = r.d.folders(ctx, roots[0])
	return roots[0], folders, err
}

// isFree reports whether no other process of emendo has the document open.
func (r *Requests) isFree(ctx context.Context, path string) bool {
	if r.d.c.Workspace.Snapshot().Document(ide.FileURI(path)) != nil {
		return true // this one has it
	}
	claim, err := r.d.claim(ctx, path)
	if err != nil {
		return !errors.Is(err, errElsewhere)
	}
	_ = claim.Close()
	return true
}

// emptyDocument returns the ID of the session in a document without questions, or "" if
// the document is not such.
func emptyDocument(path string) (session string) {
	text, err := readText(path)
	if err != nil {
		return ""
	}
	if session = grammar.Parse(text).Session; session != "" && sameText(text, grammar.New(session)) {
		return session
	}
	return ""
}
