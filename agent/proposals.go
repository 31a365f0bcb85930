package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/tools"
)

func stateOf(h ledger.Hunk) HunkState {
	s := HunkState{HunkID: h.ID, State: string(h.State), Edited: h.Edited, Reason: h.Reason}
	if h.Edited {
		s.NewText = &h.NewText
	}
	return s
}

// apply sets the hunks of a change set as recorded.
func (d Decisions) apply(cs *ledger.ChangeSet) {
	for i := range cs.Files {
		for j := range cs.Files[i].Hunks {
			h := &cs.Files[i].Hunks[j]
			for _, s := range d.Hunks {
				if s.HunkID != h.ID {
					continue
				}
				h.State, h.Edited, h.Reason = ledger.State(s.State), s.Edited, s.Reason
				if s.NewText != nil {
					h.NewText = *s.NewText
				}
			}
		}
	}
}

// mergeRecords adds an event to events that wait to be written. It is true when
// that needs no more room: the hunks of the last one are decided again.
func mergeRecords(es []Event, e Event) ([]Event, bool) {
	last, ok := es[len(es)-1].(Decisions)
	next, also := e.(Decisions)
	if !ok || !also || last.ChangeSetID != next.ChangeSetID {
		return nil, false
	}
	again := func(h HunkState) bool {
		return slices.ContainsFunc(next.Hunks, func(o HunkState) bool { return o.HunkID == h.HunkID })
	}
	last.Hunks = append(slices.DeleteFunc(slices.Clone(last.Hunks), again), next.Hunks...)
	return append(es[:len(es)-1:len(es)-1], last), true
}

// noteChangeSet records how a change set stands; the ledger calls it in order,
// also from the loop that reads the client's messages. It does not wait.
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
		s.keep(Proposals{b})
		return
	}
	d := Decisions{ChangeSetID: cs.ID}
	for _, h := range cs.DecidedSince(before) {
		d.Hunks = append(d.Hunks, stateOf(h))
	}
	if len(d.Hunks) > 0 {
		s.keep(d)
	}
}

// Resolve decides hunks as the user said. What it answers is on the disk.
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

// standing says how the hunks of a change set stand, so that a change shows.
func standing(cs ledger.ChangeSet) string {
	var b strings.Builder
	for _, f := range cs.Files {
		for _, h := range f.Hunks {
			fmt.Fprintf(&b, "%s %s %t;", h.ID, h.State, h.Edited)
		}
	}
	return b.String()
}

// decisions is what the model has not been told yet of what became of its
// edits; false when there is nothing.
func (t *turn) decisions(messageID string) (Given, bool) {
	s := t.session
	g := Given{MessageID: messageID, Kind: "decisions", Told: map[string]string{}}
	var news []string
	for _, cs := range s.agent.o.Ledger.List(s.id, "", "") {
		if s.rewoundTurn(cs.TurnID) { // the model knows nothing of it any more
			continue
		}
		if s.ofPlans(cs) { // how a plan stands is told when it is approved
			continue
		}
		before, known := t.told(cs.ID)
		known = known || cs.TurnID != t.id // the process of an earlier turn may have died before its call told
		if now := standing(cs); known && before != now && cs.State != ledger.Pending {
			g.Told[cs.ID] = now
			news = append(news, tools.EditResult(tools.Outcome{Set: cs, Text: s.liveText}).Output)
		}
	}
	g.Text = enclose("edit_decisions", "Since you were last told, the user decided on your edits:\n"+strings.Join(news, "\n"))
	return g, len(news) > 0
}

// told is how the hunks of a change set stood when the model last read of it.
func (t *turn) told(changeSet string) (string, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s, ok := t.session.history.told[changeSet]
	return s, ok
}

// liveText is the text of a changed file as it is now; empty when it cannot be
// read.
func (s *Session) liveText(f ledger.FileChange) string {
	// A read of one text that the decision was just carried out on: nothing to wait for.
	file, err := s.agent.o.Workspace.Snapshot().Within(s.folders()).Read(context.Background(), cmp.Or(f.Path, string(f.URI)))
	if err != nil {
		return ""
	}
	return file.Text.String()
}

// changedFiles are the files that accepted hunks of the session are in.
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
