package ledger

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/emendo-dev/emendo/ide"
)

const (
	tries      = 3                      // an edit is tried, then tried again twice
	answerWait = 30 * time.Second       // for the editor's answer
	echoWait   = 2 * time.Second        // from the editor's answer to the text that comes back
	refuseWait = 250 * time.Millisecond // from a refusal to the change that explains it
)

// carryOut puts the texts of operations into the editor's buffers and on the
// disk. Those that cannot be done get a conflict; an error is the disk's, or
// the context's.
func (l *Ledger) carryOut(ctx context.Context, ops []*op) error {
	if len(ops) == 0 {
		return nil
	}
	defer l.release(ops)
	var last error
	unseen := false // a try was answered well and did not come back
	for range tries {
		j := l.prepare(ops)
		if len(j.edit.Files) == 0 && len(j.writes) == 0 {
			return nil
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		var err error
		if len(j.edit.Files) > 0 {
			err = l.askEditor(ctx, j, unseen)
			unseen = unseen || err == nil
		}
		for _, w := range j.writes {
			if werr := l.write(ctx, w); werr != nil && !isStale(werr) {
				return werr
			} else if werr != nil {
				err = werr
			}
		}
		last = err
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	l.giveUp(ops, last)
	return nil
}

// job is one try: an edit for the editor and files for the disk.
type job struct {
	edit   ide.Edit
	waits  []*hunk // whose goals the editor's text has to reach
	writes []*write
}

// prepare looks which operations are done or have come to be impossible, and
// makes the job that does the rest from the texts as they are now.
func (l *Ledger) prepare(ops []*op) *job {
	l.mu.Lock()
	defer l.mu.Unlock()
	byPlace := map[*place][]*op{}
	var places []*place
	for _, o := range ops {
		if o.check(); o.done || o.conflict != "" {
			continue
		}
		at := o.h.file.place
		if byPlace[at] == nil {
			places = append(places, at)
		}
		byPlace[at] = append(byPlace[at], o)
	}
	j := &job{edit: ide.Edit{Label: label(ops)}}
	for _, at := range places {
		j.add(at, byPlace[at])
	}
	return j
}

// check says whether the operation is done, or why it cannot be any more.
func (o *op) check() {
	if o.done || o.conflict != "" {
		return
	}
	h := o.h
	if h.goal == "" {
		h.goal, h.landed = Accepted, false
		if o.back {
			h.goal, h.rejected = Pending, o.then == Rejected
		} else if h.followed && h.file.place.standsNew(h) {
			h.file.place.judgeOne(h) // nothing has to be changed for it
		}
	}
	switch {
	case h.landed, !o.back && h.state == Accepted:
		o.done = true
	case o.back && h.state == Accepted && h.edited:
		o.conflict = h.held()
	case o.back && h.state != Accepted, !o.back && h.state != Pending:
		o.conflict = h.reason
		if o.conflict == "" {
			o.conflict = reasonTaken
		}
	}
}

// add makes the part of a job in one place.
func (j *job) add(at *place, ops []*op) {
	in := map[*hunk]bool{}
	for _, o := range ops {
		in[o.h] = true
	}
	if ops[0].h.whole && ops[0].h.file.op != Modify || !at.exists {
		j.addWhole(at, ops)
		return
	}
	var doable []*op
	var own []patch
	for _, o := range ops {
		h := o.h
		if o.back && h.over != nil && h.over.state == Accepted && !in[h.over] {
			o.conflict = reasonOver
			continue
		}
		if within(h, ops, o.back) {
			doable = append(doable, o) // the text of the hunk on top of it holds its own
			continue
		}
		s := patch{ide.Splice{A: h.a, B: h.b, Text: h.new}, h}
		if o.back {
			s.Text = h.under(in)
		}
		if slices.ContainsFunc(own, func(x patch) bool { return s.A < x.B && x.A < s.B }) {
			o.conflict = reasonOverlap
			continue
		}
		own = append(own, s)
		doable = append(doable, o)
	}
	if len(own) == 0 {
		return
	}
	slices.SortStableFunc(own, func(x, y patch) int { return cmp.Or(x.A-y.A, x.B-y.B) })
	splices := make([]ide.Splice, len(own))
	for i, s := range own {
		splices[i] = s.Splice
	}
	waits := make([]*hunk, len(doable))
	for i, o := range doable {
		waits[i] = o.h
	}
	at.expect(own, splices, waits)
	if at.doc == nil {
		j.writes = append(j.writes, &write{at: at, splices: splices})
		return
	}
	j.waits = append(j.waits, waits...)
	j.edit.Files = append(j.edit.Files, ide.FileEdit{Document: at.doc, Splices: splices})
}

// patch is the splice that a hunk asks for.
type patch struct {
	ide.Splice
	h *hunk
}

// within says whether another operation of the same kind is on a hunk on top.
func within(h *hunk, ops []*op, back bool) bool {
	return slices.ContainsFunc(ops, func(o *op) bool {
		if back {
			return o.back && h.over == o.h
		}
		return !o.back && o.h.needsHunk(h)
	})
}

// expect remembers where hunks will stand when the splices are made, so that
// an editor may tell them as it likes.
func (p *place) expect(own []patch, splices []ide.Splice, wants []*hunk) {
	after := spliced(p.text, splices)
	at := map[*hunk]int{}
	moved := 0
	for _, s := range own {
		at[s.h] = s.A + moved
		moved += len(s.Text) - (s.B - s.A)
	}
	var spans []spanOf
	for _, h := range p.hunks {
		a, b, how := shift(h.a, h.b, splices, after)
		off := h.off
		for _, s := range own {
			if s.h == h || s.h.needsHunk(h) && slices.Contains(wants, h) {
				a, b, how, off = at[s.h], at[s.h]+len(s.Text), apart, false
			}
		}
		if how == apart || how == beside && a < b { // on which side of an edit an empty one is, the text may tell from before
			spans = append(spans, spanOf{h: h, a: a, b: b, lost: h.lost, off: off})
		}
	}
	p.past.keep(after, spans, wants...)
}

// askEditor has the editor make the edit and waits until the text holds it.
// The answer is not believed: without that text, it waits a while longer. It
// does so after a refusal too when an earlier edit is unseen: that one may be
// what the editor finds newer.
func (l *Ledger) askEditor(ctx context.Context, j *job, unseen bool) error {
	if l.o.Editor == nil {
		return errors.New("there is no editor")
	}
	call, cancel := context.WithCancel(ctx)
	answer := make(chan error, 1)
	go func() { answer <- l.o.Editor.ApplyEdit(call, j.edit) }()
	answered := false
	defer func() {
		cancel()
		if !answered {
			<-answer
		}
	}()
	err := errors.New("the editor does not answer")
	timer, short := time.After(answerWait), false
	for {
		landed, moved, bump := l.arrived(j)
		switch {
		case landed && answered, answered && err != nil && moved:
			return err
		case landed && !short:
			timer, short = time.After(echoWait), true // for the answer
		}
		select {
		case err = <-answer:
			answered, short = true, true
			timer = time.After(echoWait)
			if err != nil && !unseen {
				timer = time.After(refuseWait)
			}
		case <-bump:
		case <-timer:
			return err
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// arrived says whether every hunk of the job has reached its goal, and whether
// a document is not any more what the edit was made from.
func (l *Ledger) arrived(j *job) (landed, moved bool, bump <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	landed = true
	for _, h := range j.waits {
		landed = landed && h.landed
	}
	for _, f := range j.edit.Files {
		moved = moved || l.docs[keyOfDocument(f.Document)] != f.Document
	}
	return landed, moved, l.bump
}

// giveUp makes what is not done after the last try conflicted.
func (l *Ledger) giveUp(ops []*op, why error) {
	l.prepare(ops)
	l.mu.Lock()
	defer l.tell()
	defer l.mu.Unlock()
	reason := "the editor says that it made the edit, but its text does not show it; try again"
	if why != nil {
		reason = fmt.Sprintf("the edit was not made: %v; try again", why)
	}
	for _, o := range ops {
		if o.done || o.conflict != "" {
			continue
		}
		o.conflict = reason
		if !o.back {
			o.h.set(Conflicted, reason)
		}
		o.h.file.place.settle()
		l.publish(l.touched(o.h.file.set)...)
	}
}

// release ends the wait for goals.
func (l *Ledger) release(ops []*op) {
	l.mu.Lock()
	defer l.tell()
	defer l.mu.Unlock()
	for _, o := range ops {
		o.check() // what came with the last text
		o.h.goal, o.h.landed = "", false
		if o.back && !o.done {
			o.h.rejected = false
		}
		o.h.file.place.settle()
		l.publish(l.touched(o.h.file.set)...)
	}
}

// label is what the editor calls the undo step.
func label(ops []*op) string {
	title := ops[0].h.file.set.title
	more := 0
	for i, o := range ops {
		if s := o.h.file.set; !slices.ContainsFunc(ops[:i], func(x *op) bool { return x.h.file.set == s }) {
			more++
		}
	}
	verb := "emendo: "
	if ops[0].back {
		verb = "emendo: undo "
	}
	if more > 1 {
		return fmt.Sprintf("%s%s and %d more", verb, title, more-1)
	}
	return verb + title
}
