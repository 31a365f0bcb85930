// Package chat serves sessions: their requests, the turns that prompts begin,
// the queue, what a turn shows as progress and as updates. The agent owns the
// sessions and decides the order of their turns.
package chat

import (
	"github.com/emendo-dev/emendo/acp"
	"github.com/emendo-dev/emendo/lsp/client"
)

// Options have what the sessions of a server need of it.
type Options struct {
	Client  *client.Client
	Host    *client.Lazy
	Folders *client.Folders
	Models  []client.ModelInfo
	// Documents shows the conversations to users without emendo's panel.
	Documents Documents
}

// Chat has the handlers of a server that deal with sessions.
type Chat struct {
	Current  *Current
	Sessions *Sessions
	Turns    *Turns
	Queue    *Queue
	Models   *Models
	Rules    *Rules
	Infos    *Infos
}

// New returns the handlers.
func New(o Options) *Chat {
	current := &Current{}
	running := &running{}
	infos := &Infos{c: o.Client, host: o.Host, running: running, calls: map[string]map[string]bool{}, questions: map[string]int{}, sent: map[string]acp.SessionInfo{}}
	sessions := &Sessions{c: o.Client, host: o.Host, folders: o.Folders, current: current, running: running, infos: infos}
	queue := &Queue{c: o.Client, host: o.Host, sent: map[string]string{}}
	return &Chat{
		Current: current, Sessions: sessions, Queue: queue, Models: &Models{o.Client, o.Host, o.Models}, Rules: &Rules{o.Host, o.Folders}, Infos: infos,
		Turns: &Turns{
			c: o.Client, host: o.Host, folders: o.Folders, current: current, running: running, sessions: sessions, infos: infos, queue: queue,
			documents: o.Documents,
			live:      liveOutput{sent: map[liveCall]string{}},
		},
	}
}
