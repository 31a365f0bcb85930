package view_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/agent/view/viewtest"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/tools"
)

// events draws what a turn can emit, in an order that turns can have.
type events struct {
	t        *rapid.T
	turn     int
	turns    []string // that were not rewound
	rewound  []string // by the last rewind
	message  int
	calls    []string // that have not ended
	live     map[string]string
	made     int
	open     bool // a turn runs
	seq      int64
	at       time.Time
	subjects int
	shorter  int  // compactions so far
	shortens bool // one is not over
	short    bool // no output is long
	queued   int
}

func (g *events) next() transcript.Update {
	g.seq++
	if g.at.IsZero() {
		g.at = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	}
	if rapid.IntRange(0, 3).Draw(g.t, "later") > 0 { // else it comes at the same time
		g.at = g.at.Add(time.Second)
	}
	u := transcript.Update{SessionID: "s", Seq: g.seq, At: g.at}
	if !g.open && rapid.IntRange(0, 3).Draw(g.t, "between") == 0 {
		u.Event = transcript.Notice{Severity: transcript.Info, Code: transcript.NoticeMovedAside, Title: g.words()}
		return u
	}
	u.Event = g.event()
	u.TurnID = fmt.Sprintf("turn%d", g.turn)
	return u
}

// rewinds draws the turn that is rewound with all after it, now and then while none runs;
// else it returns nothing.
func (g *events) rewinds() string {
	if g.open || len(g.turns) == 0 || rapid.IntRange(0, 9).Draw(g.t, "rewinds") > 0 {
		return ""
	}
	n := rapid.IntRange(0, len(g.turns)-1).Draw(g.t, "to")
	to := g.turns[n]
	g.rewound = slices.Clone(g.turns[n:])
	g.turns = g.turns[:n]
	return to
}

// redoes draws what comes of a session before its last rewind is undone; false if it stays.
func (g *events) redoes() (between []transcript.Update, ok bool) {
	if !rapid.Bool().Draw(g.t, "redoes") {
		return nil, false
	}
	g.turns = append(g.turns, g.rewound...)
	for range rapid.IntRange(0, 2).Draw(g.t, "between") {
		g.seq++
		g.at = g.at.Add(time.Second)
		between = append(between, transcript.Update{SessionID: "s", Seq: g.seq, At: g.at, Event: transcript.Notice{Severity: transcript.Info, Code: transcript.NoticeMovedAside, Title: g.words()}})
	}
	return between, true
}

// recordOf returns an update as the log has it.
func recordOf(u transcript.Update) transcript.Record {
	return transcript.Record{Seq: u.Seq, Turn: u.TurnID, At: u.At, Event: u.Event}
}

func (g *events) id() string { return fmt.Sprintf("m%d", g.message) }

func (g *events) words() string {
	return rapid.StringMatching(`[a-z ü😀\n]{1,12}`).Draw(g.t, "text")
}

// output draws what a command writes: a few words, or now and then so many times as many.
func (g *events) output(times int) string {
	if g.short || rapid.IntRange(0, 3).Draw(g.t, "long") > 0 {
		times = 1
	}
	return strings.Repeat(g.words(), times)
}

