package view_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/agent/view"
)

// A conversation that is read backwards from its record, a piece at a time, is at each time the
// end of the one that is folded forwards: with turns that were rewound, calls that end after their
// turn, and records of another process.
func TestAConversationIsReadBackwards(t *testing.T) {
	dir, n := t.TempDir(), 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		g, log := &events{t: t}, storage{t: t, path: filepath.Join(dir, fmt.Sprint(n))}
		late := map[string]string{} // calls of turns that have ended: their turns
		log.open()
		for range rapid.IntRange(1, 60).Draw(t, "events") {
			u := g.next()
			log.add(u)
			if c, ok := u.Event.(transcript.ToolCall); ok {
				late[c.CallID] = u.TurnID
			}
			if e, ok := u.Event.(transcript.ToolUpdate); ok && e.Over() {
				delete(late, e.CallID)
			}
			if !g.open && len(late) > 0 && rapid.IntRange(0, 3).Draw(t, "ends late") == 0 {
				call := slices.Min(slices.Collect(maps.Keys(late)))
				turn := rapid.SampledFrom([]string{u.TurnID, late[call]}).Draw(t, "turn")
				g.seq++
				log.add(transcript.Update{Seq: g.seq, TurnID: turn, At: g.at, Event: transcript.ToolUpdate{CallID: call, State: transcript.Success, Display: "late"}})
				delete(late, call)
			}
			if !g.open && len(g.turns) > 0 && rapid.IntRange(0, 9).Draw(t, "says late") == 0 {
				g.seq++
				log.add(transcript.Update{Seq: g.seq, TurnID: rapid.SampledFrom(g.turns).Draw(t, "of turn"), At: g.at, Event: transcript.Notice{Title: "late"}})
			}
			if to := g.rewinds(); to != "" {
				log.add(transcript.Update{At: g.at, Event: transcript.Rewound{TurnID: to}})
				if between, ok := g.redoes(); ok {
					for _, u := range between {
						log.add(u)
					}
					log.add(transcript.Update{At: g.at, Event: transcript.Redone{TurnID: to}})
				}
			}
			if rapid.IntRange(0, 20).Draw(t, "another process") == 0 {
				log.open()
			}
		}
		running := ""
		if g.open && rapid.Bool().Draw(t, "runs") {
			running = fmt.Sprintf("turn%d", g.turn)
		}
		whole := newStored()
		whole.Run(running)
		for _, u := range log.updates() {
			whole.Add(u)
		}
		whole.Settle()
		want := all(whole)

		past, err := log.first.OpenPast("s")
		if err != nil {
			t.Fatal(err)
		}
		c := newStored()
		c.Run(running)
		for past.Earlier() {
			before, err := past.ReadBack(int64(rapid.IntRange(1, 5000).Draw(t, "bytes")))
			if err != nil {
				t.Fatal(err)
			}
			c.Prepend(before)
			if !c.HasTurns() {
				continue
			}
			c.Settle()
			if c.Changed() && len(c.Changes()) > 0 {
				t.Fatalf("a client that has nothing is sent changes")
			}
			got := all(c)
			if d := differ(want[max(0, len(want)-len(got)):], got); d != "" {
				t.Fatalf("the end is something else (-there is +it has):\n%s", d)
			}
		}
		c.Settle()
		if d := differ(want, all(c)); d != "" {
			t.Fatalf("the whole is something else (-there is +it has):\n%s", d)
		}
		if d := differ(whole.Status(view.Standing{}), c.Status(view.Standing{})); d != "" {
			t.Fatalf("the status is something else (-there is +it has):\n%s", d)
		}
	})
}

// storage is the record of a session, which several processes write one after the other.
type storage struct {
	t     *rapid.T
	path  string
	first *transcript.Log // it knows only what it has written
	logs  []*transcript.Log
}

// open lets another process write.
func (s *storage) open() {
	if len(s.logs) > 0 {
		if err := s.last().Unlock(); err != nil {
			s.t.Fatal(err)
		}
	}
	l := transcript.NewLog(s.path, nil)
	if s.first == nil {
		s.first = l
	}
	s.logs = append(s.logs, l)
	if _, err := l.Lock(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = l.Close() })
}

func (s *storage) last() *transcript.Log { return s.logs[len(s.logs)-1] }

func (s *storage) add(u transcript.Update) {
	if err := s.last().Append(transcript.Record{Seq: u.Seq, Turn: u.TurnID, At: u.At, Event: u.Event}, false); err != nil {
		s.t.Fatal(err)
	}
}

func (s *storage) updates() []transcript.Update {
	rs, err := transcript.NewLog(s.path, nil).CatchUp()
	if err != nil {
		s.t.Fatal(err)
	}
	updates, _ := transcript.UpdatesOf("s", rs, 0)
	return updates
}
