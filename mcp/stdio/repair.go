package stdio

import (
	"bytes"
	"encoding/json"
	"slices"
)

// repairedMessage returns a message, repaired where the server's result is not what the
// protocol says and what it means is plain.
func repairedMessage(text []byte) []byte {
	var members map[string]json.RawMessage
	if !bytes.Contains(text, []byte(`"result"`)) || json.Unmarshal(text, &members) != nil || members["result"] == nil {
		return text
	}
	result := repaired(members["result"])
	if bytes.Equal(result, members["result"]) {
		return text
	}
	members["result"] = result
	return marshal(members)
}

// kinds are the types of content that the SDK knows.
var kinds = []string{"text", "image", "audio", "resource_link", "resource", "tool_use", "tool_result"}

// repaired returns a result with text in place of content that is a bare value or of an
// unknown type.
func repaired(result json.RawMessage) json.RawMessage {
	if text, ok := bareValue(result); ok {
		return marshal(map[string]any{"content": []any{textOf(text)}})
	}
	if !bytes.Contains(result, []byte(`"content"`)) {
		return result
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(result, &members) != nil || members["content"] == nil {
		return result
	}
	var list []json.RawMessage
	changed := false
	if json.Unmarshal(members["content"], &list) != nil { // one piece without its list
		list, changed = []json.RawMessage{members["content"]}, true
	}
	pieces := []json.RawMessage{}
	for _, p := range list {
		var of struct {
			Type string  `json:"type"`
			Text *string `json:"text"`
		}
		text, isBare := bareValue(p)
		switch {
		case string(bytes.TrimSpace(p)) == "null":
			changed = true
			continue
		case isBare:
		case json.Unmarshal(p, &of) == nil && slices.Contains(kinds, of.Type):
			pieces = append(pieces, p)
			continue
		case of.Text != nil:
			text = *of.Text
		default:
			text = string(p)
		}
		pieces, changed = append(pieces, marshal(textOf(text))), true
	}
	if !changed {
		return result
	}
	members["content"] = marshal(pieces)
	return marshal(members)
}

// bareValue returns a string as it is, and a number or a truth value as JSON; false for other
// values.
func bareValue(v json.RawMessage) (string, bool) {
	v = bytes.TrimSpace(v)
	if len(v) == 0 || bytes.ContainsAny(v[:1], `{[n`) {
		return "", false
	}
	var s string
	if json.Unmarshal(v, &s) == nil {
		return s, true
	}
	return string(v), json.Valid(v)
}

func textOf(text string) map[string]string { return map[string]string{"type": "text", "text": text} }

func marshal(v any) json.RawMessage {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // of strings and of what was read from JSON
	}
	return text
}
