package agent_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing/synctest"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/transcript"
)

// check checks all requests and updates so far.
func (c *chaos) check() {
	c.T.Helper()
	synctest.Wait()
	for i, r := range c.Model.Requests() {
		if err := modeltest.Check(r); err != nil {
			c.T.Errorf("request %d: %v", i, err)
		}
	}
	c.CheckNumbers()
	c.checkCalls()
	c.checkPrompts()
}

// follows maps each state to the states that may follow it.
var follows = map[transcript.CallState][]transcript.CallState{
	transcript.Validating:       {transcript.Scheduled, transcript.AwaitingApproval, transcript.Failure, transcript.Cancelled},
	transcript.AwaitingApproval: {transcript.Scheduled, transcript.Success, transcript.Failure, transcript.Cancelled},
	transcript.Scheduled:        {transcript.Executing, transcript.Failure, transcript.Cancelled},
	transcript.Executing:        {transcript.Executing, transcript.Success, transcript.Failure, transcript.Cancelled},
}

// checkCalls checks that calls pass through their states in order and end with their
// turn.
func (c *chaos) checkCalls() {
	c.T.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	at, turn := map[string]transcript.CallState{}, map[string]string{}
	for _, u := range c.Updates {
		switch e := u.Event.(type) {
		case transcript.ToolCall:
			if at[e.CallID] != "" {
				c.T.Errorf("call %s was made twice", e.CallID)
			}
			at[e.CallID], turn[e.CallID] = transcript.Validating, u.TurnID
		case transcript.ToolUpdate:
			if !slices.Contains(follows[at[e.CallID]], e.State) {
				c.T.Errorf("call %s goes from %q to %q", e.CallID, at[e.CallID], e.State)
			}
			at[e.CallID] = e.State
		case transcript.TurnEnded:
			for id, t := range turn {
				if t == u.TurnID && len(follows[at[id]]) > 0 {
					c.T.Errorf("call %s is %s at the end of its turn", id, at[id])
				}
			}
		}
	}
}

// checkPrompts checks that the prompts with output are in the history, and those whose
// answer was broken.
func (c *chaos) checkPrompts() {
	c.T.Helper()
	for _, s := range c.sessions {
		request, _, idle := agent.History(s)
		if !idle {
			continue
		}
		said := ""
		for _, m := range request {
			for _, p := range m.Parts {
				if t, ok := p.(model.Text); ok {
					said += t.Text + "\n"
				}
			}
		}
		c.mu.Lock()
		prompts, output := map[string]string{}, map[string]map[string]bool{} // by turn; messages with output
		summed, last := map[string]bool{}, c.summed[s.ID()]                  // turns that may have been summarized
		ids := map[string]string{}                                           // of prompts, by turn
		failed := map[string]transcript.NoticeCode{}                         // the last notice of each turn
		for _, u := range c.Updates {
			if _, ok := u.Event.(transcript.Compaction); ok && u.SessionID == s.ID() && !c.lost[s.ID()][u.Seq] {
				last = max(last, u.Seq)
			}
		}
		for _, u := range c.Updates {
			if u.SessionID != s.ID() {
				continue
			}
			if _, ok := u.Event.(transcript.UserChunk); !ok && c.lost[s.ID()][u.Seq] {
				continue
			}
			switch e := u.Event.(type) {
			case transcript.UserChunk:
				if c.lost[s.ID()][u.Seq] {
					if strings.Contains(said, e.Block.Text) && e.Block.Text != "" {
						c.T.Errorf("%s was rewound and is in the history", e.Block.Text)
					}
					continue
				}
				if prompts[u.TurnID] == "" || !e.Steer && ids[u.TurnID] != e.MessageID { // prompts left by an earlier process come first
					ids[u.TurnID] = e.MessageID
					prompts[u.TurnID], output[u.TurnID] = e.Block.Text, map[string]bool{}
					summed[u.TurnID] = u.Seq <= last
				}
			case transcript.Text:
				output[u.TurnID][e.MessageID] = true
			case transcript.ToolCall:
				output[u.TurnID][e.MessageID] = true
			case transcript.Retract:
				delete(output[u.TurnID], e.MessageID)
			case transcript.Notice:
				failed[u.TurnID] = e.Code
			case transcript.TurnEnded:
				cut := e.StopReason == transcript.StopCancelled || e.StopReason == transcript.StopError || e.StopReason == transcript.StopBlocked
				want := !cut || len(output[u.TurnID]) > 0 || failed[u.TurnID] == transcript.NoticeInvalidStream
				if e.StopReason == transcript.StopError && failed[u.TurnID] == transcript.NoticeError {
					continue // it depends on whether the prompt itself was refused
				}
				if got := strings.Contains(said, prompts[u.TurnID]); got != want && (got || !summed[u.TurnID]) {
					c.T.Errorf("%s ended with %s and output in %d messages: it is in the history: %v", prompts[u.TurnID], e.StopReason, len(output[u.TurnID]), got)
				}
			}
		}
		c.mu.Unlock()
	}
}

