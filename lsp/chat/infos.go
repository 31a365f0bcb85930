package chat

import (
	"reflect"
	"slices"
	"sync"

	"github.com/emendo-dev/emendo/acp"
	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide/ledger"
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

	sent map[string]acp.SessionInfo // owned by the announcer's goroutine
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
	n := 0
	for _, cs := range h.Ledger.List(id, "", ledger.Pending) {
		n += len(cs.Waiting())
	}
	return n
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
		return true
	case transcript.InfoChanged, transcript.ModeChanged, transcript.ModelChanged, transcript.Rewound:
		return true
	}
	return false
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
		now := i.Describe(ses.Info())
		if before, known := i.sent[now.SessionID]; reflect.DeepEqual(now, before) || !known && now.Turns == 0 && now.Status == acp.SessionIdle {
			continue // lists do not have one that was never prompted
		}
		i.sent[now.SessionID] = now
		i.c.Notify(i.c.Life(), "emendo/sessions/didChange", OneSession{now})
	}
	for id := range i.sent {
		if !open[id] {
			delete(i.sent, id)
		}
	}
}
