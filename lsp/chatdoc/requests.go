package chatdoc

import (
	"sync"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/lsp/chat"
	"github.com/emendo-dev/emendo/lsp/chatdoc/grammar"
	"github.com/emendo-dev/emendo/lsp/complete"
	"github.com/emendo-dev/emendo/lsp/question"
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
// several things about one text.
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
		l.of, l.parsed = doc, grammar.Parse(doc.Text.String())
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
