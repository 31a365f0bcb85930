package chatdoc

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
)

const (
	editEvery  = 200 * time.Millisecond // between two edits of an open document
	typesFor   = time.Second            // after a key of the user's: an edit above would move the line in the window
	mostTyping = 5 * time.Second        // between two edits, while the user types
	writeEvery = time.Second            // between two writes of a file, while an answer grows
	opensIn    = 5 * time.Second        // an editor that was told to: if the file changes meanwhile, it asks what counts
	mostTries  = 5                      // of an edit that the editor refuses, until the document changes
)

// write brings the document up to date, one change at a time, until it lacks nothing or
// has to wait for the editor.
func (p *page) write() {
	life := p.d.c.Life()
	done := false
	defer func() {
		if done { // another goroutine may be at work by now
			return
		}
		p.mu.Lock() // the connection has ended, or there is a bug, which is logged
		p.working = false
		p.mu.Unlock()
	}()
	for {
		var pause time.Duration
		if pause, done = p.writeNext(life); done {
			return
		}
		select {
		case <-time.After(pause):
		case <-p.news:
		case <-life.Done():
			return
		}
	}
}

// writeNext makes one change, or looks what came of the last one. It returns how long to wait
// for the next step, or that there is nothing to do.
func (p *page) writeNext(life context.Context) (pause time.Duration, done bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if life.Err() != nil || !p.isIncomplete() || p.refused >= mostTries || p.reload.running {
		p.working = false // before mu is released, so that no call of startWriting is lost
		return 0, true
	}
	if p.doc != nil {
		return p.stepInEditor(life)
	}
	return p.stepOnDisk(life)
}

// stepInEditor makes one change of the open document, or looks what came of the last one.
// p.mu is held.
func (p *page) stepInEditor(life context.Context) (pause time.Duration, done bool) {
	if !p.d.c.Can.ApplyEdit {
		p.refused = mostTries
		return 0, false
	}
	if wait := p.reload.wait(); wait > 0 {
		return wait, false
	}
	doc := p.doc
	if p.d.c.Workspace.Snapshot().Document(doc.URI) != doc {
		return time.Millisecond, false // an event is on its way here
	}
	if p.out != nil {
		if wait, done := p.checkDelivery(doc); wait > 0 || done {
			p.working = !done
			return wait, done
		}
		return 0, false
	}
	if wait := time.Until(p.nextEditDue()); wait > 0 && !p.hurried {
		return wait, false
	}
	if !p.d.c.TakesEdits() {
		p.working = false
		return 0, true
	}
	e := p.nextEdit(doc.Text.String())
	if e == nil {
		if p.isIncomplete() {
			p.d.c.Log.Error("a chat document lacks something that has no place", "session", p.session)
		}
		p.working = false
		return 0, true
	}
	p.sendEdit(life, doc, e)
	return answerWait, false
}

// nextEditDue returns when the open document may be changed again. Not every editor keeps the line in
// the window that its user types, while text above it grows. p.mu is held.
func (p *page) nextEditDue() time.Time {
	due, typed, last := p.paced.Add(editEvery), p.typed.Add(typesFor), p.paced.Add(mostTyping)
	if typed.After(last) {
		typed = last
	}
	if typed.After(due) {
		return typed
	}
	return due
}

// editLabel names the changes of chat documents in the editor's list of what can be undone.
const editLabel = "emendo: conversation"

