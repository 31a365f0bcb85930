package ledger

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// op is the text change for a decision on one hunk.
type op struct {
	h        *hunk
	back     bool // undo the hunk; otherwise apply it
	then     State
	done     bool
	conflict string // why it is impossible
	refused  bool   // nothing was sent or written for it
	unasked  bool   // see [Decision]
	because  string // the hunk that it is undone with
	err      error  // of the disk
}

// plan is the effect of a group of decisions.
type plan struct {
	sets      []*set  // that were decided on
	along     []*set  // others with hunks that go along
	order     []*hunk // that were decided on, in the order of their proposals
	chosen    map[*hunk]choice
	ops       []*op
	put       map[*hunk]bool // those that ops apply
	applied   []*hunk
	conflicts []*op
}

// choice is the decision on a hunk.
type choice struct {
	d    Decision
	some bool // it names the hunk
}

// Resolve applies decisions as one group: one edit for all open files, and writes
// to closed ones, and another edit for what can only be undone once that has been. It returns when
// the documents have the new text. A decision without a hunk applies to those that it fits: Reject
// to the pending ones and, if there are none, to the accepted ones. They count in the order of the
// proposals; two that contradict each other are an [ErrContradiction]. On error, whatever was not
// done is unchanged.
func (l *Ledger) Resolve(ctx context.Context, ds []Decision, comment string) (Resolution, error) {
	defer l.notify()
	defer showApplying(l, ds)
	select {
	case l.group <- struct{}{}:
		defer func() { <-l.group }()
	case <-ctx.Done():
		return Resolution{}, context.Cause(ctx)
	}
	l.o.Workspace.Refresh(ctx)
	if err := l.reload(ctx, ds); err != nil {
		return Resolution{}, err
	}
	l.mu.Lock()
	p, err := l.plan(ds)
	if err != nil {
		l.mu.Unlock()
		return Resolution{}, err
	}
	if comment != "" {
		for _, s := range p.sets {
			s.comments = append(s.comments, comment)
		}
	}
	for _, s := range p.sets {
		l.completeChanges(s)
	}
	p.markDeciding(true)
	l.mu.Unlock()
	l.notify()
	for _, ops := range p.rounds() {
		if err = l.carryOut(ctx, ops); err != nil {
			break
		}
	}
	p.concludeRefused(l)
	return l.resolution(p), err
}

// showApplying shows what is left of change sets that were to be applied at once.
func showApplying(l *Ledger, ds []Decision) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, d := range ds {
		if s := l.byID[d.ChangeSetID]; s != nil && s.applies {
			s.applies, s.changed = false, true
			l.publish(s)
		}
	}
}

// concludeRefused makes hunks conflicted whose acceptance was refused. The text at
// their spans may be their old text still, or look like either of their texts since
// the others of the group were applied. But the decision about them was made, and no
// text was changed for them, so they are neither pending nor accepted.
func (p *plan) concludeRefused(l *Ledger) {
	l.mu.Lock()
	defer l.notify()
	defer l.mu.Unlock()
	p.markDeciding(false)
	l.publish() // wakes those who wait for the end of the decisions
	for _, o := range slices.Concat(p.conflicts, p.ops) {
		h := o.h
		if o.then != Accepted || o.conflict == "" || !h.state.proposed() && (!h.state.Applied() || !o.refused || h.covered()) {
			continue
		}
		h.setState(Conflicted, o.conflict)
		h.failed = o.err
		h.file.place.completeChange()
		l.publish(h.file.set.touched()...)
	}
}

// markDeciding marks the change sets whose decisions are being applied. l.mu is held.
func (p *plan) markDeciding(on bool) {
	for _, s := range p.sets {
		s.deciding = on
	}
	for _, o := range p.ops { // some are of other change sets that they depend on
		o.h.file.set.deciding = on
	}
}

// completeChanges completes changes of the places of a change set and publishes it. l.mu is held.
func (l *Ledger) completeChanges(s *set) {
	for _, f := range s.files {
		f.place.completeChange()
	}
	l.publish(s.touched()...)
}

