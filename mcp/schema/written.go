package schema

import (
	"bytes"
	"encoding/json"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
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

// Restored returns a tool with its schema as it was written, if that is known, and else the
// tool itself.
func (w *Written) Restored(t *mcp.Tool) *mcp.Tool {
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
	if !bytes.Contains(text, []byte(`"inputSchema"`)) {
		return
	}
	var m struct {
		Result struct {
			Tools []struct {
				Name   string          `json:"name"`
				Schema json.RawMessage `json:"inputSchema"`
			} `json:"tools"`
		} `json:"result"`
	}
	if json.Unmarshal(text, &m) != nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, t := range m.Result.Tools {
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