func (g *events) event() transcript.Event {
	if !g.open {
		g.turn++
		g.message++
		g.turns = append(g.turns, fmt.Sprintf("turn%d", g.turn))
		g.open, g.shortens, g.calls, g.live = true, false, nil, map[string]string{}
		return transcript.UserChunk{MessageID: g.id(), Block: transcript.Block{Type: transcript.TextBlock, Text: g.words()}}
	}
	switch rapid.IntRange(0, 17).Draw(g.t, "event") {
	case 0:
		g.open = false
		return transcript.TurnEnded{StopReason: rapid.SampledFrom([]transcript.StopReason{transcript.EndTurn, transcript.StopCancelled, transcript.StopError}).Draw(g.t, "reason"), DurationMS: 1500}
	case 1:
		g.message++
		return transcript.UserChunk{MessageID: g.id(), Steer: true, Block: transcript.Block{Type: transcript.TextBlock, Text: g.words()}}
	case 2:
		g.message++
		return transcript.ResponseFinished{MessageID: g.id(), Model: "m"}
	case 3, 4, 5:
		return transcript.Text{MessageID: g.id(), Part: rapid.IntRange(0, 1).Draw(g.t, "part"), Text: g.words()}
	case 6:
		g.subjects++
		return transcript.Thought{MessageID: g.id(), Subject: fmt.Sprintf("subject %d", g.subjects), Text: g.words()}
	case 7, 8:
		return transcript.Thought{MessageID: g.id(), Text: g.words()}
	case 9:
		g.made++
		call := fmt.Sprintf("call%d", g.made)
		c := transcript.ToolCall{CallID: call, MessageID: g.id(), Name: "t", Title: call, Kind: tools.Execute, Args: json.RawMessage(`{"command":"echo 1\necho 2"}`)}
		if len(g.calls) > 0 && rapid.Bool().Draw(g.t, "nested") {
			c.Parent = g.calls[0]
		}
		g.calls = append(g.calls, call)
		return c
	case 10, 11:
		if len(g.calls) == 0 {
			break
		}
		call := rapid.SampledFrom(g.calls).Draw(g.t, "call")
		g.live[call] += g.output(900)
		if over := len(g.live[call]) - 16<<10; over > 0 { // as commands show it
			_, g.live[call], _ = strings.Cut(g.live[call][over:], "\n")
		}
		return transcript.ToolUpdate{CallID: call, State: transcript.Executing, Live: g.live[call]}
	case 12:
		if len(g.calls) == 0 {
			break
		}
		i := rapid.IntRange(0, len(g.calls)-1).Draw(g.t, "call")
		call := g.calls[i]
		g.calls = append(g.calls[:i:i], g.calls[i+1:]...)
		state := rapid.SampledFrom([]transcript.CallState{transcript.Success, transcript.Failure, transcript.Cancelled}).Draw(g.t, "state")
		return transcript.ToolUpdate{CallID: call, State: state, Display: "```\n" + g.output(5000) + "\n```", Output: "x"}
	case 13:
		return transcript.Retract{MessageID: g.id()}
	case 14:
		code := rapid.SampledFrom([]transcript.NoticeCode{transcript.NoticeRetry, transcript.NoticeMCP}).Draw(g.t, "code")
		return transcript.Notice{Severity: transcript.Warning, Code: code, Title: g.words(), Description: g.words(), RetryAfterMS: 100}
	case 15:
		var p transcript.Plan
		for range rapid.IntRange(0, 3).Draw(g.t, "entries") {
			status := rapid.SampledFrom([]string{"pending", "in_progress", "completed"}).Draw(g.t, "status")
			p.Entries = append(p.Entries, transcript.PlanEntry{Content: g.words(), Priority: "high", Status: status})
		}
		return p
	case 16:
		if g.shortens = !g.shortens; g.shortens {
			g.shorter++
			return transcript.Compaction{ID: fmt.Sprintf("shorter%d", g.shorter), Status: "in_progress"}
		}
		status := rapid.SampledFrom([]string{"completed", "failed"}).Draw(g.t, "status")
		return transcript.Compaction{ID: fmt.Sprintf("shorter%d", g.shorter), Status: status, OriginalTokens: 900, NewTokens: 90}
	case 17:
		return transcript.UsageUpdated{Used: 100 * g.seq, Size: 1_000_000}
	}
	return transcript.Text{MessageID: g.id(), Text: g.words()}
}

// queue draws the prompts that wait: some that did, and new ones.
func (g *events) queue(before []view.Queued) (l []view.Queued, paused bool) {
	for _, q := range rapid.Permutation(before).Draw(g.t, "order") {
		if rapid.IntRange(0, 3).Draw(g.t, "stays") > 0 {
			l = append(l, q)
		}
	}
	for range rapid.IntRange(0, 2).Draw(g.t, "new") {
		g.queued++
		l = append(l, waiting(fmt.Sprintf("q%d", g.queued), g.words()))
	}
	return l, rapid.Bool().Draw(g.t, "paused")
}

func newConversation() *view.Conversation {
	return view.NewConversation(view.Options{Encoding: ide.UTF16})
}

// all returns what a client is sent that asks for everything.
func all(c *view.Conversation) []view.Item {
	items, _ := c.Page(view.Page{Items: 1 << 20, Bytes: 1 << 30, Bodies: true})
	return items
}

// fold folds an update, as a process does in which its turn runs.
func (g *events) fold(u transcript.Update, folds ...*view.Conversation) {
	for _, c := range folds {
		c.Run(u.TurnID)
		c.Add(u)
		if !g.open {
			c.Run("")
		}
	}
}

// A client that applies every change has what it would be sent if it asked for all: whenever
// it reads, and after rewinds.
func TestAClientHasWhatThereIs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, c := &events{t: t}, newConversation()
		fold := viewtest.New(all(c))
		var queued []view.Queued
		var records []transcript.Record
		for range rapid.IntRange(1, 80).Draw(t, "events") {
			u := g.next()
			g.fold(u, c)
			records = append(records, recordOf(u))
			if rapid.IntRange(0, 9).Draw(t, "queues") == 0 {
				l, paused := g.queue(queued)
				c.Queue(l, paused)
				queued = l
			}
			if to := g.rewinds(); to != "" {
				c.Rewind(to)
				records = append(records, transcript.Record{At: u.At, Event: transcript.Rewound{TurnID: to}})
				if rapid.Bool().Draw(t, "reads what was rewound") {
					fold.Apply(c.Changes())
				}
				if between, ok := g.redoes(); ok {
					for _, u := range between {
						c.Add(u)
						records = append(records, recordOf(u))
					}
					records = append(records, transcript.Record{At: g.at, Event: transcript.Redone{TurnID: to}})
					c.Rewound(transcript.RedoneBy("s", records, 0))
				}
			}
			if rapid.IntRange(0, 2).Draw(t, "reads") > 0 {
				continue
			}
			fold.Apply(c.Changes())
			if d := differ(all(c), fold.Items()); d != "" {
				t.Fatalf("the client has something else (-there is +it has):\n%s", d)
			}
		}
	})
}

