package policy

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// arguments are a call's arguments as rules see them: JSON with its names in
// order and nothing between its tokens, each pair at the top between two NULs,
// so that an expression can be bound to one argument.
func arguments(args json.RawMessage) string {
	v := jsontext.Value(bytes.Clone(args))
	if len(v) == 0 {
		v = jsontext.Value("{}")
	}
	if err := v.Canonicalize(); err != nil || v.Kind() != '{' {
		return string(args) // no tool takes these
	}
	var b strings.Builder
	d := jsontext.NewDecoder(bytes.NewReader(v))
	if _, err := d.ReadToken(); err != nil {
		return string(v)
	}
	b.WriteByte('{')
	for d.PeekKind() == '"' {
		name, err := d.ReadValue()
		if err != nil {
			return string(v)
		}
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		b.WriteByte(0)
		b.Write(name)
		b.WriteByte(':')
		value, err := d.ReadValue()
		if err != nil {
			return string(v)
		}
		b.Write(value)
		b.WriteByte(0)
	}
	b.WriteByte('}')
	return b.String()
}

// withCommand are the arguments of a command with another text in its place.
func withCommand(args json.RawMessage, text string) json.RawMessage {
	var all map[string]json.RawMessage
	if json.Unmarshal(args, &all) != nil || all == nil {
		all = map[string]json.RawMessage{}
	}
	quoted, err := jsontext.AppendQuote(nil, text)
	if err != nil {
		return args // what is no Unicode is decided as a whole
	}
	all["command"] = quoted
	out, err := json.Marshal(all)
	if err != nil {
		return args
	}
	return out
}
