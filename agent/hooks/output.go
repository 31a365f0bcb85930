package hooks

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Decision is a hook's decision about what is about to happen.
type Decision string

// The decisions. Block and Deny mean the same, and so do Approve and Allow,
// which do not lift a restriction.
const (
	Ask     Decision = "ask"
	Block   Decision = "block"
	Deny    Decision = "deny"
	Approve Decision = "approve"
	Allow   Decision = "allow"
)

// Output is the output of one hook, or the merged output of all hooks of an
// event.
type Output struct {
	Continue *bool // false: end the turn
	// StopReason, SystemMessage and Reason may be empty.
	StopReason, SystemMessage, Reason string
	Suppress                          bool // do not show the message to the user
	Warns                             bool // the message is a warning
	Decision                          Decision
	Specific                          map[string]json.RawMessage // fields that only this event has
}

// Stops reports whether the turn must end.
func (o Output) Stops() bool { return o.Continue != nil && !*o.Continue }

// Blocks reports whether what is about to happen must not happen.
func (o Output) Blocks() bool { return o.Decision == Block || o.Decision == Deny }

// Asks reports whether the user must be asked.
func (o Output) Asks() bool { return o.Decision == Ask }

// Why returns the reason for stopping or blocking.
func (o Output) Why() string {
	return cmp.Or(o.StopReason, o.Reason, "A hook decided this without giving a reason.")
}

// Message returns the text to show to the user; it may be empty.
func (o Output) Message() string {
	if o.Suppress {
		return ""
	}
	return o.SystemMessage
}

// Context returns additional context for the model; it may be empty.
func (o Output) Context() string {
	var s string
	_ = json.Unmarshal(o.Specific["additionalContext"], &s) // ignore anything but a string
	return s
}

// ToolInput returns the changes to a call's arguments, an object.
func (o Output) ToolInput() (json.RawMessage, bool) { return o.object("tool_input") }

// Args returns a call's arguments with the hooks' changes, and the sorted names
// of those that changed.
func (o Output) Args(have json.RawMessage) (args json.RawMessage, changed []string) {
	over, ok := o.ToolInput()
	before, after := map[string]json.RawMessage{}, map[string]json.RawMessage{}
	if !ok || json.Unmarshal(have, &before) != nil {
		return have, nil
	}
	args = merged(have, over)
	if json.Unmarshal(args, &after) != nil {
		return have, nil
	}
	for _, name := range slices.Sorted(maps.Keys(after)) {
		if old, ok := before[name]; !ok || !equalJSON(old, after[name]) {
			changed = append(changed, name)
		}
	}
	if len(changed) == 0 {
		return have, nil
	}
	return args, changed
}

// equalJSON reports whether two JSON values are equal: a hook that echoes its input
// may change spaces and escapes.
func equalJSON(a, b json.RawMessage) bool {
	var values [2]any
	for i, raw := range []json.RawMessage{a, b} {
		d := json.NewDecoder(bytes.NewReader(raw))
		d.UseNumber()
		if d.Decode(&values[i]) != nil {
			return false
		}
	}
	return reflect.DeepEqual(values[0], values[1])
}

// ToolOutput returns a replacement for the output of a call that the model
// sees.
func (o Output) ToolOutput() (string, bool) {
	raw, ok := o.Specific["tool_output"]
	var s string
	return s, ok && json.Unmarshal(raw, &s) == nil && !bytes.Equal(bytes.TrimSpace(raw), []byte("null"))
}

// ClearsContext reports whether the conversation so far must be forgotten.
func (o Output) ClearsContext() bool {
	var b bool
	return json.Unmarshal(o.Specific["clearContext"], &b) == nil && b
}

// TailCall is another call whose result replaces that of the first one.
type TailCall struct {
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"`
}

// Tail returns the call to make after this one.
func (o Output) Tail() (TailCall, bool) {
	raw, ok := o.object("tailToolCallRequest")
	var t TailCall
	if !ok || json.Unmarshal(raw, &t) != nil || t.Name == "" {
		return TailCall{}, false
	}
	if !isObject(t.Args) {
		t.Args = json.RawMessage("{}")
	}
	return t, true
}

// object returns a specific field that is an object.
func (o Output) object(name string) (json.RawMessage, bool) {
	raw := o.Specific[name]
	return raw, isObject(raw)
}

func isObject(raw json.RawMessage) bool {
	return bytes.HasPrefix(bytes.TrimSpace(raw), []byte("{"))
}

// parse parses the output of a hook, and returns nil if there is none. A JSON
// object counts whatever the exit code was. For other text, exit code 0 makes
// it a message, 1 a warning, and any other a refusal with that reason.
// Malformed JSON is taken as text, and the user is warned, since the hook
// intended something else.
func parse(stdout, stderr string, code int) *Output {
	text := strings.TrimSpace(strings.ToValidUTF8(cmp.Or(strings.TrimSpace(stdout), stderr), "\uFFFD"))
	if text == "" {
		return nil
	}
	raw := json.RawMessage(text)
	for range 2 { // a JSON string may contain JSON
		var inner string
		if bytes.HasPrefix(raw, []byte(`"`)) && json.Unmarshal(raw, &inner) == nil {
			raw = bytes.TrimSpace([]byte(inner))
		}
	}
	if isObject(raw) {
		if o, ok := read(raw); ok {
			return &o
		}
	} else if json.Valid(raw) && !bytes.HasPrefix(raw, []byte(`"`)) {
		return nil // ignore a number, a list or the like
	}
	switch code {
	case 0:
		return &Output{Decision: Allow, SystemMessage: text, Warns: isObject(raw)}
	case 1:
		return &Output{Decision: Allow, SystemMessage: "Warning: " + text, Warns: true}
	}
	return &Output{Decision: Deny, Reason: text}
}

// read reads the fields of an object and ignores those of the wrong type.
func read(raw json.RawMessage) (Output, bool) {
	fields := map[string]json.RawMessage{}
	if json.Unmarshal(raw, &fields) != nil {
		return Output{}, false
	}
	var o Output
	pick(fields, "continue", &o.Continue)
	pick(fields, "stopReason", &o.StopReason)
	pick(fields, "suppressOutput", &o.Suppress)
	pick(fields, "systemMessage", &o.SystemMessage)
	pick(fields, "decision", &o.Decision)
	pick(fields, "reason", &o.Reason)
	pick(fields, "hookSpecificOutput", &o.Specific)
	return o, true
}

func pick[T any](fields map[string]json.RawMessage, name string, to *T) {
	var v T
	if raw, ok := fields[name]; ok && json.Unmarshal(raw, &v) == nil {
		*to = v
	}
}