// A client that has the newest page is sent what is new, and nothing of earlier pages; those
// bring the rest.
func TestPagesBringEverythingOnce(t *testing.T) {
	c := newConversation()
	add := func(n int) {
		turn := fmt.Sprintf("turn%d", n)
		c.Add(transcript.Update{TurnID: turn, Event: transcript.UserChunk{MessageID: fmt.Sprintf("m%d", n), Block: transcript.Block{Type: transcript.TextBlock, Text: "x"}}})
		c.Add(transcript.Update{TurnID: turn, Event: transcript.TurnEnded{StopReason: transcript.EndTurn}})
	}
	for n := range 10 {
		add(n)
	}
	page, earlier := c.Page(view.Page{Items: 4, Bytes: 1 << 20})
	if len(page) != 4 || !earlier || page[0].ID != "turn8" {
		t.Fatalf("the first page has %+v, earlier %v", page, earlier)
	}
	if l := c.Changes(); len(l) != 0 {
		t.Errorf("without news the client is sent %+v", l)
	}
	add(10)
	if l := c.Changes(); len(l) != 2 || l[0].Item.ID != "turn10" {
		t.Errorf("a new turn is %+v", l)
	}
	for earlier {
		var before []view.Item
		before, earlier = c.Page(view.Page{Before: page[0].ID, Items: 4, Bytes: 1 << 20})
		page = append(before, page...)
	}
	if len(page) != 20 || page[0].ID != "turn0" || page[19].ID != "m9" {
		t.Errorf("all pages have %d items", len(page))
	}
}

// A client that fetches earlier pages while the conversation goes on has of the items that it
// has what there is, whether or not all that has changed was sent before a page.
func TestPagesComeWhileItGoesOn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, c, twin := &events{t: t}, newConversation(), newConversation() // all of the twin can be looked at
		add := func() {
			g.fold(g.next(), c, twin)
		}
		for range rapid.IntRange(10, 60).Draw(t, "before") {
			add()
		}
		page := view.Page{Items: rapid.IntRange(1, 4).Draw(t, "items"), Bytes: 1 << 30, Bodies: true}
		items, earlier := c.Page(page)
		fold, first := viewtest.New(items), viewtest.First(items)
		for n := 0; earlier; n++ {
			add()
			if rapid.Bool().Draw(t, "reads") {
				fold.Apply(c.Changes())
			}
			if n > 60 || rapid.Bool().Draw(t, "fetches") {
				if _, there := c.Item(first); !there {
					return // it gets the view again
				}
				page.Before = first
				items, earlier = c.Page(page)
				fold.Earlier(items)
				first = viewtest.First(items)
			}
			if rapid.Bool().Draw(t, "looks") {
				fold.Apply(c.Changes())
				has := fold.Items()
				want := slices.DeleteFunc(all(twin), func(i view.Item) bool {
					return !slices.ContainsFunc(has, func(h view.Item) bool { return h.ID == i.ID })
				})
				if d := differ(want, has); d != "" {
					t.Fatalf("the client has something else (-there is +it has):\n%s", d)
				}
			}
		}
		fold.Apply(c.Changes())
		if d := differ(all(twin), fold.Items()); d != "" {
			t.Fatalf("with all pages the client has something else (-there is +it has):\n%s", d)
		}
	})
}

// What is loaded is what was shown, whatever chunks were merged and turns rewound on the
// way, and so is the status.
func TestIDsDoNotDependOnMerging(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, live, stored := &events{t: t}, newConversation(), newConversation()
		var records []transcript.Record
		for range rapid.IntRange(1, 80).Draw(t, "events") {
			u := g.next()
			live.Run(u.TurnID)
			live.Add(u)
			records = append(records, recordOf(u))
			if to := g.rewinds(); to != "" {
				live.Rewind(to)
				records = append(records, transcript.Record{At: u.At, Event: transcript.Rewound{TurnID: to}})
				if between, ok := g.redoes(); ok {
					for _, u := range between {
						live.Add(u)
						records = append(records, recordOf(u))
					}
					// What becomes of hunks is recorded meanwhile.
					records = append(records, transcript.Record{At: g.at, Event: transcript.Redone{TurnID: to}}, transcript.Record{At: g.at, Event: transcript.Decisions{}})
					live.Rewound(transcript.RedoneBy("s", records, 0))
				}
			}
		}
		updates, _ := transcript.UpdatesOf("s", records, 1)
		for _, u := range updates {
			stored.Add(u)
		}
		live.Run("")
		stored.Settle()
		if d := differ(all(live), all(stored)); d != "" {
			t.Fatalf("another conversation is loaded (-shown +loaded):\n%s", d)
		}
		if d := differ(live.Status(view.Standing{}), stored.Status(view.Standing{})); d != "" {
			t.Fatalf("another status is loaded (-shown +loaded):\n%s", d)
		}
	})
}
