package present

import (
	"context"
	"crypto/rand"
	"slices"
	"sync"
	"time"

	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/ide/ledger"
)

// mostRead is the number of tasks that are over and have to be read. Older ones go.
const mostRead = 10

// Tasks are the commands of the user's that the window's view shows.
type Tasks struct {
	v *Views

	mu    sync.Mutex
	all   []*Task          // those that the view has, the oldest first
	aside map[string]*Task // those whose turn is in no conversation, by its session
}

// Task is a command that the window's view shows while it runs, and after that as long as its
// outcome has to be read.
type Task struct {
	of   *Tasks
	stop func()

	// guarded by the mutex of of
	said view.Task

	decided chan struct{} // is sent to when its edits have changed
}

// Begin shows a task, which stop ends.
func (l *Tasks) Begin(t view.Task, stop func()) *Task {
	t.ID, t.Began = "task-"+rand.Text(), time.Now()
	task := &Task{of: l, stop: stop, said: t, decided: make(chan struct{}, 1)}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, task)
	l.v.PutItem(t.Item())
	return task
}

// ID returns the ID of its item.
func (t *Task) ID() string { return t.said.ID }

// Opened implements [chat.AsideShown].
func (t *Task) Opened(sessionID string) {
	t.of.mu.Lock()
	defer t.of.mu.Unlock()
	t.of.aside[sessionID] = t
}

// Closed implements [chat.AsideShown].
func (t *Task) Closed(sessionID string) {
	t.of.mu.Lock()
	defer t.of.mu.Unlock()
	delete(t.of.aside, sessionID)
}

// Joined implements [chat.Shown].
func (t *Task) Joined(sessionID string) {
	t.change(func(t *view.Task) { t.SessionID = sessionID })
}

// Ended implements [chat.Shown].
func (t *Task) Ended() { t.of.drop(t.ID()) }

// Shown returns the task as the view has it.
func (t *Task) Shown() view.Task {
	t.of.mu.Lock()
	defer t.of.mu.Unlock()
	return t.said
}

// change changes what is said of a task, and shows it unless it has ended: its item is put and
// dropped in the order of what it says.
func (t *Task) change(f func(*view.Task)) {
	t.of.mu.Lock()
	defer t.of.mu.Unlock()
	if f(&t.said); slices.Contains(t.of.all, t) {
		t.of.v.PutItem(t.said.Item())
	}
}

// End shows how a task has ended, or removes it if nothing of that has to be read. That is sent
// at once, since the command of the task is answered next.
func (t *Task) End(f func(*view.Task)) {
	defer func() { t.of.v.sendWindow(time.Now()) }()
	t.change(func(said *view.Task) {
		f(said)
		said.Over = true
	})
	if !t.Shown().ToRead() {
		t.of.drop(t.ID())
		return
	}
	t.of.forget()
}

// Decided implements [chat.AsideShown].
func (t *Task) Decided() <-chan struct{} { return t.decided }

// drop removes a task.
func (l *Tasks) drop(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = slices.DeleteFunc(l.all, func(t *Task) bool { return t.said.ID == id })
	l.v.DropItem(id)
}

// forget removes the oldest tasks that are over, where there are many.
func (l *Tasks) forget() {
	l.mu.Lock()
	var over []string
	for _, t := range l.all {
		if t.said.Over {
			over = append(over, t.said.ID)
		}
	}
	l.mu.Unlock()
	for _, id := range over[:max(len(over)-mostRead, 0)] {
		l.drop(id)
	}
}

// ofSession returns the task whose turn is in a session of its own, or nil.
func (l *Tasks) ofSession(sessionID string) *Task {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.aside[sessionID]
}

// from says what a session is for that is no conversation, or returns nil.
func (l *Tasks) from(sessionID string) *view.Text {
	if t := l.ofSession(sessionID); t != nil {
		return new(t.Shown().Title())
	}
	return nil
}

// NoteChangeSet is called with every change set that changes: the edits of a task that wait
// for the user end its spinner.
func (l *Tasks) NoteChangeSet(cs ledger.ChangeSet, rangesOnly bool) {
	t := l.ofSession(cs.SessionID)
	if t == nil || rangesOnly {
		return
	}
	if said := t.Shown(); !said.Proposed && !said.Over && cs.Origin != ledger.OfCommand { // what a command did is no proposal
		t.change(func(t *view.Task) { t.Proposed = true })
	}
	select {
	case t.decided <- struct{}{}:
	default:
	}
}

// taskDoers are the actions of tasks.
var taskDoers = map[string]doer{
	"task/" + view.Stop:    stopTask,
	"task/" + view.Dismiss: dismissTask,
}

func stopTask(_ context.Context, v *Views, c chosen) (acted, error) {
	v.Tasks.mu.Lock()
	i := slices.IndexFunc(v.Tasks.all, func(t *Task) bool { return t.said.ID == c.ID })
	var stop func()
	if i >= 0 {
		stop = v.Tasks.all[i].stop
	}
	v.Tasks.mu.Unlock()
	if stop != nil {
		stop()
	}
	return acted{}, nil
}

func dismissTask(_ context.Context, v *Views, c chosen) (acted, error) {
	v.Tasks.drop(c.ID)
	return acted{}, nil
}
