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
	writeEvery = time.Second            // between two writes of a file, while an answer grows
	unseenWait = 3 * time.Second        // after an edit that does not show, until the text counts as lacking it
	mostTries  = 5                      // of an edit that the editor refuses, until the document changes
)

// write brings the document up to date, one change at a time, until it lacks
// nothing.
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
		if pause, done = p.step(life); done {
			return
		}
		hurry := p.hurry
		if pause == unseenWait {
			hurry = nil
		}
		select {
		case <-time.After(pause):
		case <-hurry:
		case <-life.Done():
			return
		}
	}
}

// step makes one change. It returns how long to wait for the next one, or that there
// is nothing to do.
func (p *page) step(life context.Context) (pause time.Duration, done bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if life.Err() != nil || !p.lacks() || p.refused >= mostTries || p.reload.running {
		p.working = false // before mu is released, so that no wake is lost
		return 0, true
	}
	if p.doc != nil {
		return p.stepInEditor(life)
	}
	return p.stepOnDisk(life)
}

// stepInEditor makes one change of the open document. p.mu is held, but not while
// the editor makes the edit.
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
	e := p.next(doc.Text.String())
	if e == nil {
		if p.lacks() {
			p.d.c.Log.Error("a chat document lacks something that has no place", "session", p.session)
		}
		p.working = false
		return 0, true
	}
	pause = editEvery
	err := p.apply(life, doc, e)
	switch {
	case err == nil && p.doc != nil && p.doc.URI == doc.URI:
		e.landed(p.doc.Text.String())
		p.refused, p.warned = 0, false
		p.showQuestions()
	case err == nil, life.Err() != nil:
	default:
		p.d.c.Log.Debug("a chat document was not changed", "session", p.session, "error", err)
		p.refused++
		if errors.Is(err, ide.ErrUnseen) { // the text shows later whether it has the change
			for _, a := range p.answers {
				a.known = a.sent
			}
			pause = unseenWait
		}
		p.warnRefused(doc)
	}
	return pause, false
}

// apply has the editor make a change. p.mu is held, but not meanwhile.
func (p *page) apply(life context.Context, doc *ide.Document, e *edit) error {
	p.mu.Unlock()
	defer p.mu.Lock()
	return p.d.applier.Apply(life, ide.Edit{Label: "emendo: answer", Files: []ide.FileEdit{{Document: doc, Splices: e.splices}}})
}

// showQuestions puts the diagnostics of questions that are in the document to the
// lines that ask them. p.mu is held.
func (p *page) showQuestions() {
	for _, a := range p.answers {
		for i, b := range a.blocks {
			if b.asks != nil && i < a.written && a.known {
				p.d.Moved(b.asks, p.doc.URI, b.pos)
			}
		}
	}
}

// warnRefused warns the user, once, that the document cannot be changed.
func (p *page) warnRefused(doc *ide.Document) {
	if p.refused < mostTries || p.warned {
		return
	}
	p.warned = true
	p.d.c.Warn(p.d.c.Life(), fmt.Sprintf("emendo cannot write to %s: the editor refused its edits. The conversation is stored; emendo.chat shows it once the file can be changed.", p.d.shown(doc.Path, doc.Spelling)))
}

// stepOnDisk makes all changes of the file, which no editor has open. p.mu is held,
// but not while the disk is accessed: the read loop may need it.
func (p *page) stepOnDisk(life context.Context) (pause time.Duration, done bool) {
	p.failures = nil                                                     // they are for a user who looks at the document
	if wait := time.Until(p.reload.closed.Add(reloadWithin)); wait > 0 { // the editor may open it again
		return wait, false
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
	if p.doc == nil {
		p.lose()
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
	return p.store(ctx)
}

// store writes what the file lacks.
func (p *page) store(ctx context.Context) error {
	f, err := p.file(ctx)
	if err != nil {
		return err
	}
	defer f.close()
	was, err := f.read(ctx, p.session)
	if err != nil {
		return err
	}
	if err := p.reconcile(ctx, was.Text); err != nil {
		return err
	}
	text, ok := p.completed(was.Text)
	if !ok || text == was.Text && was.Hash != (disk.Hash{}) {
		return nil
	}
	p.mu.Lock()
	open := p.doc != nil // as far as the editor has said
	p.mu.Unlock()
	if open {
		return nil
	}
	release, err := p.claimed.take(ctx, p, f.path.Abs)
	if err != nil {
		return err
	}
	defer release()
	if err := f.write(ctx, text, was); err != nil {
		return err
	}
	p.mu.Lock()
	if p.doc == nil {
		p.record.noteSaved()
	}
	p.mu.Unlock()
	p.record.update(nil)
	return nil
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

// completed returns a text of the file with everything that it lacks; false if an
// editor has opened it.
func (p *page) completed(text string) (string, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.doc != nil {
		return "", false
	}
	p.lose()
	for p.lacks() {
		e := p.next(text)
		if e == nil {
			break
		}
		text = ide.NewText(text).Replace(e.splices).String()
		e.landed(text)
	}
	return text, true
}
