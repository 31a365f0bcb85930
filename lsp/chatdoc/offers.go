package chatdoc

import (
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/lsp/chat"
	"github.com/emendo-dev/emendo/lsp/client"
	"github.com/emendo-dev/emendo/lsp/review"
)

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
	for _, p := range r.d.pages {
		if p.isWaiting(doc.URI) {
			return true
		}
	}
	return false
}

func (p *page) isWaiting(u ide.URI) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.doc != nil && p.doc.URI == u && p.lacks()
}
