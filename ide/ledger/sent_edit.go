package ledger

import (
	"context"
	"time"

	"github.com/emendo-dev/emendo/ide"
)

// sentEdit is an edit of a place that was sent to the editor. Until it is over, hunks
// move with the text but do not change state, because the edit may arrive in
// pieces.
type sentEdit struct {
	base    *ide.Text
	want    string
	spans   []spanOf       // of the hunks in want
	wants   []*hunk        // the hunks of the edit
	touched map[*hunk]bool // judged when it is over
	kept    []*hunk        // accepted before and not changed by the user
}

// Apply makes the editor apply an edit that does not belong to a hunk, and waits
// until the document has the new text. Its errors are those of [ide.Applier.Apply].
func (l *Ledger) Apply(ctx context.Context, e ide.Edit) error {
	select {
	case l.group <- struct{}{}:
		defer func() { <-l.group }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	var places []*place
	l.mu.Lock()
	for _, f := range e.Files {
		if p := l.places[keyOfDocument(f.Document)]; p != nil {
			p.beginEdit(f, nil, nil)
			places = append(places, p)
		}
	}
	l.mu.Unlock()
	return l.applyEdit(ctx, e, places)
}

// applyEdit sends an edit that has begun in its places, and ends it there.
func (l *Ledger) applyEdit(ctx context.Context, e ide.Edit, places []*place) error {
	defer l.endEdits(places)
	return l.applier.Apply(ctx, e)
}

func (p *place) beginEdit(f ide.FileEdit, spans []spanOf, wants []*hunk) {
	p.sent = &sentEdit{base: f.Document.Text, spans: spans, wants: wants, touched: map[*hunk]bool{}, kept: p.uneditedBy(wants)}
	p.sent.want = f.Document.Text.Replace(f.Splices).String()
}

// endEdits ends the edits of places. Hunks are judged by their current texts.
func (l *Ledger) endEdits(places []*place) {
	l.mu.Lock()
	defer l.notify()
	defer l.mu.Unlock()
	var sets []*set
	for _, p := range places {
		p.endEdit()
		l.awaitPause(p)
		sets = append(sets, p.changeSets()...)
	}
	l.publish(sets...)
}

func (p *place) endEdit() {
	f := p.sent
	if f == nil {
		return // the document was closed or opened again
	}
	p.sent = nil
	for _, h := range f.wants {
		f.touched[h] = true
		switch { // later changes are the user's
		case h.goal.reached && h.goal.state == Accepted && !h.state.Applied():
			h.newTextFound()
			p.coverNeeded(h)
		case h.goal.reached && h.goal.state == Pending && h.state.Applied():
			h.oldTextFound()
		}
	}
	p.typing = true
	p.judge(f.touched)
	p.typing = false
	p.completeChange()
}

// arrived returns where the hunks are if the text is the wanted one, ignoring a
// final line end.
func (f *sentEdit) arrived(now *ide.Text) (moment, bool) {
	if f == nil || f.spans == nil || !ide.Arrived(f.base, f.want, now) {
		return moment{}, false
	}
	m := moment{spans: f.spans, wants: f.wants}
	if now.Len() == len(f.want) {
		return m, true
	}
	m.spans = make([]spanOf, len(f.spans))
	for i, s := range f.spans {
		if now.Len() > len(f.want) && s.a < s.b && s.b == len(f.want) && !endsLine(f.want) {
			s.b = now.Len()
		}
		s.a, s.b = min(s.a, now.Len()), min(s.b, now.Len())
		m.spans[i] = s
	}
	return m, true
}

// awaitEdit waits for the end of an edit that was sent to the place, and reports whether there
// was one. The caller holds l.mu; awaitEdit releases it while it waits.
func (l *Ledger) awaitEdit(ctx context.Context, key string) (waited bool, err error) {
	for l.places[key] != nil && l.places[key].sent != nil {
		waited = true
		bump := l.bump
		l.mu.Unlock()
		select {
		case <-bump:
		case <-ctx.Done():
		}
		l.mu.Lock()
		if ctx.Err() != nil {
			return waited, context.Cause(ctx)
		}
	}
	return waited, nil
}

// pauseWait is how long the user must stop typing into a hunk before it becomes
// conflicted.
const pauseWait = 1500 * time.Millisecond

// awaitPause restarts the pause timer if the user is typing into a hunk. The caller
// holds l.mu.
func (l *Ledger) awaitPause(p *place) {
	if p.pause != nil {
		p.pause.Stop()
		p.pause = nil
	}
	for _, h := range p.hunks {
		if !h.typed {
			continue
		}
		var t *time.Timer
		t = time.AfterFunc(pauseWait, func() {
			l.mu.Lock()
			defer l.notify()
			defer l.mu.Unlock()
			if p.pause == t && p.sent == nil {
				p.pause = nil
				p.endTyping()
				p.completeChange()
				l.publish(p.changeSets()...)
			}
		})
		p.pause = t
		return
	}
}

// endTyping makes pending hunks that the user typed into conflicted.
func (p *place) endTyping() {
	for _, h := range p.hunks {
		if h.typed {
			h.setState(Conflicted, reasonEdited)
		}
	}
}

// Close stops the ledger's timers and waits for running reads of files.
func (l *Ledger) Close() {
	defer l.reads.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.closed {
		close(l.closing)
	}
	l.closed = true
	for _, p := range l.places {
		if p.pause != nil {
			p.pause.Stop()
			p.pause = nil
		}
	}
}
