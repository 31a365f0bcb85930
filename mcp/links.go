package mcp

import (
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Limits of the links of one server.
const (
	maxLinks = 1000
	maxLink  = 2000 // bytes
)

// links collects the resource URIs in the results of a server's tools. A server
// need not list these resources.
type links struct {
	mu   sync.Mutex
	uris map[string]bool
}

// add adds the links of a result.
func (l *links) add(r *sdk.CallToolResult) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, piece := range r.Content {
		link, ok := piece.(*sdk.ResourceLink)
		if !ok || len(link.URI) > maxLink || len(l.uris) == maxLinks {
			continue
		}
		if l.uris == nil {
			l.uris = map[string]bool{}
		}
		l.uris[link.URI] = true
	}
}

func (l *links) contains(uri string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.uris[uri]
}

func (l *links) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.uris)
}
