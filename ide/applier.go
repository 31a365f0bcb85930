package ide

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
)

const (
	answerWait = 30 * time.Second       // for the editor's answer
	echoWait   = 2 * time.Second        // from the answer to the new text
	refuseWait = 250 * time.Millisecond // from a refusal to the change that explains it
)

// ErrUnseen means that an edit must not be sent again: the editor did something
// with it, or still may, and the text does not show the edit.
var ErrUnseen = errors.New("the edit does not show in the editor's text")

// ErrMoved means, beside [ErrRefused], that the text had changed elsewhere before the
// edit came: the user is typing.
var ErrMoved = errors.New("the text changed meanwhile")

// An Applier has the editor make edits, one at a time, and waits until their text
// has come back. Its methods may be called by several goroutines at once.
type Applier struct {
	editor Editor
	turn   chan struct{} // holds the token of the one edit that is applied

	mu   sync.Mutex
	docs map[URI]*sentDocument // of the edit that is applied; empty: none
	bump chan struct{}         // closed and replaced after every change of them
}

// NewApplier returns an Applier that follows the workspace. Earlier watchers of the
// workspace have seen the new text when [Applier.Apply] returns.
func NewApplier(w *Workspace, e Editor) *Applier {
	a := &Applier{editor: e, turn: make(chan struct{}, 1), bump: make(chan struct{})}
	w.Watch(a.event)
	return a
}

