package turn

import (
	"fmt"
	"strings"

	"github.com/emendo-dev/emendo/agent/prompt"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/tools/edited"
)

// statesOf returns the states of a change set's hunks in a form that can be
// compared.
func statesOf(cs ledger.ChangeSet) string {
	var b strings.Builder
	for _, f := range cs.Files {
		for _, h := range f.Hunks {
			fmt.Fprintf(&b, "%s %s %t;", h.ID, h.State, h.Edited)
		}
	}
	return b.String()
}

// decisions returns the user's decisions about the edits of the model, and about the
// user's own proposals in the session, since they were last sent; false if there are none.
func (t *Turn) decisions(messageID string) (transcript.Given, bool) {
	s := t.Session
	g := transcript.Given{MessageID: messageID, Kind: "decisions", Told: map[string]string{}}
	var news, own []string
	for _, cs := range s.Agent.Options.Ledger.List(s.SessionID, "", "") {
		if s.IsRewound(cs.TurnID) { // it is no longer part of the conversation
			continue
		}
		if s.Private.OnlyPlans(cs) { // the model reads of a plan when it is approved
			continue
		}
		before, known := t.SentStates(cs.ID)
		known = known || cs.TurnID != t.ID // the process of an earlier turn may have died before the call had a result
		if now := statesOf(cs); known && before != now && cs.State != ledger.Pending {
			g.Told[cs.ID] = now
			text := edited.Result(edited.Outcome{Set: cs, Text: s.LiveText}).Output
			if cs.CallID == "" {
				own = append(own, text)
			} else {
				news = append(news, text)
			}
		}
	}
	var parts []string
	if len(news) > 0 {
		parts = append(parts, "Since the last report, the user decided on your edits:\n"+strings.Join(news, "\n"))
	}
	if len(own) > 0 {
		parts = append(parts, "Since the last report, the user decided on edits of their own:\n"+strings.Join(own, "\n"))
	}
	g.Text = prompt.Enclose("edit_decisions", strings.Join(parts, "\n\n"))
	return g, len(parts) > 0
}
