package ledger

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/emendo-dev/emendo/ide"
)

// tries is the maximum number of attempts at an edit. An edit is only retried if
// none of it was made. An attempt that met the user's typing does not count for as
// long as patience: the next one is made from the text as it is then.
const (
	tries    = 3
	patience = 10 * time.Second
)

// carryOut applies operations to the editor's buffers and the disk. Operations that
// cannot be applied become conflicted. Its error is the context's.
func (l *Ledger) carryOut(ctx context.Context, ops []*op) error {
	if len(ops) == 0 {
		return nil
	}
	defer l.release(ops)
	for _, o := range ops {
		l.exchange(ctx, o)
	}
	var last error
	began := time.Now()
	for left := tries; left > 0; {
		j := l.prepare(ops)
		if len(j.edit.Files) == 0 && len(j.writes) == 0 {
			return nil
		}
		if ctx.Err() != nil {
			l.endEdits(j.places)
			return context.Cause(ctx)
		}
		last = nil
		if len(j.edit.Files) > 0 {
			last = l.applyEdit(ctx, j.edit, j.places)
		}
		if !errors.Is(last, ide.ErrMoved) || time.Since(began) > patience {
			left--
		}
		if errors.Is(last, ide.ErrUnseen) {
			l.giveUp(j.inEdit, last)
		}
		for _, w := range j.writes {
			err := l.write(ctx, w)
			switch {
			case err == nil:
			case ctx.Err() != nil:
				return context.Cause(ctx)
			case isStale(err):
				last = err
			default:
				l.conflict(w.ops, fmt.Sprintf("the file could not be written: %v", err), err)
			}
		}
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	l.giveUp(ops, last)
	return nil
}

// job is one attempt: an edit for the editor and writes to the disk.
type job struct {
	files  files
	edit   ide.Edit
	places []*place // of the documents in the edit
	inEdit []*op    // those in the edit
	writes []*write
}

// prepare checks which operations are done or have become impossible, makes the job
// for the others from the current texts, and begins its edit in their places.
func (l *Ledger) prepare(ops []*op) *job {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, o := range ops { // one that is done can hold others, which are done with it
		o.updateOutcome()
	}
	byPlace := map[*place][]*op{}
	var places []*place
	for _, o := range ops {
		if o.updateOutcome(); o.done || o.conflict != "" {
			continue
		}
		at := o.h.file.place
		if byPlace[at] == nil {
			places = append(places, at)
		}
		byPlace[at] = append(byPlace[at], o)
	}
	j := &job{files: l.files, edit: ide.Edit{Label: undoLabel(ops)}}
	for _, at := range places {
		j.addOperations(at, byPlace[at])
	}
	return j
}

// updateOutcome updates whether the operation is done, or why it is impossible.
func (o *op) updateOutcome() {
	if o.done || o.conflict != "" {
		return
	}
	h := o.h
	if h.goal.state == "" {
		h.goal.state, h.goal.reached = Accepted, false
		if o.back {
			h.goal.state, h.verdict.rejected = Pending, o.then == Rejected
		} else if h.followed && h.file.place.matchesNew(h) {
			h.file.place.judgeOne(h) // the text is already there
		}
	}
	switch {
	case h.goal.reached, !o.back && h.state.Applied():
		o.done = true
	case o.back && h.state.Applied() && h.edited && !h.covered():
		o.conflict = h.notUndone()
	case o.back && !h.state.Applied(), !o.back && !h.state.proposed():
		o.conflict = h.reason
		if o.conflict == "" {
			o.conflict = reasonTaken
		}
	}
}

// addOperations adds the operations in one place to a job.
func (j *job) addOperations(at *place, ops []*op) {
	if ops[0].h.whole && ops[0].h.file.op != Modify || !at.exists {
		j.addWhole(at, ops)
		return
	}
	in := map[*hunk]bool{}
	under := map[*hunk]bool{} // hunks that another operation's hunk contains
	for _, o := range ops {
		in[o.h] = true
	}
	for _, o := range ops {
		switch {
		case o.back:
			under[o.h] = in[o.h.over]
		default:
			o.h.eachNeeded(func(n *hunk) { under[n] = true })
		}
	}
	var doable []*op
	var own []patch // ascending
	for _, o := range ops {
		h := o.h
		if o.back && h.over != nil && h.over.state.Applied() && !in[h.over] {
			o.conflict = reasonOver
			continue
		}
		if under[h] {
			doable = append(doable, o) // the hunk on top contains its text
			continue
		}
		s := patch{ide.Splice{A: h.a, B: h.b, Text: h.new}, h}
		if o.back {
			s.Text = h.oldWithout(in)
		}
		i, _ := slices.BinarySearchFunc(own, s, func(x, y patch) int {
			return cmp.Or(x.A-y.A, x.B-y.B, -1) // after equal ones
		})
		switch {
		case i > 0 && own[i-1].B > s.A, i < len(own) && own[i].A < s.B:
			o.conflict, o.refused = reasonOverlap, true
			continue
		case !at.text.AtLineStart(s.A):
			o.conflict, o.refused = reasonGone, true
			continue
		}
		own = slices.Insert(own, i, s)
		doable = append(doable, o)
	}
	if len(own) == 0 {
		return
	}
	splices := make([]ide.Splice, len(own))
	for i, s := range own {
		splices[i] = s.Splice
	}
	waits := hunksOf(doable)
	spans := at.expectSpans(own, splices, waits)
	if at.doc == nil {
		j.writes = append(j.writes, &write{at: at, path: at.path, base: at.text, stored: at.stored, ops: doable, splices: splices, chmod: modeBack(doable)})
		return
	}
	j.addEdit(at, doable, ide.FileEdit{Document: at.doc, Splices: splices}, spans)
}

// modeBack returns the permissions that a file had before a command of which the operations
// undo all; else zero.
func modeBack(ops []*op) fs.FileMode {
	undone := map[*hunk]bool{}
	for _, o := range ops {
		undone[o.h] = o.back
	}
	for _, o := range ops {
		if m := o.h.file.modeBack(undone); o.back && m != 0 {
			return m
		}
	}
	return 0
}

// addEdit adds a document to the edit.
func (j *job) addEdit(at *place, ops []*op, f ide.FileEdit, spans []spanOf) {
	at.beginEdit(f, spans, hunksOf(ops))
	j.edit.Files = append(j.edit.Files, f)
	j.places = append(j.places, at)
	j.inEdit = append(j.inEdit, ops...)
}

func hunksOf(ops []*op) []*hunk {
	l := make([]*hunk, len(ops))
	for i, o := range ops {
		l[i] = o.h
	}
	return l
}

// patch is the splice of a hunk.
type patch struct {
	ide.Splice
	h *hunk
}

// undoes reports whether the patch puts back a text of a hunk that a later one has changed.
func (s patch) undoes(h *hunk) bool {
	return s.h.goal.state == Pending && s.h.order > h.order && h.a <= s.A && s.B <= h.b && h.state.Applied()
}

// expectSpans computes where hunks will be after the splices and records it, so that it
// does not matter in which form the editor reports the change.
func (p *place) expectSpans(own []patch, splices []ide.Splice, wants []*hunk) []spanOf {
	after := p.text.Replace(splices)
	known := make(map[*hunk]spanOf, len(own))
	wanted := map[*hunk]bool{}
	for _, h := range wants {
		wanted[h] = true
	}
	moved := 0
	for _, s := range own {
		span := spanOf{a: s.A + moved, b: s.A + moved + len(s.Text)}
		moved += len(s.Text) - (s.B - s.A)
		known[s.h] = span
		s.h.eachNeeded(func(n *hunk) {
			if wanted[n] {
				known[n] = span
			}
		})
	}
	by := ide.NewMapping(splices...)
	var spans, likely []spanOf
	for _, h := range p.hunks {
		if s, ok := known[h]; ok {
			spans = append(spans, spanOf{h: h, a: s.a, b: s.b, unplaced: h.unplaced})
			continue
		}
		a, b, how := by.Span(h.a, h.b, after)
		s := spanOf{h: h, a: a, b: b, unplaced: h.unplaced, unmatched: h.unmatched}
		switch {
		case how == ide.Apart, how == ide.Beside && a < b:
			spans = append(spans, s)
		case how == ide.Inside && slices.ContainsFunc(own, func(o patch) bool { return o.undoes(h) }):
			spans = append(spans, s) // where only the whole splice shows it: the editor may send less
		case how == ide.Beside: // an empty span: an earlier text may show on which side of the edit it is
			likely = append(likely, s)
		}
	}
	p.past.remember(after, placed{hunks: spans}, wants...)
	m, _ := p.past.find(after)
	return fillUnknown(slices.Clone(m.spans), likely)
}

// giveUp marks operations that could not be done as conflicted.
func (l *Ledger) giveUp(ops []*op, why error) {
	reason := "the editor reported the edit as done, but its text does not show it; try again"
	switch {
	case errors.Is(why, ide.ErrMoved):
		reason = "the text of the file changed each time before the edit came; try again"
	case why != nil && !errors.Is(why, ide.ErrUnseen):
		reason = fmt.Sprintf("the edit was not made: %v; try again", why)
	}
	l.conflict(ops, reason, nil)
}

// conflict marks operations that could not be done as conflicted. failed is the error of the disk.
func (l *Ledger) conflict(ops []*op, reason string, failed error) {
	l.mu.Lock()
	defer l.notify()
	defer l.mu.Unlock()
	for _, o := range ops {
		if o.updateOutcome(); o.done || o.conflict != "" {
			continue
		}
		o.conflict, o.err = reason, failed
		if !o.back {
			o.h.setState(Conflicted, reason)
			o.h.failed = failed
		}
	}
	l.completeAll(ops)
}

// release clears the goals of the operations.
func (l *Ledger) release(ops []*op) {
	l.mu.Lock()
	defer l.notify()
	defer l.mu.Unlock()
	for _, o := range ops {
		o.updateOutcome() // against the latest text
		o.h.goal = goal{}
		switch {
		case o.back && !o.done:
			o.h.verdict.rejected = false
		case o.back && o.h.state == Rejected:
			o.h.because = o.because
		}
	}
	l.completeAll(ops)
}

// completeAll completes changes of the places of operations and publishes their change sets. The
// caller holds l.mu.
func (l *Ledger) completeAll(ops []*op) {
	var sets []*set
	done := map[*place]bool{}
	for _, o := range ops {
		if p := o.h.file.place; !done[p] {
			done[p] = true
			p.completeChange()
			sets = append(sets, p.changeSets()...)
		}
		if s := o.h.file.set; !slices.Contains(sets, s) {
			sets = append(sets, s)
		}
	}
	l.publish(sets...)
}

// undoLabel returns the name of the undo step in the editor.
func undoLabel(ops []*op) string {
	sets := map[*set]bool{}
	for _, o := range ops {
		sets[o.h.file.set] = true
	}
	verb, title := "emendo: ", ops[0].h.file.set.title
	if ops[0].back {
		verb = "emendo: undo "
	}
	if len(sets) > 1 {
		return fmt.Sprintf("%s%s and %d more", verb, title, len(sets)-1)
	}
	return verb + title
}

// addWhole adds the creation, deletion or renaming of a file to a job. If hunks are
// stacked, the text of the last one is used.
func (j *job) addWhole(at *place, ops []*op) {
	o := ops[len(ops)-1]
	h := o.h
	text := h.new
	if o.back {
		in := map[*hunk]bool{}
		for _, x := range ops {
			in[x.h] = true
		}
		text = h.oldWithout(in)
	}
	makes := !at.exists && (h.file.op != Delete || o.back) && (h.file.op != Rename)
	removes := at.exists && (h.file.op == Delete && !o.back || h.file.op == Create && o.back)
	if h.file.op == Rename && o.back {
		if doc := j.files.workspace.Snapshot().DocumentAt(h.file.newPath); doc != nil {
			j.addEdit(at, ops, ide.FileEdit{Document: doc, RenameTo: at.path}, nil)
			return
		}
	}
	if at.doc != nil {
		f := ide.FileEdit{Document: at.doc}
		switch {
		case h.file.op == Rename:
			f.RenameTo = h.file.newPath
		case removes && at.path != "" && !at.unsaved:
			f.Delete = true
		default:
			f.Splices = []ide.Splice{{A: 0, B: at.text.Len(), Text: text}}
		}
		spans := []spanOf{} // whole hunks need none
		if len(f.Splices) == 0 {
			spans = nil
		}
		j.addEdit(at, ops, f, spans)
		return
	}
	w := &write{at: at, path: at.path, base: at.text, stored: at.stored, ops: ops}
	switch {
	case h.file.op == Rename && o.back:
		w.from, w.to = h.file.newPath, at.path
	case h.file.op == Rename:
		w.from, w.to = at.path, h.file.newPath
	case removes:
		w.remove = true
	case makes:
		w.text = &text
	default:
		w.splices = []ide.Splice{{A: 0, B: at.text.Len(), Text: text}}
	}
	j.writes = append(j.writes, w)
}
