package chat

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/emendo-dev/emendo/acp"
	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/lsp/client"
)

// Queue shows and changes the queued prompts of sessions.
type Queue struct {
	c *client.Client

	mu   sync.Mutex        // held while one is sent, so that the newest is sent last
	sent map[string]string // what the client was sent last, by session

	moves map[string]int64 // how often the queue may have changed, by session; guarded by mu
}

// queue is the wire form of a session's queue.
type queue struct {
	Items  []queueItem `json:"items"`
	Paused bool        `json:"paused,omitzero"`
}

type queueItem struct {
	TurnID    string            `json:"turnId"`
	MessageID string            `json:"messageId"`
	How       agent.How         `json:"how"`
	Prompt    []json.RawMessage `json:"prompt"`
}

func queueOf(ses *agent.Session) queue {
	l, paused := ses.Queue()
	q := queue{Items: make([]queueItem, len(l)), Paused: paused}
	for i, w := range l {
		q.Items[i] = queueItem{w.TurnID, w.MessageID, w.How, acp.Contents(w.Blocks)}
	}
	return q
}

// List answers emendo/session/queue.
func (q *Queue) List(ctx context.Context, p sessionParams) (any, error) {
	ses, err := q.c.Host.Session(ctx, p.SessionID)
	if err != nil {
		return nil, err
	}
	return queueOf(ses), nil
}

type editQueueParams struct {
	SessionID string            `json:"sessionId"`
	TurnID    string            `json:"turnId"`
	MessageID string            `json:"messageId"`
	Prompt    []json.RawMessage `json:"prompt"`
	Position  *int              `json:"position"`
	Remove    bool              `json:"remove"`
	Resume    bool              `json:"resume"`
}

// Edit answers emendo/session/editQueue: it changes or removes a queued prompt,
// or resumes the queue.
func (q *Queue) Edit(ctx context.Context, p editQueueParams) (any, error) {
	if p.TurnID == "" && !p.Resume {
		return nil, client.Require(p.TurnID, "turnId")
	}
	e := agent.QueueEdit{TurnID: p.TurnID, MessageID: p.MessageID, Position: p.Position, Remove: p.Remove}
	if p.Prompt != nil {
		blocks, err := acp.Blocks(p.Prompt)
		if err != nil {
			return nil, client.Invalid("%v", err)
		}
		e.Blocks = blocks
	}
	ses, err := q.c.Host.Session(ctx, p.SessionID)
	if err != nil {
		return nil, err
	}
	if p.TurnID != "" {
		if err := q.Change(ses, e); err != nil {
			return nil, err
		}
	}
	if p.Resume {
		q.Resume(ses)
	}
	return queueOf(ses), nil
}

// Change changes a queued prompt of a session.
func (q *Queue) Change(ses *agent.Session, e agent.QueueEdit) error {
	err := ses.EditQueue(e)
	q.sendIfChanged(ses)
	return err
}

// Resume has a queue run again that waited for the user.
func (q *Queue) Resume(ses *agent.Session) {
	ses.ResumeQueue()
	q.sendIfChanged(ses)
}

// queueUpdate is an update that is not part of the session's history and has no
// number.
type queueUpdate struct {
	SessionID string          `json:"sessionId"`
	Update    queueUpdateKind `json:"update"`
}

type queueUpdateKind struct {
	Kind string `json:"sessionUpdate"`
	queue
}

// sendAgain sends the queue of a session that was loaded, even if the client has been
// sent it: what shows the session now may not have it.
func (q *Queue) sendAgain(ses *agent.Session) {
	q.mu.Lock()
	if _, known := q.sent[ses.ID()]; known {
		q.sent[ses.ID()] = ""
	}
	q.mu.Unlock()
	q.sendIfChanged(ses)
}

// Moves returns how often the queue of a session may have changed.
func (q *Queue) Moves(sessionID string) int64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.moves[sessionID]
}

// sendIfChanged sends the queue of a session to a client that shows it, if it has changed.
func (q *Queue) sendIfChanged(ses *agent.Session) {
	if ses != nil && q.c.Can.View {
		q.mu.Lock()
		q.moves[ses.ID()]++
		q.mu.Unlock()
		q.c.Touch()
	}
	if ses == nil || !q.c.Can.Queue || !q.c.Can.Updates() {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	now := queueOf(ses)
	encoded, err := json.Marshal(now)
	if err != nil {
		q.c.Log.Error("queue not sent", "session", ses.ID(), "error", err)
		return
	}
	before, known := q.sent[ses.ID()]
	if string(encoded) == before || !known && len(now.Items) == 0 {
		return
	}
	q.sent[ses.ID()] = string(encoded)
	if len(now.Items) == 0 {
		delete(q.sent, ses.ID())
	}
	q.c.Notify(q.c.Life(), "emendo/session/update", queueUpdate{ses.ID(), queueUpdateKind{"_emendo/queue", now}})
}
