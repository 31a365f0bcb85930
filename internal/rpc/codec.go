package rpc

import (
	"bytes"
	"encoding/json"
	"slices"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// A codec encodes and decodes params and results by the rules of
// [protocol.Marshal]: a nil slice is [], and LSP's unions are supported. Raw JSON
// passes through unchanged.
type codec struct{ framing Framing }

// Marshal returns v as JSON.
func (c codec) Marshal(v any) ([]byte, error) {
	switch raw := v.(type) {
	case json.RawMessage:
		return c.inOneLine(raw)
	case jsonrpc2.RawMessage:
		return c.inOneLine(raw)
	default:
		return protocol.Marshal(v)
	}
}

// Unmarshal decodes data into v, which keeps no part of data.
func (c codec) Unmarshal(data []byte, v any) error {
	switch raw := v.(type) {
	case *json.RawMessage:
		*raw = slices.Clone(data)
		return nil
	case *jsonrpc2.RawMessage:
		*raw = slices.Clone(data)
		return nil
	default:
		return protocol.Unmarshal(data, v)
	}
}

// inOneLine makes raw JSON fit the framing: where a line is a message, a line break
// between tokens would cut the message in two.
func (c codec) inOneLine(raw []byte) ([]byte, error) {
	if len(raw) == 0 {
		return []byte("null"), nil
	}
	if c.framing != Newline || bytes.IndexByte(raw, '\n') < 0 {
		return raw, nil
	}
	var line bytes.Buffer
	if err := json.Compact(&line, raw); err != nil {
		return nil, err
	}
	return line.Bytes(), nil
}
