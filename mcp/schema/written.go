package schema

import (
	"bytes"
	"context"
	"encoding/json"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Limits of what is kept of one server.
const (
	maxWritten = 1_024     // schemas
	maxBytes   = 256 << 10 // of one schema
)

// Written keeps the schemas of tools' arguments as a server wrote them: the SDK loses the
// order of their members. It is safe for use by several goroutines.
type Written struct {
	mu sync.Mutex
	of map[string]json.RawMessage // by the name of the tool
}

// Forget forgets all schemas.
func (w *Written) Forget() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.of = nil
}

// Like returns a tool with its schema as it was written, if that is known, and else the
// tool itself.
func (w *Written) Like(t *mcp.Tool) *mcp.Tool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if t == nil || w.of[t.Name] == nil {
		return t
	}
	own := *t
	own.InputSchema = w.of[t.Name]
	return &own
}

// Message keeps the schemas in a message, if it is an answer with tools.
func (w *Written) Message(text []byte) {
	var m struct {
		Result json.RawMessage `json:"result"`
	}
	if json.Unmarshal(text, &m) == nil {
		w.result(m.Result)
	}
}

func (w *Written) result(text json.RawMessage) {
	if !bytes.Contains(text, []byte(`"inputSchema"`)) {
		return
	}
	var r struct {
		Tools []struct {
			Name   string          `json:"name"`
			Schema json.RawMessage `json:"inputSchema"`
		} `json:"tools"`
	}
	if json.Unmarshal(text, &r) != nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, t := range r.Tools {
		delete(w.of, t.Name)
		if len(t.Schema) > maxBytes || len(w.of) >= maxWritten || !jsontext.Value(t.Schema).IsValid() {
			continue
		}
		if w.of == nil {
			w.of = map[string]json.RawMessage{}
		}
		w.of[t.Name] = t.Schema
	}
}

// Noting returns a transport whose messages w keeps. It is not for streamable HTTP, whose
// connection the SDK must know.
func (w *Written) Noting(t mcp.Transport) mcp.Transport { return noting{t, w} }

type noting struct {
	mcp.Transport

	written *Written
}

// Connect implements [mcp.Transport].
func (t noting) Connect(ctx context.Context) (mcp.Connection, error) {
	c, err := t.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return connection{c, t.written}, nil
}

type connection struct {
	mcp.Connection

	written *Written
}

// Read implements [mcp.Connection].
func (c connection) Read(ctx context.Context) (jsonrpc.Message, error) {
	m, err := c.Connection.Read(ctx)
	if r, ok := m.(*jsonrpc.Response); ok && r != nil && r.Error == nil {
		c.written.result(r.Result)
	}
	return m, err
}
