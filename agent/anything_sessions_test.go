package agent_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/agenttest"
	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide/ledger"
)

// compact compacts a session, which may be busy.
func (c *chaos) compact(s *agent.Session) {
	ctx, cancel := context.WithTimeout(context.Background(), c.ms(500))
	life := c.life
	c.turns.Go(func() {
		defer cancel()
		_, err := s.Compact(ctx, "")
		var me *model.Error
		if err != nil && !errors.As(err, &me) && ctx.Err() == nil && !errors.Is(err, transcript.ErrBusy) && !c.isOver(life) {
			c.T.Errorf("compact: %v", err)
		}
		c.noteSummed(s.ID())
	})
}

// noteSummed records that everything in a session so far may have been summarized.
func (c *chaos) noteSummed(id string) {
	last := c.lastSeq(id)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.summed[id] = max(c.summed[id], last)
}

// fork copies a session, and replaces the previous fork.
func (c *chaos) fork(s *agent.Session) {
	copied, err := c.Agent.Fork(c.T.Context(), s.ID(), "")
	if errors.Is(err, transcript.ErrUntrusted) { // it is empty, so the fork is created in its mode
		return
	}
	if err != nil {
		c.T.Errorf("fork: %v", err)
		return
	}
	for _, f := range c.forks {
		f.Cancel("")
	}
	c.forks, c.replaced = []*agent.Session{copied}, append(c.replaced, c.forks...)
}

// A queued turn starts when the running one is cancelled, also in a fork that was replaced.
func TestEndOfReplacedForks(t *testing.T) {
	inChaos(t, 1, func(c *chaos) {
		c.Can, c.limit = frontend.Abilities{Reviews: true}, 1<<20 // nobody reviews the edits
		lines := make(chan string, 8)
		for line := range strings.Lines(c.ReadFile("a.txt")) {
			lines <- strings.TrimSpace(line)
		}
		c.Model.Answer = func(model.Request) modeltest.Reply {
			return modeltest.Reply{modeltest.Call("replace", fmt.Sprintf(`{"file_path":"a.txt","instruction":"x","old_string":%q,"new_string":"new"}`, <-lines))}
		}
		c.begin()
		s, err := c.Agent.Create(c.T.Context(), agent.NewSession{Cwd: c.Dir})
		if err != nil {
			c.T.Fatal(err)
		}
		c.sessions = []*agent.Session{s}
		c.fork(s)
		for range 2 {
			c.turns.Go(func() { c.submit(c.T.Context(), c.forks[0], state.Prompt{Blocks: agenttest.Say("go")}, agent.Queue) })
			<-time.After(time.Second)
		}
		if sets := c.Ledger.List(c.forks[0].ID(), "", ledger.Pending); len(sets) != 1 {
			c.T.Fatalf("%d edits wait for a review, not 1", len(sets))
		}
		c.fork(s)
		c.endTurns()
		c.check()
	})
}

// kill simulates a kill of the process: a new one starts with the current files.
func (c *chaos) kill() {
	synctest.Wait()
	type was struct {
		history []model.Message
		settled bool
		info    transcript.SessionInfo
	}
	before := map[string]was{}
	for _, s := range c.all() {
		h, settled, _ := agent.History(s)
		before[s.ID()] = was{h, settled, s.Info()}
	}
	c.mu.Lock()
	c.life.over = true
	c.mu.Unlock()
	state := c.T.TempDir()
	if err := os.CopyFS(state, os.DirFS(c.State)); err != nil {
		c.T.Fatal(err)
	}
	if c.n(2) == 0 { // in the middle of a record
		logs, err := filepath.Glob(filepath.Join(state, "sessions", "*", "*.jsonl"))
		if err != nil {
			c.T.Fatal(err)
		}
		for _, l := range logs {
			f, err := os.OpenFile(l, os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				c.T.Fatal(err)
			}
			if _, err := f.WriteString(`{"seq":9999,"at":"2`); err != nil {
				c.T.Fatal(err)
			}
			if err := f.Close(); err != nil {
				c.T.Fatal(err)
			}
		}
	}
	dead, workspace := c.Agent, c.Workspace
	dead.Close() // its output is ignored, and its files are separate
	c.turns.Wait()
	c.replaced = nil
	c.Editor.Wait()
	if err := workspace.Snapshot().Tree().Close(); err != nil {
		c.T.Error(err)
	}
	c.State = state
	c.begin()
	for _, l := range [][]*agent.Session{c.sessions, c.forks} {
		for i, s := range l {
			b := before[s.ID()]
			l[i] = c.resume(s.ID())
			if h, _, _ := agent.History(l[i]); b.settled && !reflect.DeepEqual(h, b.history) {
				c.T.Errorf("the history of %s was\n%+v\nand is\n%+v", s.ID(), b.history, h)
			}
		}
	}
	c.checkReplay()
}

// resume resumes a session in another process.
func (c *chaos) resume(id string) *agent.Session {
	s, err := c.Agent.Session(c.T.Context(), id)
	if errors.Is(err, transcript.ErrUnknownSession) && c.lastSeq(id) == 0 { // it was never prompted
		if s, err = c.Agent.Create(c.T.Context(), agent.NewSession{ID: id, Cwd: c.Dir}); errors.Is(err, transcript.ErrExists) {
			s, err = c.Agent.Create(c.T.Context(), agent.NewSession{Cwd: c.Dir})
		}
	}
	if err != nil {
		c.T.Fatalf("resuming session %s: %v", id, err)
	}
	return s
}

func (c *chaos) lastSeq(id string) (n int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, u := range c.Updates {
		if u.SessionID == id {
			n = u.Seq
		}
	}
	return n
}
