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

// Review has the handlers of a server that deal with proposed edits.
type Review struct {
	Hunks     *Hunks
	Changes   *Changes
	Actions   *Actions
	Decider   *Decider
	Announcer *Announcer
}

// New returns the handlers. Current is the session that commands mean.
func New(c *client.Client, questions *question.Asker, current *chat.Current, chats Chats) *Review {
	hunks := &Hunks{c}
	a := &Announcer{c: c, questions: questions, hunks: hunks, sentAt: map[string]time.Time{}, published: map[ide.URI]published{}}
	changes := &Changes{c, &a.feed}
	return &Review{
		Hunks: hunks, Changes: changes, Announcer: a,
		Actions: &Actions{c, questions, hunks, chats},
		Decider: &Decider{c: c, hunks: hunks, changes: changes, current: current},
	}
}
