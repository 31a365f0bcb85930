// Package chat serves sessions: their requests, the turns that prompts begin,
// the queue, what a turn shows as progress and as updates. The agent owns the
// sessions and decides the order of their turns.
package chat

import (
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/lsp/client"
)

// Chat has the handlers of a server that deal with sessions.
type Chat struct {
	Current  *Current
	Sessions *Sessions
	Turns    *Turns
	Queue    *Queue
	Infos    *Infos
}

// New returns the handlers for a client that can choose among models. The documents show
// conversations to users without emendo's panel.
func New(c *client.Client, models []client.ModelInfo, documents Documents) *Chat {
	current := &Current{}
	running := &running{}
	infos := &Infos{c: c, running: running, calls: map[string]map[string]bool{}, questions: map[string]int{}, ended: map[string]transcript.StopReason{}, sent: map[string]Listed{}}
	sessions := &Sessions{c: c, current: current, running: running, infos: infos, models: models}
	queue := &Queue{c: c, sent: map[string]string{}, moves: map[string]int64{}}
	return &Chat{
		Current: current, Sessions: sessions, Queue: queue, Infos: infos,
		Turns: &Turns{
			c: c, current: current, running: running, sessions: sessions, infos: infos, queue: queue,
			documents: documents,
			live:      liveOutput{sent: map[liveCall]string{}},
		},
	}
}
