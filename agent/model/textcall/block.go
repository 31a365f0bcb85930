package textcall

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/emendo-dev/emendo/agent/model"
)

// unended is the fault of a text that ends inside a block.
const unended = "a call does not end"

// readBlocks reads a text that has nothing but calls in blocks. wrong tells why it has not,
// and body is the content of the block that this is about; empty: none.
func readBlocks(text string) (calls []model.Call, body, wrong string) {
	for text = strings.TrimSpace(text); text != ""; text = strings.TrimSpace(text) {
		block, ok := strings.CutPrefix(text, callBegin)
		switch {
		case ok:
		case strings.HasPrefix(text, resultBegin):
			return nil, body, "the model wrote the result of a tool"
		case strings.HasPrefix(text, callEnd):
			return nil, body, "a call ends that did not begin"
		default:
			return nil, body, "there is text after a call"
		}
		end := endOf(block)
		if end < 0 {
			return nil, block, unended
		}
		body, text = block[:end], block[end+len(callEnd):]
		c, wrong := parse(body)
		if wrong != "" {
			return nil, body, wrong
		}
		calls = append(calls, c)
	}
	return calls, body, ""
}

// endOf returns where a block ends, which is not in a JSON string; -1 if it does not.
func endOf(block string) int {
	quoted := false
	for i := 0; i < len(block); i++ {
		switch {
		case quoted && block[i] == '\\':
			i++
		case block[i] == '"':
			quoted = !quoted
		case !quoted && strings.HasPrefix(block[i:], callEnd):
			return i
		}
	}
	return -1
}

// parse reads the object of a call. It returns why it is not one.
func parse(body string) (c model.Call, wrong string) {
	v := jsontext.Value(strings.TrimSpace(body))
	if !v.IsValid() { // it also rejects names that occur twice
		return c, "a call is not valid JSON"
	}
	if v.Kind() != '{' {
		return c, "a call is not a JSON object"
	}
	var in struct {
		Name      *string        `json:"name"`
		Arguments jsontext.Value `json:"arguments"`
	}
	if json.Unmarshal(v, &in, json.RejectUnknownMembers(true)) != nil {
		return c, "a call has other fields than name and arguments"
	}
	args := bytes.TrimSpace(in.Arguments)
	if in.Name == nil || *in.Name == "" || len(args) == 0 || args[0] != '{' {
		return c, "a call lacks its name or its arguments"
	}
	return model.Call{ID: model.NewCallID(), Name: *in.Name, Args: args}, ""
}
