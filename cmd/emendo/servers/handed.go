package servers

import (
	"fmt"
	"sync"

	"github.com/emendo-dev/emendo/acp"
	"github.com/emendo-dev/emendo/mcp/config"
)

// Handed are the MCP servers that an ACP client hands over, by session.
type Handed struct {
	Folder string // where they start

	bySession sync.Map // of []config.Server
}

// Set sets the servers of a session.
func (h *Handed) Set(sessionID string, l []acp.MCPServer) {
	servers := make([]config.Server, len(l))
	for i, s := range l {
		servers[i] = config.OfClient(handedServer(s), h.Folder)
	}
	h.bySession.Store(sessionID, servers)
}

// Of returns the servers of a session.
func (h *Handed) Of(sessionID string) []config.Server {
	l, _ := h.bySession.Load(sessionID)
	servers, _ := l.([]config.Server)
	return servers
}

func handedServer(s acp.MCPServer) config.Server {
	table := func(l []acp.Named) map[string]string {
		m := map[string]string{}
		for _, n := range l {
			m[n.Name] = n.Value
		}
		return m
	}
	switch s.Type {
	case "", "stdio":
		return config.Server{Name: s.Name, Transport: config.Stdio, Command: s.Command, Args: s.Args, Env: table(s.Env)}
	case "http":
		return config.Server{Name: s.Name, Transport: config.HTTP, URL: s.URL, Headers: table(s.Headers)}
	case "sse":
		return config.Server{Name: s.Name, Transport: config.SSE, URL: s.URL, Headers: table(s.Headers)}
	}
	panic(fmt.Sprintf("the transport %q was not checked", s.Type))
}
