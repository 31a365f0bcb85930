package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/agent/prompt"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/tools"
)

// mergeRecords merges e into the last of the events that wait to be written: both
// are decisions about one change set. It reports whether it did.
func mergeRecords(es []transcript.Event, e transcript.Event) ([]transcript.Event, bool) {
	last, ok := es[len(es)-1].(transcript.Decisions)
	next, also := e.(transcript.Decisions)
	if !ok || !also || last.ChangeSetID != next.ChangeSetID {
		return nil, false
	}
	last.Hunks = slices.Clone(last.Hunks)
	for _, h := range next.Hunks {
		i := slices.IndexFunc(last.Hunks, func(o transcript.HunkState) bool { return o.HunkID == h.HunkID })
		if i < 0 {
			last.Hunks = append(last.Hunks, h)
			continue
		}
		if h.NewText == nil { // a decision without a text leaves the text as it was
			h.NewText = last.Hunks[i].NewText
		}
		last.Hunks[i] = h
	}
	return append(es[:len(es)-1:len(es)-1], last), true
}

// noteChangeSet records a change set, or what was decided about it since. The
// ledger calls it in order, also on the loop that reads the client's messages, so
// it does not wait.
func (a *Agent) noteChangeSet(cs ledger.ChangeSet, rangesOnly bool) {
	if rangesOnly {
		return
	}
	s := a.known(cs.SessionID)
	if s == nil {
		return
	}
	s.mu.Lock()
	before, known := s.recorded[cs.ID]
	s.recorded[cs.ID] = cs.Version
	s.mu.Unlock()
	if !known {
		b, err := json.Marshal([]ledger.ChangeSet{cs})
		if err != nil {
			a.log.Error("recording a change set", "session", s.id, "err", err)
			return
		}
		s.keep(transcript.Proposals{ChangeSets: b})
		return
	}
	d := transcript.Decisions{ChangeSetID: cs.ID}
	for _, h := range cs.DecidedSince(before) {
		d.Hunks = append(d.Hunks, transcript.StateOf(h))
	}
	if len(d.Hunks) > 0 {
		s.keep(d)
	}
}

// Resolve carries out the user's decisions about hunks. They are on the disk when
// it returns.
func (a *Agent) Resolve(ctx context.Context, ds []ledger.Decision, comment string) (ledger.Resolution, error) {
	r, err := a.decide(ctx, ds, comment)
	if err != nil {
		return r, err
	}
	for _, cs := range r.ChangeSets {
		s := a.known(cs.SessionID)
		if s == nil {
			continue
		}
		if err := s.flush(); err != nil {
			return r, err
		}
	}
	return r, nil
}

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

// decisions returns what became of the model's edits since it last read of them,
// and false when that is nothing.
func (t *turn) decisions(messageID string) (transcript.Given, bool) {
	s := t.session
	g := transcript.Given{MessageID: messageID, Kind: "decisions", Told: map[string]string{}}
	var news []string
	for _, cs := range s.agent.o.Ledger.List(s.id, "", "") {
		if s.rewoundTurn(cs.TurnID) { // it is no longer part of the conversation
			continue
		}
		if s.ofPlans(cs) { // the model reads of a plan when it is approved
			continue
		}
		before, known := t.sent(cs.ID)
		known = known || cs.TurnID != t.id // the process of an earlier turn may have died before the call had a result
		if now := statesOf(cs); known && before != now && cs.State != ledger.Pending {
			g.Told[cs.ID] = now
			news = append(news, tools.EditResult(tools.Outcome{Set: cs, Text: s.liveText}).Output)
		}
	}
	g.Text = prompt.Enclose("edit_decisions", "Since you were last told, the user decided on your edits:\n"+strings.Join(news, "\n"))
	return g, len(news) > 0
}

// sent returns the states of a change set's hunks when the model last read of it.
func (t *turn) sent(changeSet string) (string, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.session.history.SentStates(changeSet)
}

// liveText returns the current text of a changed file; empty when it cannot be
// read.
func (s *Session) liveText(f ledger.FileChange) string {
	// The decision was just carried out on this text: there is nothing to wait for.
	file, err := s.agent.o.Workspace.Snapshot().Within(s.work.Tree()).Read(context.Background(), cmp.Or(f.Path, string(f.URI)))
	if err != nil {
		return ""
	}
	return file.Text.String()
}

// changedFiles returns the files with accepted hunks of the session.
func (s *Session) changedFiles() []string {
	var l []string
	for _, cs := range s.agent.o.Ledger.List(s.id, "", "") {
		for _, f := range cs.Files {
			if f.Path != "" && !slices.Contains(l, f.Path) && slices.ContainsFunc(f.Hunks, func(h ledger.Hunk) bool { return h.State == ledger.Accepted }) {
				l = append(l, f.Path)
			}
		}
	}
	return l
}