// checkReplay loads the sessions and compares the replay with the shown updates.
func (c *chaos) checkReplay() {
	c.T.Helper()
	for _, s := range c.sessions {
		if err := s.Load(c.T.Context()); err != nil {
			c.T.Errorf("loading %s: %v", s.ID(), err)
			continue
		}
		c.mu.Lock()
		var live, again []transcript.Update
		last, next := int64(0), int64(0)
		for _, u := range c.Updates {
			if u.SessionID == s.ID() && !u.Replay {
				last = u.Seq
			}
		}
		rest := c.Updates[:0]
		for _, u := range c.Updates {
			switch {
			case u.SessionID != s.ID():
			case u.Replay:
				if next = u.Seq + 1; len(again) > 0 && u.Seq <= again[len(again)-1].Seq {
					c.T.Errorf("the replay of %s goes from %d to %d", s.ID(), again[len(again)-1].Seq, u.Seq)
				}
				again = append(again, u)
				if u.Seq <= last || !waited(u.Event) {
					continue
				}
				u.Replay = false
				live = append(live, u)
			case c.lost[s.ID()][u.Seq]:
			default:
				live = append(live, u)
			}
			rest = append(rest, u)
		}
		c.Updates = rest
		c.mu.Unlock()
		live = slices.DeleteFunc(live, func(u transcript.Update) bool { return u.Seq >= next }) // after the replay
		got, want := tale(again), tale(live)
		for i := range max(len(got), len(want)) {
			if i >= len(got) || i >= len(want) || got[i] != want[i] {
				c.T.Errorf("session %s was shown as\n%s\nand is replayed as\n%s", s.ID(), strings.Join(want[i:min(i+3, len(want))], "\n"), strings.Join(got[i:min(i+3, len(got))], "\n"))
				break
			}
		}
	}
}

// waited reports whether an event may belong to a prompt that was queued when a process
// ended. It is recorded before the replay, which shows it.
func waited(e transcript.Event) bool {
	n, ok := e.(transcript.Notice)
	_, said := e.(transcript.UserChunk)
	return said || ok && n.Code == transcript.NoticeStopped
}

// tale describes updates independently of how they were merged.
func tale(us []transcript.Update) []string {
	var l []string
	open := ""
	for _, u := range us {
		key, text := "", ""
		switch e := u.Event.(type) {
		case transcript.Text:
			key, text = "text "+e.MessageID+" ", e.Text
		case transcript.Thought:
			key, text = "thought "+e.MessageID+" "+e.Subject+" ", e.Text
			if e.Subject == "" && strings.HasPrefix(open, "thought "+e.MessageID) {
				key = open
			} else if e.Subject != "" {
				open = ""
			}
		case transcript.ToolUpdate:
			if e.Live != "" {
				continue // only the newest is kept
			}
		}
		switch {
		case key == "":
			b, err := json.Marshal(u.Event)
			if err != nil {
				panic(err)
			}
			l = append(l, fmt.Sprintf("%d %s %T %s", u.Seq, u.TurnID, u.Event, b))
		case key == open:
			l[len(l)-1] += text
		default:
			l = append(l, key+text)
		}
		open = key
	}
	return l
}