// reload rereads the closed files that decisions affect.
func (l *Ledger) reload(ctx context.Context, ds []Decision) error {
	l.mu.Lock()
	var closed []*place
	for _, d := range ds {
		if s := l.byID[d.ChangeSetID]; s != nil {
			for _, f := range s.files {
				if f.omitted == "" && f.place.doc == nil && !slices.Contains(closed, f.place) {
					closed = append(closed, f.place)
				}
			}
		}
	}
	l.mu.Unlock()
	defer l.notify()
	for _, p := range closed {
		l.mu.Lock()
		path := p.path
		l.mu.Unlock()
		f, err := l.files.load(ctx, path)
		if err != nil {
			return err
		}
		l.mu.Lock()
		if p.path == path { // the user has not renamed it
			p.refresh(f)
			l.publish(p.changeSets()...)
		}
		l.mu.Unlock()
	}
	return nil
}

// plan makes the decisions that do not change text and lists the operations for the
// others. The caller holds l.mu. On error nothing was decided.
func (l *Ledger) plan(ds []Decision) (*plan, error) {
	p := &plan{put: map[*hunk]bool{}, chosen: map[*hunk]choice{}}
	for _, d := range ds {
		if err := d.Action.Check(); err != nil {
			return nil, fmt.Errorf("decide on change set %s: %w", d.ChangeSetID, err)
		}
		s, err := l.known(d.ChangeSetID)
		if err != nil {
			return nil, err
		}
		hunks, err := s.decidedBy(d)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(p.sets, s) {
			p.sets = append(p.sets, s)
		}
		for _, h := range hunks {
			before, ok := p.chosen[h]
			switch {
			case !ok:
				p.order = append(p.order, h)
			case before.d.contradicts(d):
				return nil, fmt.Errorf("%w: %s and %s %s", ErrContradiction, before.d.Action, d.Action, h.id)
			case d.Text == nil && (before.d.Text != nil || h.effectOf(d.Action) == unfit):
				continue
			}
			p.chosen[h] = choice{d, before.some || d.HunkID != ""}
		}
	}
	slices.SortFunc(p.order, func(a, b *hunk) int { return a.order - b.order })
	if err := p.checkDecisions(); err != nil {
		return nil, err
	}
	for _, h := range p.order {
		c := p.chosen[h]
		h.followAgain()
		p.decide(h, c.d, c.some)
	}
	return p, nil
}

// decidedBy returns the hunks of a change set that a decision applies to.
func (s *set) decidedBy(d Decision) ([]*hunk, error) {
	var all, some []*hunk
	of := s.hunks()
	if d.HunkID != "" {
		of = slices.Values([]*hunk{s.hunkByID[d.HunkID]})
	}
	for h := range of {
		if h == nil || d.URI != "" && !h.file.isDocument(d.URI) {
			continue
		}
		all = append(all, h)
		if d.Action.appliesTo(h) {
			some = append(some, h)
		}
	}
	switch {
	case len(all) == 0:
		what := strings.TrimSpace(string(d.URI) + " " + d.HunkID)
		return nil, fmt.Errorf("%s in change set %s: %w", what, d.ChangeSetID, ErrUnknown)
	case d.Text != nil && (d.Action != Accept || len(all) != 1):
		return nil, ErrText
	case d.HunkID == "" && len(some) > 0:
		return some, nil
	}
	return all, nil
}

// followAgain follows a dropped hunk again if its text occurs once.
func (h *hunk) followAgain() {
	if h.followed || h.file.omitted != "" {
		return
	}
	at := h.file.place
	want := h.old
	if h.state.Applied() {
		want = h.new
	}
	a, ok := at.text.OnlyLines(want)
	if h.whole {
		a, ok = 0, true
		want = at.text.String()
	}
	if ok {
		h.unplaced = false
		at.follow(h, a, a+len(want))
	}
	if ok && h.whole && h.state.Applied() { // the file may have changed
		at.judgeOne(h)
	}
}

