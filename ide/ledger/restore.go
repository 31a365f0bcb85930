package ledger

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/diff"
)

// Restore adds the change sets of a loaded session. A pending hunk stays pending if
// its old text occurs exactly once, and is conflicted otherwise. Decided hunks keep
// their state. An accepted one is followed again if its new text occurs exactly once
// in an open document, or in any file while it is to be reviewed; what later ones of its session have
// made of it is seen through. Known change sets are skipped.
func (l *Ledger) Restore(ctx context.Context, sets []ChangeSet) error {
	defer l.notify()
	for _, cs := range sets {
		found := make([]onDisk, len(cs.Files))
		for i, f := range cs.Files {
			found[i] = l.files.loadAny(ctx, f.Path)
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		l.restore(cs, found)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range l.places {
		p.followBelow()
	}
	return nil
}

func (l *Ledger) restore(cs ChangeSet, found []onDisk) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.byID[cs.ID] != nil {
		return
	}
	s := &set{id: cs.ID, session: cs.SessionID, turn: cs.TurnID, call: cs.CallID, title: cs.Title, origin: cmp.Or(cs.Origin, OfEdit), round: cs.Round, since: cs.Since, changed: true}
	for i, f := range cs.Files {
		at := l.placeFor(f.Path, f.URI)
		at.refresh(found[i])
		c := &file{set: s, place: at, op: f.Op, newPath: f.NewPath, diff: f.Diff, runs: f.Runs, omitted: f.Omitted, before: f.Was, after: f.Is, verification: f.Verification}
		s.files = append(s.files, c)
		for _, v := range f.Hunks {
			l.orders++
			h := &hunk{
				id: v.ID, order: l.orders, file: c, old: v.OldText, new: v.NewText, whole: f.Op != Modify,
				state: v.State, reason: v.Reason, because: v.Because, last: v.Range, formatted: v.Formatted, committed: v.Committed,
				verdict:  verdict{unasked: v.Unasked, reviewed: v.Reviewed() && v.State.Applied(), rejected: v.State == Rejected},
				notified: notified{decision: v.decision()},
			}
			h.edited = v.Edited && v.State.Applied()
			h.byUser = v.Edited && !v.State.Applied()
			c.add(h)
		}
		if f.Omitted != "" {
			continue // nothing of them is in a text
		}
		for _, h := range c.hunks {
			switch {
			case h.state.proposed():
				at.followPending(h)
			case h.state.Applied():
				at.followAccepted(h)
			}
		}
	}
	l.addSet(s)
}

// followPending follows a pending hunk where its old text occurs once: in the live text, or in
// the session's view of it.
func (p *place) followPending(h *hunk) {
	v := p.view(h.file.set.author())
	if h.file.op != Modify || !p.exists && len(v.pieces) > 0 {
		h.whole = true
		if len(v.pieces) == 1 && v.pieces[0].of.whole {
			h.basedOn([]need{{v.pieces[0].of, 0, v.pieces[0].of.new}})
		}
		p.follow(h, 0, p.text.Len())
		p.judgeOne(h)
		return
	}
	if a, ok := h.locateOld(p.text); ok {
		p.follow(h, a, a+len(h.old))
		return
	}
	if x, ok := h.locateOld(ide.NewText(v.text)); ok {
		y := x + len(h.old)
		wide, over := v.inLiveText(viewChange{x: x, y: y})
		h.old, h.new = v.text[wide.u:wide.v], v.text[wide.u:x]+h.new+v.text[y:wide.v]
		var needs []need
		for _, o := range over {
			needs = append(needs, need{o.of, o.u - wide.u, o.of.new})
		}
		h.basedOn(needs)
		p.follow(h, wide.a, wide.b)
		return
	}
	p.follow(h, p.text.Len(), p.text.Len()) // not found: an empty span
	h.unplaced, h.unmatched = true, true
	h.setState(Conflicted, reasonGone)
}

// followAccepted follows an accepted hunk again if its new text occurs once, so that an
// undo by the user is noticed. If the file is not open, this waits until it is. If
// the text is not found, the hunk keeps its state.
func (p *place) followAccepted(h *hunk) {
	if p.doc == nil && !h.unreviewed() {
		p.unseen = append(p.unseen, h)
		return
	}
	a, ok := 0, h.file.op == Create && p.text.String() == h.new
	if !h.whole {
		a, ok = h.locate(p.text, h.new)
	}
	if !ok {
		if !h.whole {
			p.lost = append(p.lost, h)
		}
		return
	}
	if h.edited { // the edited text counts as accepted
		h.edited, h.byUser = false, true
	}
	p.follow(h, a, a+len(h.new))
}

// Remembered is a hunk as it was before its text was taken out.
type Remembered struct {
	ChangeSetID string `json:"changeSetId"`
	HunkID      string `json:"hunkId"`
	Reviewed    bool   `json:"reviewed,omitempty"`
}

// Again has hunks count as applied whose texts are in their files again. Those that are not found
// there, as [Ledger.Restore] finds them, stay as they are.
func (l *Ledger) Again(hunks []Remembered) {
	l.mu.Lock()
	defer l.notify()
	defer l.mu.Unlock()
	for _, a := range hunks {
		s := l.byID[a.ChangeSetID]
		if s == nil {
			continue
		}
		for _, f := range s.files {
			for _, h := range f.hunks {
				if h.id == a.HunkID && !h.state.Applied() && f.place.foundAgain(h, a.Reviewed) {
					l.publish(s)
				}
			}
		}
	}
}

// foundAgain has a hunk that is not followed count as applied, if its new text occurs once.
func (p *place) foundAgain(h *hunk, reviewed bool) bool {
	a, ok := 0, p.exists && h.file.op == Create && p.text.String() == h.new
	switch {
	case h.followed, h.file.omitted != "": // it is known already, or not in a text
		return false
	case h.whole && (h.file.op == Delete || h.file.op == Rename):
		ok = !p.exists
	case !h.whole:
		a, ok = h.locate(p.text, h.new)
	}
	if !ok {
		return false
	}
	h.verdict.reviewed, h.verdict.rejected = reviewed, false
	h.setState(Accepted, "")
	h.file.set.changed = true
	p.follow(h, a, a+len(h.new))
	return true
}

// locateOld returns the offset of the old text if it occurs once.
func (h *hunk) locateOld(t *ide.Text) (a int, ok bool) {
	if h.old == "" && t.Len() == 0 {
		return 0, true
	}
	return h.locate(t, h.old)
}

// locate returns the offset of the old or new text if it occurs once. An empty
// text is located by the lines around it in the diff.
func (h *hunk) locate(t *ide.Text, text string) (a int, ok bool) {
	if text != "" {
		return t.OnlyLines(text)
	}
	before, after := h.linesAround()
	if before+after == "" {
		return 0, false
	}
	a, ok = t.OnlyLines(before + after)
	return a + len(before), ok
}

// hasHunk reports whether a hunk of the file has these texts.
func (f *file) hasHunk(old, new string) bool {
	return slices.ContainsFunc(f.hunks, func(h *hunk) bool { return h.old == old && h.new == new })
}

// linesAround returns up to three lines before and after a hunk, from the diff. If the
// user changed the hunk's new text, the diff has the model's text; the hunk is then
// located by its old text, if no other hunk of the diff has it.
func (h *hunk) linesAround() (before, after string) {
	files, err := diff.Parse(h.file.diff)
	if err != nil || len(files) != 1 {
		return "", ""
	}
	own := 0
	for _, k := range files[0].Hunks {
		for _, b := range diff.Hunks(k.OldText, k.NewText) {
			same := k.NewText[b.New.A:b.New.B] == h.new
			if k.OldText[b.Old.A:b.Old.B] != h.old || !same && (!h.byUser && !h.edited || h.file.hasHunk(h.old, k.NewText[b.New.A:b.New.B])) {
				continue
			}
			head := strings.SplitAfter(k.OldText[:b.Old.A], "\n")
			tail := strings.SplitAfter(k.OldText[b.Old.B:], "\n")
			head, tail = head[max(0, len(head)-1-diff.Between):], tail[:min(len(tail), diff.Between)]
			before, after = strings.Join(head, ""), strings.Join(tail, "")
			if same {
				return before, after
			}
			own++
		}
	}
	if own != 1 {
		return "", ""
	}
	return before, after
}
