package agent

import (
	"context"
	"time"

	"github.com/emendo-dev/emendo/agent/transcript"
)

// unwritten is a group of events to record between turns.
type unwritten struct {
	events []transcript.Event
	at     time.Time
	sync   bool         // on the disk before done
	done   chan<- error // with room for the answer; nil: a failure is logged
}

// record records events: as events of the running turn, else between turns.
func (l *sessionLoop) record(es ...transcript.Event) {
	if l.running == nil {
		l.unwritten = append(l.unwritten, unwritten{events: es, at: l.session.agent.now()})
		return
	}
	for _, e := range es {
		l.running.box.slip(e)
	}
}

// write begins to write what was recorded between turns.
func (l *sessionLoop) write() {
	if l.writing || len(l.unwritten) == 0 || l.ended {
		return
	}
	batch := l.unwritten
	l.unwritten, l.writing = nil, true
	go func() { // stop waits for it
		for _, w := range batch {
			l.session.write(w)
		}
		l.session.send(&written{})
	}()
}

// write writes a group of events.
func (s *Session) write(w unwritten) {
	var err error
	for i := 0; i < len(w.events) && err == nil; i++ {
		err = s.log.Append(transcript.Record{At: w.at, Event: w.events[i]}, w.sync)
	}
	switch {
	case w.done != nil:
		w.done <- err
	case err != nil:
		s.agent.log.Error("a record was not written", "session", s.id, "err", err)
	}
}

// keep records an event that nobody is shown.
type keep struct{ event transcript.Event }

func (m *keep) handle(l *sessionLoop) bool {
	if n := len(l.unwritten); l.running == nil && n > 0 && l.unwritten[n-1].done == nil {
		if es, ok := mergeRecords(l.unwritten[n-1].events, m.event); ok {
			l.unwritten[n-1].events = es
			return true
		}
	}
	l.record(m.event)
	return true
}

// keep records an event that nobody is shown. It never waits for the client or
// for the disk.
func (s *Session) keep(e transcript.Event) {
	if !s.send(&keep{e}) {
		s.agent.log.Error("a record was not written: the session is closed", "session", s.id, "kind", transcript.KindOf(e))
	}
}

// written reports that a batch of records was written.
type written struct{}

func (*written) handle(l *sessionLoop) bool {
	l.writing = false
	return true
}

// flush waits until everything that was recorded between turns is written, and
// answers how to wait until it is on the disk, with what the running turn has
// recorded.
type flush struct{ reply chan<- func() error }

func (m *flush) handle(l *sessionLoop) bool {
	switch t := l.running; {
	case t != nil:
		p := t.box.insert(nil)
		m.reply <- func() error { return t.box.wait(p) }
	case l.writing || len(l.unwritten) > 0:
		return false
	default:
		m.reply <- l.session.log.Sync
	}
	return true
}

// awaitWrites waits until everything that was recorded between turns is written.
// It returns a function that brings all that was recorded to the disk.
func (s *Session) awaitWrites() (synced func() error) {
	reply := make(chan func() error, 1)
	if f, ok := request(context.Background(), s, &flush{reply}, reply); ok {
		return f
	}
	return s.log.Sync
}

// flush brings everything that was recorded to the disk.
func (s *Session) flush() error { return s.awaitWrites()() }
