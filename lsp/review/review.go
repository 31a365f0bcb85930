// Package review lets the user see and decide proposed edits: change sets and
// their notifications, diagnostics, code actions, code lenses and hovers, and the
// commands that accept and reject hunks. The ledger owns the state of hunks.
package review

import (
	"github.com/emendo-dev/emendo/lsp/chat"
	"github.com/emendo-dev/emendo/lsp/client"
	"github.com/emendo-dev/emendo/lsp/question"
)

// Options have what a review needs of the server.
type Options struct {
	Client    *client.Client
	Host      *client.Lazy
	Questions *question.Asker
	Current   *chat.Current // the session that commands mean
	Chats     Chats
}

// Review has the handlers of a server that deal with proposed edits.
type Review struct {
	Hunks     *Hunks
	Changes   *Changes
	Actions   *Actions
	Decider   *Decider
	Announcer *Announcer
}

// New returns the handlers.
func New(o Options) *Review {
	hunks := &Hunks{o.Client, o.Host}
	a := newAnnouncer(o, hunks)
	changes := &Changes{o.Client, o.Host, &a.feed}
	return &Review{
		Hunks: hunks, Changes: changes, Announcer: a,
		Actions: &Actions{o.Client, o.Questions, hunks, o.Chats},
		Decider: &Decider{c: o.Client, host: o.Host, hunks: hunks, changes: changes, current: o.Current},
	}
}
