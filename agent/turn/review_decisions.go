package turn

import (
	"context"
	"fmt"
	"strings"

	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/tools/edited"
)

// statesOf returns the states of a change set's hunks in a form that can be
// compared.
func statesOf(cs ledger.ChangeSet) string {
	var b strings.Builder
	for _, h := range cs.Hunks(nil) {
		fmt.Fprintf(&b, "%s %s %t;", h.ID, h.State, h.Edited)
	}
	return b.String()
}

// asDone returns the states of a change set's hunks as they were when a command had made its
// changes, as [statesOf] returns them.
func asDone(cs ledger.ChangeSet) string {
	var b strings.Builder
	for _, h := range cs.Hunks(nil) {
		fmt.Fprintf(&b, "%s %s %t;", h.ID, ledger.Accepted, false)
	}
	return b.String()
}

// isDone reports whether a command made the changes of a change set itself.
func isDone(cs ledger.ChangeSet) bool { return len(cs.Hunks(cs.Done)) > 0 }

// decidedSince returns the hunks that were decided, or changed by the user, since the states
// of their change set were before, as [statesOf] returns them.
func decidedSince(before string, cs ledger.ChangeSet) []ledger.Hunk {
	return cs.Hunks(func(h ledger.Hunk) bool {
		return !h.State.Waits() && !strings.Contains(";"+before, fmt.Sprintf(";%s %s %t;", h.ID, h.State, h.Edited))
	})
}

// undoneSince returns the IDs of the hunks that were applied when the states of their
// change set were before, as [statesOf] returns them, and whose old text is there again: the
// user has undone the edit, or something has brought back the file.
func undoneSince(before string, cs ledger.ChangeSet) (ids []string) {
	for _, h := range cs.Hunks(func(h ledger.Hunk) bool { return h.State.Waits() || h.TakenBack() }) {
		if strings.Contains(";"+before, fmt.Sprintf(";%s %s ", h.ID, ledger.Accepted)) {
			ids = append(ids, h.ID)
		}
	}
	return ids
}

// LookAtEdits has the ledger read the session's changed files that no editor has open, so
// that it knows of edits that something has undone on disk. It does so only for users who
// review hunks: for others an undone hunk would wait for nobody.
func (r *review) LookAtEdits(ctx context.Context, busy bool) {
	s := r.conv.Session
	if !s.Agent.Client.Abilities().Reviews || busy { // else what a command changed would be taken for the user's
		return
	}
	seen := map[string]bool{}
	for _, cs := range s.Agent.Options.Ledger.List(s.SessionID, "", "") {
		for _, f := range cs.Files {
			if f.Path == "" || f.Open || seen[f.Path] || isDone(cs) || s.Record.IsRewound(cs.TurnID) {
				continue
			}
			seen[f.Path] = true
			if _, err := s.Agent.Options.Ledger.View(ctx, s.SessionID, f.Path); err != nil {
				s.Agent.Log.Debug("a changed file was not read", "session", s.SessionID, "err", err)
			}
		}
	}
}

// Decisions returns the user's decisions about the edits of the model, and about the
// user's own proposals in the session, since they were last sent; false if there are none.
func (r *review) Decisions(messageID string) (transcript.Given, bool) {
	s := r.conv.Session
	g := transcript.Given{MessageID: messageID, Kind: "decisions", Told: map[string]string{}}
	var news, own, commands []string
	for _, cs := range s.Agent.Options.Ledger.List(s.SessionID, "", "") {
		if s.Record.IsRewound(cs.TurnID) { // it is no longer part of the conversation
			continue
		}
		if s.Private.OnlyPlans(cs) { // the model reads of a plan when it is approved
			continue
		}
		var before string
		var known bool
		s.Record.Read(func(h *transcript.History) { before, known = h.SentStates(cs.ID) })
		done := isDone(cs)
		if done && !known { // no result told of it
			before, known = asDone(cs), true
		}
		known = known || cs.TurnID != r.turn // the process of an earlier turn may have died before the call had a result
		undone := undoneSince(before, cs)
		if now := statesOf(cs); known && before != now && len(decidedSince(before, cs))+len(undone) > 0 {
			g.Told[cs.ID] = now
			text := edited.Result(edited.Outcome{Set: cs, Undone: undone, Text: s.LiveText, Comments: s.Verdicts.Comments(s.Agent.Options.Ledger, cs.ID)}).Output
			switch {
			case done:
				commands = append(commands, text)
			case cs.CallID == "":
				own = append(own, text)
			default:
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
	if len(commands) > 0 {
		parts = append(parts, "Since the last report, the user decided on what commands had changed:\n"+strings.Join(commands, "\n"))
	}
	parts = append(parts, s.Verdicts.Contexts()...)
	g.Text = transcript.Enclose("edit_decisions", strings.Join(parts, "\n\n"))
	return g, len(parts) > 0
}
