package preview

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/emendo-dev/emendo/acp"
	"github.com/emendo-dev/emendo/ide/diff"
	"github.com/emendo-dev/emendo/internal/rpc"
)

// ResumeParams are the params of session/resume, which also loads.
type ResumeParams struct {
	acp.OpenParams
	ReplayFrom *struct {
		Type string `json:"type"`
	} `json:"replayFrom"`
}

// Prompted answers session/prompt once the prompt is part of the session.
type Prompted struct {
	MessageID string `json:"messageId"`
}

// encoded returns what [decoded] has read as JSON. The connection's own encoder would
// write numbers as strings.
func encoded(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}

// decoded returns a message as maps and lists, with numbers as they are.
func decoded(v any) (any, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var out any
	return out, d.Decode(&out)
}

// Result translates a result, also the one in an [rpc.Then].
func Result(v any) (any, error) {
	if both, ok := v.(rpc.Then); ok {
		var err error
		both.Result, err = Result(both.Result)
		return both, err
	}
	out, err := decoded(v)
	if err != nil {
		return nil, fmt.Errorf("translate a result: %w", err)
	}
	if o, ok := out.(object); ok {
		delete(o, "modes")
		options(o)
	}
	return encoded(out)
}

// Outgoing translates the params of a request or a notification of emendo's. It reports
// false for what is not sent.
func Outgoing(method string, params any) (any, bool, error) {
	if method != "session/update" && method != "session/request_permission" {
		return params, true, nil
	}
	v, err := decoded(params)
	o, ok := v.(object)
	switch {
	case err != nil:
		return nil, false, fmt.Errorf("translate %s: %w", method, err)
	case !ok:
		return params, true, nil
	case method == "session/request_permission":
		permission(o)
	default:
		if u, _ := o["update"].(object); !update(u) {
			return nil, false, nil
		}
	}
	raw, err := encoded(o)
	return raw, true, err
}

// update translates an update in its place, and reports false for one that is left out.
func update(u object) bool {
	switch u["sessionUpdate"] {
	case "current_mode_update": // a config_option_update tells the same
		return false
	case "tool_call":
		u["sessionUpdate"] = "tool_call_update"
		contents(u)
	case "tool_call_update":
		contents(u)
	case "plan":
		u["sessionUpdate"], u["plan"] = "plan_update", object{"type": "items", "planId": "todos", "entries": u["entries"]}
		delete(u, "entries")
	case "available_commands_update":
		l, _ := u["availableCommands"].([]any)
		for _, c := range l {
			if c, ok := c.(object); ok {
				c["type"] = "command"
				if in, ok := c["input"].(object); ok {
					in["type"] = "text"
				}
			}
		}
	case "config_option_update":
		options(u)
	case "agent_message_chunk":
		retract(u)
	}
	return true
}

// retract makes what version 1 says in words, that an answer begins again, an empty
// message.
func retract(u object) {
	meta, _ := u["_meta"].(object)
	own, _ := meta["emendo"].(object)
	if own["sessionUpdate"] != "_emendo/retract" {
		return
	}
	u["sessionUpdate"], u["content"] = "agent_message", []any{}
}

// options renames the IDs of config options.
func options(o object) {
	l, _ := o["configOptions"].([]any)
	for _, c := range l {
		if c, ok := c.(object); ok {
			c["configId"] = c["id"]
			delete(c, "id")
		}
	}
}

// contents translates what a tool call shows. Terminals of the client are not in this
// version.
func contents(call object) {
	l, ok := call["content"].([]any)
	if !ok {
		return
	}
	for i, c := range l {
		if c, ok := c.(object); ok && c["type"] == "diff" {
			l[i] = change(c)
		}
	}
}

// change translates a diff.
func change(d object) object {
	path, _ := d["path"].(string)
	old, existed := d["oldText"].(string)
	text, _ := d["newText"].(string)
	operation, from := "modify", "a"+filepath.ToSlash(path)
	if !existed {
		operation, from = "add", "/dev/null"
	}
	out := object{"type": "diff", "changes": []any{object{"operation": operation, "path": path, "fileType": "text"}}}
	if patch := diff.Unified(from, "b"+filepath.ToSlash(path), old, text); patch != "" {
		out["patch"] = object{"format": "git_patch", "text": gitHeader(path, existed) + patch}
	}
	return out
}

func gitHeader(path string, existed bool) string {
	name := strings.TrimPrefix(filepath.ToSlash(path), "/")
	header := fmt.Sprintf("diff --git a/%s b/%s\n", name, name)
	if !existed {
		header += "new file mode 100644\n"
	}
	return header
}

// permission translates a question in its place: its call is its subject.
func permission(p object) {
	call, _ := p["toolCall"].(object)
	delete(call, "sessionUpdate")
	contents(call)
	title, _ := call["title"].(string)
	if title == "" {
		title = "Allow this?"
	}
	delete(p, "toolCall")
	p["title"], p["subject"] = title, object{"type": "tool_call", "toolCall": call}
}
