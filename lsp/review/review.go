// Package review lets the user see and decide proposed edits: change sets and
// their notifications, diagnostics, code actions, code lenses and hovers, and the
// commands that accept and reject hunks. The ledger owns the state of hunks.
package review

import (
	"time"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/lsp/chat"
	"github.com/emendo-dev/emendo/lsp/client"
	"github.com/emendo-dev/emendo/lsp/question"
)

// Review has the handlers of a server that deal with proposed edits. Its own methods find the
// hunks that are to be decided, answer requests about change sets and run the commands that
// decide them.
type Review struct {
	Actions   *Actions
	Announcer *Announcer

	c       *client.Client
	current *chat.Current // the session that commands mean
	feed    *feed
	last    chan struct{} // closed when the last decisions are carried out; nil: there were none. Owned by the read loop
}

// New returns the handlers.
func New(c *client.Client, questions *question.Asker, current *chat.Current, chats Chats) *Review {
	v := &Review{c: c, current: current}
	v.Actions = &Actions{c, questions, v, chats}
	v.Announcer = &Announcer{c: c, questions: questions, review: v, sentAt: map[string]time.Time{}, published: map[ide.URI]published{}}
	v.feed = &v.Announcer.feed
	return v
}
