package chatdoc

import (
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/lsp/chat"
	"github.com/emendo-dev/emendo/lsp/request"
	"github.com/emendo-dev/emendo/lsp/review"
)

// Serves implements [review.Chats].
func (d *Documents) Serves(u ide.URI) bool { return d.serves() && u.IsChat() }

// Offers implements [review.Chats].
func (d *Documents) Offers(u ide.URI) []review.Offer {
	doc := d.c.Workspace.Snapshot().Document(u)
	if doc == nil {
		return nil
	}
	var l []review.Offer
	parsed := d.parse(doc)
	if _, ok := parsed.Question(); ok {
		l = append(l, review.Offer{
			Kind: review.SendKind, Title: "Send to emendo", CallsModel: true, Command: request.NewCommand("Send", "emendo.send", SendArgs{URI: doc.Spelling}),
		})
	}
	if parsed.Session != "" && d.Chat.Turns.RunningIn(parsed.Session) {
		args := chat.CancelParams{SessionID: parsed.Session}
		l = append(l, review.Offer{Kind: review.CancelKind, Title: "Cancel the running turn", Command: request.NewCommand("Cancel", "emendo.cancel", args)})
	}
	if len(l) == 0 && len(parsed.Sections) > 1 {
		l = append(l, review.Offer{Kind: review.NewKind, Title: "Begin a new conversation", Command: request.NewCommand("New", "emendo.newSession", struct{}{})})
	}
	return l
}
