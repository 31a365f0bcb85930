package chat

import (
	"maps"
	"reflect"
	"slices"
	"sync"

	"github.com/emendo-dev/emendo/acp"
	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/lsp/client"
)

// Infos describes sessions to the client, and sends one that lists them what
// changes. What a session does now is known for those of this process only.
type Infos struct {
	c       *client.Client
	running *running

	mu        sync.Mutex
	calls     map[string]map[string]bool // the calls that wait for the user, by session
	questions map[string]int             // the open questions and questionnaires, by session

	ended map[string]transcript.StopReason // of the last turn, by session, until it is news

	sent map[string]Listed // owned by the announcer's goroutine
}

// Listed is a session as a list has it.
type Listed struct {
	acp.SessionInfo
	view.Entry // for clients that draw
}

// Describe returns the description of a session. A client that did not declare
// `sessions`, and draws no views, gets no status.
func (i *Infos) Describe(s transcript.SessionInfo) acp.SessionInfo {
	info := acp.SessionInfoOf(s)
	if i.c.Can.Sessions || i.c.Can.View {
		info.Status, info.PendingHunks = i.status(s.ID), new(i.pendingHunks(s.ID))
	}
	if h := i.c.Host.Current(); h != nil && slices.ContainsFunc(h.Agent.Open(), func(o *agent.Session) bool { return o.ID() == s.ID }) {
		info.UnreviewedHunks = new(h.Ledger.Unreviewed(s.ID))
	}
	return info
}

// describe returns a session as a list has it.
func (i *Infos) describe(s transcript.SessionInfo) Listed {
	l := Listed{SessionInfo: i.Describe(s)}
	if i.c.Can.View {
		l.Entry = view.SessionEntry(i.listed(s, *l.PendingHunks))
	}
	return l
}

// InList says how a session stands.
func (i *Infos) InList(s transcript.SessionInfo) view.ListedSession {
	return i.listed(s, i.pendingHunks(s.ID))
}

// listed is InList of a session with so many pending hunks.
func (i *Infos) listed(s transcript.SessionInfo, pending int) view.ListedSession {
	status := i.status(s.ID)
	return view.ListedSession{
		Title: s.Title, Turns: s.Turns, Pending: pending,
		Runs: status != acp.SessionIdle, Waits: status == acp.SessionWaiting,
	}
}

// newsOf says of a session, once, that it waits for the user, or ended otherwise than by them.
func (i *Infos) newsOf(s transcript.SessionInfo, before, now Listed) *view.Text {
	if !i.c.Can.View {
		return nil
	}
	if now.Status == acp.SessionWaiting && before.Status != acp.SessionWaiting {
		return view.WaitNews(i.InList(s))
	}
	i.mu.Lock()
	why, ended := i.ended[s.ID]
	if now.Status == acp.SessionIdle {
		delete(i.ended, s.ID) // else a turn of the queue follows
	}
	i.mu.Unlock()
	if !ended || now.Status != acp.SessionIdle {
		return nil
	}
	return view.EndNews(s.Title, why)
}

func (i *Infos) status(id string) acp.SessionStatus {
	i.mu.Lock()
	waits := len(i.calls[id]) > 0 || i.questions[id] > 0
	i.mu.Unlock()
	switch {
	case !i.running.anyUnpaused(id):
		return acp.SessionIdle
	case waits:
		return acp.SessionWaiting
	}
	return acp.SessionRunning
}

// Waiting notes that a session waits for an answer of the user until end is called.
func (i *Infos) Waiting(sessionID string) (end func()) {
	count := func(by int) {
		i.mu.Lock()
		if i.questions[sessionID] += by; i.questions[sessionID] == 0 {
			delete(i.questions, sessionID)
		}
		i.mu.Unlock()
		i.c.Touch()
	}
	count(1)
	return func() { count(-1) }
}

func (i *Infos) pendingHunks(id string) int {
	h := i.c.Host.Current()
	if h == nil {
		return 0
	}
	return h.Ledger.Waiting(id)
}

// follow notes whether a call waits for the user. It reports whether that has
// changed.
func (i *Infos) follow(u transcript.Update) bool {
	if u.Replay {
		return false
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	switch e := u.Event.(type) { //nolint:gochecksumtype // the others are not about waiting
	case transcript.ToolUpdate:
		waits := e.State == transcript.AwaitingApproval || e.State == transcript.AwaitingReview
		if waits == i.calls[u.SessionID][e.CallID] {
			return false
		}
		if i.calls[u.SessionID] == nil {
			i.calls[u.SessionID] = map[string]bool{}
		}
		if waits {
			i.calls[u.SessionID][e.CallID] = true
		} else {
			delete(i.calls[u.SessionID], e.CallID)
		}
		return true
	case transcript.TurnEnded:
		delete(i.calls, u.SessionID)
		i.ended[u.SessionID] = e.StopReason
		return true
	case transcript.InfoChanged, transcript.ModeChanged, transcript.ModelChanged, transcript.Rewound:
		return true
	}
	return false
}

// sessionChange are the params of emendo/sessions/didChange.
type sessionChange struct {
	Session Listed     `json:"session"`
	News    *view.Text `json:"news,omitzero"`
}

// SendChanged sends the descriptions that have changed since they were sent. It is
// called on the announcer's goroutine alone.
func (i *Infos) SendChanged() {
	h := i.c.Host.Current()
	if h == nil || !i.c.Can.Sessions {
		return
	}
	open := map[string]bool{}
	for _, ses := range h.Agent.Open() {
		open[ses.ID()] = true
		now := i.describe(ses.Info())
		before, known := i.sent[now.SessionID]
		news := i.newsOf(ses.Info(), before, now)
		if news == nil && (reflect.DeepEqual(now, before) || !known && now.Turns == 0 && now.Status == acp.SessionIdle) {
			continue // lists do not have one that was never prompted
		}
		i.sent[now.SessionID] = now
		i.c.Notify(i.c.Life(), "emendo/sessions/didChange", sessionChange{now, news})
	}
	for id := range i.sent {
		if !open[id] {
			delete(i.sent, id)
		}
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	maps.DeleteFunc(i.ended, func(id string, _ transcript.StopReason) bool { return !open[id] })
}