// Apply has the editor make an edit, and returns nil when the text contains it. The
// editor's answer is not trusted: Apply waits two more seconds for the text.
//
// An error that wraps [ErrRefused] means that nothing changed where the edit goes,
// because the editor refused it or the document had changed. The edit can be tried
// again from the current text. After [ErrUnseen] it cannot. An error that wraps
// [ErrMoved] too tells that a change of the text is why.
func (a *Applier) Apply(ctx context.Context, e Edit) error {
	if len(e.Files) == 0 {
		return nil
	}
	if a.editor == nil {
		return fmt.Errorf("there is no editor: %w", ErrRefused)
	}
	select {
	case a.turn <- struct{}{}:
		defer func() { <-a.turn }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	a.follow(e)
	defer a.follow(Edit{})
	call, cancel := context.WithCancel(ctx)
	answer := make(chan error, 1)
	go func() { answer <- a.editor.ApplyEdit(call, e) }()
	answered := false
	defer func() {
		cancel()
		if !answered {
			<-answer
		}
	}()
	var err error
	timer, short := time.After(answerWait), false
	for {
		now := a.progress()
		switch {
		case answered && now.applied:
			return nil
		case answered && err != nil && now.moved && !now.touched:
			return fmt.Errorf("%w: %w", ErrMoved, err)
		case !answered && now.applied && !short:
			timer, short = time.After(echoWait), true // some editors never answer
		}
		select {
		case err = <-answer:
			answered = true
			timer = time.After(echoWait)
			if err != nil {
				timer = time.After(refuseWait)
			}
		case <-now.bump:
		case <-timer:
			return now.verdict(answered, err)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// verdict returns the result when the time is over.
func (s sight) verdict(answered bool, err error) error {
	switch {
	case s.applied:
		return nil
	case !answered:
		return fmt.Errorf("the editor did not answer: %w", ErrUnseen)
	case s.touched:
		return ErrUnseen
	case err != nil:
		return err
	case s.moved:
		return fmt.Errorf("%w: %w", ErrMoved, ErrRefused)
	}
	return ErrUnseen
}

// sentDocument is one document of an edit on its way into the editor and back.
type sentDocument struct {
	base    *Document
	want    string
	closes  bool // the edit deletes or renames the file
	regions []region
	applied bool // the text has contained the edit
	touched bool // something changed where the edit goes
	moved   bool // the document has changed since the edit was made from it
}

// region is where a splice of the edit goes in the current text.
type region struct {
	a, b int
	text string // the new text of the splice
}

// sight is the state of an edit.
type sight struct {
	applied, touched, moved bool
	bump                    <-chan struct{}
}

// follow begins to follow an edit, instead of the one before.
func (a *Applier) follow(e Edit) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.docs = map[URI]*sentDocument{}
	for _, x := range e.Files {
		d := &sentDocument{base: x.Document, closes: x.Delete || x.RenameTo != ""}
		if !d.closes {
			d.want = x.Document.Text.Replace(x.Splices).String()
			d.applied = d.want == x.Document.Text.String()
		}
		for _, s := range x.Splices {
			d.regions = append(d.regions, region{s.A, s.B, s.Text})
		}
		a.docs[x.Document.URI] = d
	}
}

func (a *Applier) progress() sight {
	a.mu.Lock()
	defer a.mu.Unlock()
	s := sight{applied: true, bump: a.bump}
	for _, d := range a.docs {
		s.applied = s.applied && d.applied
		s.touched = s.touched || d.touched
		s.moved = s.moved || d.moved
	}
	return s
}

// event follows the documents of the current edit. It runs on the goroutine that
// changes the workspace.
func (a *Applier) event(e Event) {
	d := e.After
	if d == nil {
		d = e.Before
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	f := a.docs[d.URI]
	if f == nil || e.Kind == Saved {
		return
	}
	f.moved = true
	switch e.Kind {
	case Changed:
		f.change(e)
	case Opened: // again, with another text
		f.touched = f.touched || e.After.Text.String() != f.base.Text.String()
		f.applied = f.applied || !f.closes && Arrived(f.base.Text, f.want, e.After.Text)
	case Closed:
		f.applied = f.applied || f.closes
	case Saved:
	}
	close(a.bump)
	a.bump = make(chan struct{})
}

// change follows a change of the text. Changes after the edit was made are the
// user's.
func (d *sentDocument) change(e Event) {
	switch {
	case d.applied:
		return
	case !d.closes && Arrived(d.base.Text, d.want, e.After.Text):
		d.applied, d.touched = true, true
		return
	}
	for text, s := range e.Steps() {
		s = s.Trim(text)
		by := NewMapping(s)
		for i := range d.regions {
			r := &d.regions[i]
			d.touched = d.touched || r.isTouchedBy(text, s)
			r.a, r.b, _ = by.Cover(r.a, r.b)
		}
	}
	d.applied = d.touched && len(d.regions) > 0 && d.holds(e.After.Text)
}

// holds reports whether every part of the edit is in a text that the user changed
// elsewhere.
func (d *sentDocument) holds(t *Text) bool {
	for _, r := range d.regions {
		if r.b > t.Len() || r.b-r.a != len(r.text) || t.Slice(r.a, r.b) != r.text {
			return false
		}
	}
	return true
}

// isTouchedBy reports whether a splice of t changes the region, or the line before or
// after it: editors describe the insertion of a line in several ways.
func (r *region) isTouchedBy(t *Text, s Splice) bool {
	return s.B >= t.LineStart(t.LineAt(min(r.a, t.Len()))-1) && s.A <= t.LineStart(t.LineAt(min(r.b, t.Len()))+1)
}

// Arrived reports whether a text is the result want of an edit of base. One line
// end more or less at the end is the editor's doing, unless the edit is only about
// that.
func Arrived(base *Text, want string, now *Text) bool {
	d := now.Len() - len(want)
	if d < -2 || d > 2 {
		return false
	}
	text := now.String()
	return text == want || SameButEnd(text, want) && !SameButEnd(base.String(), want)
}

// SameLines reports whether two texts are equal except for their line ends, which some
// editors normalize.
func SameLines(a, b string) bool {
	return a == b || strings.ReplaceAll(a, "\r\n", "\n") == strings.ReplaceAll(b, "\r\n", "\n")
}

// SameButEnd reports whether two texts are equal except for one more line end at
// the end of one of them.
func SameButEnd(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	rest, ok := strings.CutPrefix(b, a)
	return ok && (rest == "" || rest == "\n" || rest == "\r\n" || rest == "\r")
}