func (p *plan) accept(h *hunk, text *string, named, unasked bool) {
	switch {
	case h.file.omitted != "" && !h.state.Applied():
		p.putIn(h, unasked)
	case h.state.Applied() && text != nil && *text != h.new:
		p.refuse(h, "it is already accepted; change the text in the editor")
	case h.state.Applied():
		p.applied = append(p.applied, h)
	case h.state == Rejected && !named:
	case h.typed:
		h.setState(Conflicted, reasonEdited)
		p.refuse(h, reasonEdited).then = Accepted
	case h.state == Superseded: // it becomes pending if its base is accepted too
		p.refuse(h, h.reason)
	case h.state == Conflicted && !(h.followed && h.file.place.matchesOld(h)):
		p.refuse(h, h.reason).then = Accepted
	case !h.followed || !h.file.place.matchesOld(h):
		p.refuse(h, reasonGone).then = Accepted
	default:
		if text != nil {
			h.new, h.byUser = completed(*text, h), true
			h.file.set.changed = true
		}
		p.putIn(h, unasked)
	}
}

// matchesOld reports whether the old text is at the span.
func (p *place) matchesOld(h *hunk) bool {
	ok, _ := p.matchOld(h)
	return ok
}

// completed adds a line end to a user's text if one is needed in its place.
func completed(text string, h *hunk) string {
	if text == "" || h.b == h.file.place.text.Len() && !endsLine(h.old) && h.old != "" || endsLine(text) {
		return text
	}
	return text + lineEndLike(h.old, h.new, h.file.place.text.String())
}

func endsLine(s string) bool { return strings.HasSuffix(s, "\n") || strings.HasSuffix(s, "\r") }

// putIn plans to apply a hunk, after the pending hunks that it depends on.
func (p *plan) putIn(h *hunk, unasked bool) {
	if p.put[h] {
		return
	}
	p.put[h] = true
	for _, n := range h.needs {
		if n.h.state.proposed() {
			p.putIn(n.h, unasked)
		}
	}
	h.verdict.rejected, h.verdict.unasked, h.committed, h.goal.unasked = false, false, false, unasked
	h.setState(Pending, "") // until the document has its text
	p.ops = append(p.ops, &op{h: h, then: Accepted, unasked: unasked})
}

// turnDown rejects a hunk that was not applied.
func (p *plan) turnDown(h *hunk) {
	h.verdict.rejected = true
	h.setState(Rejected, "")
	h.because = ""
}

// propose makes a hunk that is not applied pending again.
func (p *plan) propose(h *hunk) {
	h.verdict.rejected = false
	if !h.followed {
		h.setState(Conflicted, reasonGone)
	} else {
		h.state = Pending
		h.file.set.changed = true
		h.file.place.judge(map[*hunk]bool{h: true})
	}
	if !h.state.proposed() && !h.state.Applied() {
		p.refuse(h, h.reason)
	}
}

// markReviewed makes an applied hunk reviewed.
func (p *plan) markReviewed(h *hunk) {
	h.verdict.reviewed = true
	h.file.set.changed = true
	p.applied = append(p.applied, h)
}

// undo plans to put back the old text of a hunk. because is the hunk that it goes with, if any.
func (p *plan) undo(h *hunk, then State, because string) {
	p.ops = append(p.ops, &op{h: h, back: true, then: then, because: because})
}

func (p *plan) refuse(h *hunk, why string) *op {
	o := &op{h: h, conflict: why, refused: true}
	p.conflicts = append(p.conflicts, o)
	return o
}

// resolution returns the result of a plan.
func (l *Ledger) resolution(p *plan) Resolution {
	l.mu.Lock()
	defer l.mu.Unlock()
	var r Resolution
	for _, s := range slices.Concat(p.sets, p.along) {
		r.ChangeSets = append(r.ChangeSets, s.value(l.encoding, true))
	}
	for _, h := range p.applied {
		r.Applied = append(r.Applied, h.id)
	}
	for _, o := range slices.Concat(p.conflicts, p.ops) {
		inPlace := o.then == Accepted && o.h.state.Applied()
		switch {
		case o.conflict != "" && !inPlace:
			r.Conflicts = append(r.Conflicts, Conflict{o.h.id, o.conflict, o.h.nearest(l.encoding, true), o.err})
		case o.done && !o.back, inPlace:
			r.Applied = append(r.Applied, o.h.id)
		}
	}
	r.Made = p.effects()
	return r
}
