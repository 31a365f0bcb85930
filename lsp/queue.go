package lsp

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/emendo-dev/emendo/acp"
	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/internal/rpc"
)

// queues are what the client was told of the prompts that wait.
type queues struct {
	mu   sync.Mutex // held while one is told, so that the newest is told last
	told map[string]string
}

// queue is what waits in a session.
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

func (s *server) listQueue(ctx context.Context, p sessionParams) (any, error) {
	ses, err := s.session(ctx, p.SessionID)
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

// editQueue changes a prompt that waits, and has the queue go on when asked to.
func (s *server) editQueue(ctx context.Context, p editQueueParams) (any, error) {
	if p.TurnID == "" && !p.Resume {
		return nil, need(p.TurnID, "turnId")
	}
	e := agent.QueueEdit{TurnID: p.TurnID, MessageID: p.MessageID, Position: p.Position, Remove: p.Remove}
	if p.Prompt != nil {
		blocks, err := acp.Blocks(p.Prompt)
		if err != nil {
			return nil, rpc.Errorf(rpc.InvalidParams, "%v", err)
		}
		e.Blocks = blocks
	}
	ses, err := s.session(ctx, p.SessionID)
	if err != nil {
		return nil, err
	}
	if p.TurnID != "" {
		if err := ses.EditQueue(e); err != nil {
			return nil, err
		}
	}
	if p.Resume {
		ses.ResumeQueue()
	}
	s.tellQueue(ses)
	return queueOf(ses), nil
}

// queueUpdate is a session's update that is no part of its history: it has no
// number.
type queueUpdate struct {
	SessionID string          `json:"sessionId"`
	Update    queueUpdateKind `json:"update"`
}

type queueUpdateKind struct {
	Kind string `json:"sessionUpdate"`
	queue
}

// tellQueue tells a client that shows the queue what waits now, when that has
// changed.
func (s *server) tellQueue(ses *agent.Session) {
	if ses == nil || !s.can.queue || !s.can.session {
		return
	}
	s.queues.mu.Lock()
	defer s.queues.mu.Unlock()
	q := queueOf(ses)
	now, err := json.Marshal(q)
	if err != nil {
		s.log.Error("the queue is not told", "session", ses.ID(), "error", err)
		return
	}
	before, known := s.queues.told[ses.ID()]
	if string(now) == before || !known && len(q.Items) == 0 {
		return
	}
	if s.queues.told == nil {
		s.queues.told = map[string]string{}
	}
	s.queues.told[ses.ID()] = string(now)
	if len(q.Items) == 0 {
		delete(s.queues.told, ses.ID())
	}
	s.notify(s.life, "emendo/session/update", queueUpdate{ses.ID(), queueUpdateKind{"_emendo/queue", q}})
}
