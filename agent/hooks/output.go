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

// Decision is what a hook says of what is about to happen.
type Decision string

// The decisions. Block and Deny are one, and so are Approve and Allow, which
// lift nothing that others decided.
const (
	Ask     Decision = "ask"
	Block   Decision = "block"
	Deny    Decision = "deny"
	Approve Decision = "approve"
	Allow   Decision = "allow"
)

// Output is what a hook says, or what all hooks of an event say together.
type Output struct {
	Continue *bool // false: everything stops
	// StopReason, SystemMessage and Reason are empty where nothing was said.
	StopReason, SystemMessage, Reason string
	Suppress                          bool // the user is not shown the message
	Warns                             bool // the message is a warning
	Decision                          Decision
	Specific                          map[string]json.RawMessage // what only this event knows
}

// Stops says that the turn is to end.
func (o Output) Stops() bool { return o.Continue != nil && !*o.Continue }

// Blocks says that what is about to happen must not.
func (o Output) Blocks() bool { return o.Decision == Block || o.Decision == Deny }

// Asks says that the user is to be asked.
func (o Output) Asks() bool { return o.Decision == Ask }

// Why is the reason for stopping or blocking.
func (o Output) Why() string {
	switch {
	case o.StopReason != "":
		return o.StopReason
	case o.Reason != "":
		return o.Reason
	}
	return "A hook decided so and gave no reason."
}

// Message is what the user is to be shown; empty when nothing is.
func (o Output) Message() string {
	if o.Suppress {
		return ""
	}
	return o.SystemMessage
}

// Context is what the model is to be told besides; empty when nothing is.
func (o Output) Context() string {
	var s string
	_ = json.Unmarshal(o.Specific["additionalContext"], &s) // anything but a string is nothing
	return s
}

// ToolInput is what of a call's arguments is to be another, an object.
func (o Output) ToolInput() (json.RawMessage, bool) { return o.object("tool_input") }

// Args are a call's arguments as the hooks want them, with the names of those
// that are another now, sorted.
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
		if old, ok := before[name]; !ok || !same(old, after[name]) {
			changed = append(changed, name)
		}
	}
	if len(changed) == 0 {
		return have, nil
	}
	return args, changed
}

// same reports whether two JSON values are alike, however they are written: a hook
// that writes back what it was told has its own way with blanks and escapes.
func same(a, b json.RawMessage) bool {
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

// ToolOutput is what the model is to read in place of a call's output.
func (o Output) ToolOutput() (string, bool) {
	raw, ok := o.Specific["tool_output"]
	var s string
	return s, ok && json.Unmarshal(raw, &s) == nil && !bytes.Equal(bytes.TrimSpace(raw), []byte("null"))
}

// ClearsContext says that the conversation so far is to be forgotten.
func (o Output) ClearsContext() bool {
	var b bool
	return json.Unmarshal(o.Specific["clearContext"], &b) == nil && b
}

// TailCall is another call whose result is to stand for the one that was made.
type TailCall struct {
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"`
}

// Tail is the call to make behind this one.
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

// object is a specific field that is an object.
func (o Output) object(name string) (json.RawMessage, bool) {
	raw := o.Specific[name]
	return raw, isObject(raw)
}

func isObject(raw json.RawMessage) bool {
	return bytes.HasPrefix(bytes.TrimSpace(raw), []byte("{"))
}

// parse reads what a hook wrote; nil when it said nothing. A JSON object counts
// whatever the exit status was; words count by it: 0 is a message, 1 a warning,
// everything else a refusal with its reason. What was to be an object and is none
// is words, and the user warned: the hook wanted something else.
func parse(stdout, stderr string, code int) *Output {
	text := strings.TrimSpace(strings.ToValidUTF8(cmp.Or(strings.TrimSpace(stdout), stderr), "\uFFFD"))
	if text == "" {
		return nil
	}
	raw := json.RawMessage(text)
	for range 2 { // a string of JSON is JSON
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
		return nil // a number, a list or the like says nothing
	}
	switch code {
	case 0:
		return &Output{Decision: Allow, SystemMessage: text, Warns: isObject(raw)}
	case 1:
		return &Output{Decision: Allow, SystemMessage: "Warning: " + text, Warns: true}
	}
	return &Output{Decision: Deny, Reason: text}
}

// read takes an object's fields; one of the wrong type says nothing.
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