// sendEdit has the editor make a change. p.mu is held.
func (p *page) sendEdit(life context.Context, doc *ide.Document, e *edit) {
	text := doc.Text.String()
	o := newDelivery(text, e)
	p.out, p.paced, p.hurried = o, o.sent, false
	var ctx context.Context
	ctx, o.cancel = context.WithCancel(life)
	change := ide.Edit{Files: []ide.FileEdit{{Document: doc, Splices: onLines(text, e.splices)}}}
	if !p.d.c.Can.PrintsEdits {
		change.Label = editLabel
	}
	p.d.c.Go(func() {
		err := p.d.c.ApplyEdit(ctx, change)
		if ctx.Err() == nil {
			p.d.prompt.answers.Store(true)
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		if o.answered, o.err = time.Now(), err; p.out == o {
			p.startWriting()
		}
	})
}

// checkDelivery looks what came of the edit that is on its way. It returns how long to wait until
// that may be known, or that only the editor can tell; neither once it is known. p.mu is
// held.
func (p *page) checkDelivery(doc *ide.Document) (wait time.Duration, done bool) {
	o := p.out
	v, wait := o.verdict(p.d.prompt.isPrompt(), p.d.prompt.answers.Load())
	if v == undecided {
		if o.failed() {
			p.warnRefused(doc)
		} else if wait == 0 {
			wait = time.Until(o.answered.Add(slowWait)) // to tell the user
		}
		return max(wait, 0), wait <= 0
	}
	p.dropDelivery()
	if v == isMade {
		p.d.prompt.noteDelivery(o)
		o.landed(p.doc.Text.String())
		p.refused, p.warned = 0, false
		p.showQuestions()
		return 0, false
	}
	p.d.c.Log.Debug("a chat document was not changed", "session", p.session, "error", o.err)
	for _, a := range p.answers { // the text has what it has
		a.known = a.sent
	}
	switch {
	case v == isRefused && p.d.c.Can.EditsFor > 0: // too late after the command
		p.d.c.RefusedEdit()
	case v == isRefused:
		if p.refused++; p.refused >= mostTries {
			p.warnRefused(doc)
		}
	}
	return 0, false
}

// settleDelivery takes the edit that is on its way for made if a part of it is in the document,
// which the editor saves or closes as it is. p.mu is held.
func (p *page) settleDelivery() {
	if o := p.out; o != nil && o.trace != noTrace {
		p.dropDelivery()
		o.landed(p.doc.Text.String())
	}
}

// dropDelivery forgets the edit that is on its way. p.mu is held.
func (p *page) dropDelivery() {
	if p.out != nil {
		p.out.cancel()
		p.out = nil
	}
}

// showQuestions puts the diagnostics of questions that are in the document to the
// lines that ask them. p.mu is held.
func (p *page) showQuestions() {
	for _, a := range p.answers {
		for i, b := range a.blocks {
			if b.asks != nil && i < a.written && a.known {
				b.asks.MoveTo(p.doc.URI, b.pos)
			}
		}
	}
}

// warnRefused warns the user, once, that the document cannot be changed.
func (p *page) warnRefused(doc *ide.Document) {
	if p.warned {
		return
	}
	p.warned = true
	p.d.c.Warn(p.d.c.Life(), fmt.Sprintf("emendo cannot write to %s: the editor refused its edits. The conversation is stored; emendo.chat shows it once the file can be changed.", p.d.shown(doc.Path, doc.Spelling)))
}

// stepOnDisk makes all changes of the file, which no editor has open. p.mu is held,
// but not while the disk is accessed: the read loop may need it.
func (p *page) stepOnDisk(life context.Context) (pause time.Duration, done bool) {
	p.failures = nil                                                                               // they are for a user who looks at the document
	for _, opens := range []time.Time{p.reload.closed.Add(reloadWithin), p.opening.Add(opensIn)} { // the editor may open it
		if wait := time.Until(opens); wait > 0 {
			return wait, false
		}
	}
	over := slices.ContainsFunc(p.answers, func(a *answer) bool { return a.over && a.pending() })
	if wait := time.Until(p.stored.Add(writeEvery)); !over && wait > 0 {
		return wait, false
	}
	err := p.storeUnlocked(life)
	p.stored = time.Now()
	if err == nil {
		p.refused = 0
		return 0, false
	}
	if p.refused++; errors.Is(err, disk.ErrChanged) && p.refused < mostTries {
		return editEvery, false
	}
	p.refused = mostTries
	if !p.warned && life.Err() == nil {
		p.warned = true
		p.d.c.Warn(life, "emendo cannot write the conversation to a file: "+err.Error())
	}
	return 0, false
}

// storeUnlocked is store for a caller that holds p.mu, which is not held meanwhile.
func (p *page) storeUnlocked(ctx context.Context) error {
	p.mu.Unlock()
	defer p.mu.Lock()
	_, err := p.store(ctx, nil)
	return err
}

// stored is the file of a document.
type stored struct {
	path, text string
	open       bool // an editor has opened it, and it was not written
}

// store writes what the file lacks, also of these turns.
func (p *page) store(ctx context.Context, turns []turn) (stored, error) {
	f, err := p.file(ctx)
	if err != nil {
		return stored{}, err
	}
	defer f.close()
	was, err := f.read(ctx, p.session)
	if err != nil {
		return stored{}, err
	}
	if err := p.reconcile(ctx, was.Text); err != nil {
		return stored{}, err
	}
	text, ok := p.completed(was.Text, turns)
	if !ok || text == was.Text && was.Hash != (disk.Hash{}) {
		return stored{f.path.Abs, text, !ok}, nil
	}
	p.mu.Lock()
	open := p.doc != nil // as far as the editor has said
	p.mu.Unlock()
	if open {
		return stored{f.path.Abs, text, true}, nil
	}
	claim, err := p.claimed.claimFile(ctx, p, f.path.Abs)
	if err == nil {
		defer claim.Close() // when its record is there too
		err = f.write(ctx, text, was)
	}
	p.mu.Lock()
	switch {
	case p.doc != nil:
	case err != nil:
		p.forgetPlaces()
	default:
		p.record.noteSaved()
	}
	p.mu.Unlock()
	p.record.update(nil)
	if errors.Is(err, errElsewhere) {
		text = was.Text
	}
	return stored{f.path.Abs, text, false}, err
}

// reconcile compares the file with the document that was closed last. What the user
// has not saved is missing in it, and what they have saved is as they want it.
func (p *page) reconcile(ctx context.Context, text string) error {
	p.mu.Lock()
	closed := p.closed
	p.mu.Unlock()
	if closed == nil {
		return nil
	}
	saved := sameText(text, closed.String())
	var turns []turn
	if !saved {
		var err error
		if turns, err = p.record.turns(ctx); err != nil {
			return err
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = nil
	if saved {
		p.answers = slices.DeleteFunc(p.answers, func(a *answer) bool { return a.done })
	}
	p.supply(turns, text)
	return nil
}

// completed returns a text of the file with everything that it lacks, also of these turns;
// false if an editor has opened it.
func (p *page) completed(text string, turns []turn) (string, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.doc != nil {
		return "", false
	}
	if turns != nil {
		p.supply(turns, text)
	}
	p.forgetPlaces()
	for p.isIncomplete() {
		e := p.nextEdit(text)
		if e == nil {
			break
		}
		text = ide.NewText(text).Replace(e.splices).String()
		e.landed(text)
	}
	return text, true
}
