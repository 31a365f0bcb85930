package wiretest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// A Message is a JSON-RPC message on the wire.
type Message struct {
	Server bool `json:"server,omitempty"` // sent by the server
	PID    int  `json:"pid,omitempty"`    // of the server, where there may be several

	ID     json.RawMessage `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  json.RawMessage `json:"error,omitempty"`
}

// opening are the commands by which a user asks for a document to be shown, and the tools
// behind code actions that show one.
var opening = []string{"emendo.chat", "emendo.nextHunk", "emendo.prevHunk", "emendo.permission", "emendo.showLog", "emendo.newSession", "emendo.send", "emendo.rewind", "emendo.comment"}

// A Checker reads the messages between a client and a server in the order in which the
// client has them, and lists the rules that the server broke. Its methods may be called
// by several goroutines at once. The zero value is ready.
type Checker struct {
	mu       sync.Mutex
	can      Capabilities
	commands []string               // that the server offered
	asked    [2]map[string]Message  // requests without a response: of the client, of the server
	answered map[string]bool        // requests of the server that have a response
	tokens   map[string]string      // how far the progress of a token is
	versions map[string]json.Number // of open documents
	opens    int                    // documents that the user asked to be shown
	wrong    []string
}

// Problems returns the rules that were broken, in order.
func (c *Checker) Problems() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.wrong)
}

// Read checks a message.
func (c *Checker) Read(m Message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.tokens == nil || m.Method == "initialize" && !m.Server { // a connection begins
		c.tokens, c.versions = map[string]string{}, map[string]json.Number{}
		c.asked = [2]map[string]Message{{}, {}}
		c.answered, c.opens = map[string]bool{}, 0
	}
	switch {
	case m.Method == "":
		c.response(m)
	case m.Server:
		c.sent(m)
	default:
		c.received(m)
	}
}

func (c *Checker) problem(format string, a ...any) {
	c.wrong = append(c.wrong, fmt.Sprintf(format, a...))
}

// side returns the index of the side that sent a request.
func side(server bool) int {
	if server {
		return 1
	}
	return 0
}

// received notes a message of the client.
func (c *Checker) received(m Message) {
	if m.ID != nil {
		c.asked[0][string(m.ID)] = m
	}
	var p struct {
		Capabilities Capabilities
		Options      json.RawMessage `json:"initializationOptions"`
		Command      string
		Token        json.RawMessage `json:"workDoneToken"`
		Document     struct {
			URI     string
			Version json.Number
		} `json:"textDocument"`
	}
	if json.Unmarshal(m.Params, &p) != nil {
		return // what a client may send is not checked
	}
	if p.Token != nil {
		c.tokens[string(p.Token)] = "created"
	}
	switch m.Method {
	case "initialize":
		c.can = p.Capabilities
		var o struct {
			ShowDocument bool
			Client       string
		}
		if json.Unmarshal(p.Options, &o) == nil && o.ShowDocument {
			c.declare("window", "showDocument", map[string]any{"support": true})
		}
		if o.Client == "kate" { // which makes edits and does not declare it
			c.declare("workspace", "applyEdit", true)
		}
	case "workspace/executeCommand":
		if slices.Contains(opening, p.Command) {
			c.opens++
		}
	case "textDocument/didOpen":
		c.versions[p.Document.URI] = p.Document.Version
	case "textDocument/didChange":
		if number(p.Document.Version) > number(c.versions[p.Document.URI]) { // Helix 25.01 may send them in another order
			c.versions[p.Document.URI] = p.Document.Version
		}
	case "textDocument/didClose":
		delete(c.versions, p.Document.URI)
	}
}

// declare adds a capability that the client does not declare itself.
func (c *Checker) declare(group, name string, value any) {
	if c.can == nil {
		c.can = Capabilities{}
	}
	l, ok := c.can[group].(map[string]any)
	if !ok {
		l = map[string]any{}
		c.can[group] = l
	}
	l[name] = value
}

// sent checks a request or a notification of the server.
func (c *Checker) sent(m Message) {
	if m.ID != nil {
		c.asked[1][string(m.ID)] = m
	}
	for _, problem := range []string{c.can.Undeclared(m.Method, m.Params), mistyped(params, m.Method, m.Params)} {
		if problem != "" {
			c.problem("%s", problem)
		}
	}
	switch m.Method {
	case "$/progress":
		c.progress(m.Params)
	case "$/cancelRequest":
		var p struct{ ID json.RawMessage }
		// A cancellation may cross the response.
		if json.Unmarshal(m.Params, &p) != nil || c.asked[1][string(p.ID)].Method == "" && !c.answered[string(p.ID)] {
			c.problem("the server cancelled %s, which it did not ask", p.ID)
		}
	case "workspace/applyEdit":
		c.edit(m.Params)
	case "window/showDocument":
		var p struct {
			URI       string
			TakeFocus bool
		}
		if json.Unmarshal(m.Params, &p) == nil && p.TakeFocus {
			if c.opens == 0 {
				c.problem("%s took the focus, and no command asked for that", p.URI)
			}
			c.opens = max(0, c.opens-1)
		}
	}
}

// progress checks that a token exists, and that its progress begins, reports and ends in
// this order.
func (c *Checker) progress(params json.RawMessage) {
	var p struct {
		Token json.RawMessage
		Value struct{ Kind string }
	}
	if err := json.Unmarshal(params, &p); err != nil {
		c.problem("$/progress: %v", err)
		return
	}
	allowed := map[string][]string{"created": {"begin"}, "begin": {"report", "end"}, "report": {"report", "end"}}
	before := c.tokens[string(p.Token)]
	if !slices.Contains(allowed[before], p.Value.Kind) {
		c.problem("the progress of %s has %q after %q", p.Token, p.Value.Kind, cmp.Or(before, "nothing: it was never created"))
	}
	c.tokens[string(p.Token)] = p.Value.Kind
}

// edit checks the versions of the documents of an edit.
func (c *Checker) edit(params json.RawMessage) {
	var p struct {
		Edit struct {
			Documents []struct {
				Kind     string
				Document struct {
					URI     string
					Version *json.Number
				} `json:"textDocument"`
			} `json:"documentChanges"`
		}
	}
	if err := json.Unmarshal(params, &p); err != nil {
		c.problem("workspace/applyEdit: %v", err)
		return
	}
	for _, d := range p.Edit.Documents {
		if d.Kind != "" {
			continue
		}
		have, open := c.versions[d.Document.URI]
		switch {
		case open && d.Document.Version == nil:
			c.problem("an edit of %s, which is open, has no version", d.Document.URI)
		case open && number(*d.Document.Version) > number(have):
			c.problem("an edit of version %s of %s, which has only %s", *d.Document.Version, d.Document.URI, have)
		}
	}
}

func number(n json.Number) int64 {
	i, err := n.Int64()
	if err != nil {
		return -1
	}
	return i
}

// response checks a response, and forgets its request.
func (c *Checker) response(m Message) {
	who := "client"
	if m.Server {
		who = "server"
	}
	asked := c.asked[side(!m.Server)]
	request, ok := asked[string(m.ID)]
	delete(asked, string(m.ID))
	c.answered[string(m.ID)] = c.answered[string(m.ID)] || !m.Server
	if !ok {
		c.problem("the %s responded to an unknown request, or twice: %s", who, m.ID)
		return
	}
	if m.Error != nil {
		var e struct {
			Code    int
			Message string
		}
		if err := json.Unmarshal(m.Error, &e); err != nil {
			c.problem("the error of %s: %v", request.Method, err)
		}
		if e.Code == -32601 || e.Code == -32602 || e.Code == -32700 {
			c.problem("the %s refused %s: %s", who, request.Method, m.Error)
		}
		return
	}
	if !m.Server {
		if request.Method == "window/workDoneProgress/create" {
			var p struct{ Token json.RawMessage }
			if json.Unmarshal(request.Params, &p) == nil {
				c.tokens[string(p.Token)] = "created"
			}
		}
		return
	}
	c.result(request, m.Result)
}

// result checks the result of a request of the client.
func (c *Checker) result(request Message, result json.RawMessage) {
	for _, problem := range []string{c.can.UndeclaredResult(request.Method, request.Params, result), mistyped(results, request.Method, result)} {
		if problem != "" {
			c.problem("%s: %s", request.Method, problem)
		}
	}
	if request.Method == "initialize" {
		var r struct {
			Capabilities struct {
				Execute struct{ Commands []string } `json:"executeCommandProvider"`
			}
		}
		if err := json.Unmarshal(result, &r); err != nil {
			c.problem("initialize: %v", err)
		}
		c.commands = r.Capabilities.Execute.Commands
		return
	}
	for name := range names(result) {
		if strings.HasPrefix(name, "emendo.") && !slices.Contains(c.commands, name) {
			c.problem("%s names the command %s, which was not offered", request.Method, name)
		}
	}
}

// names returns the names of the commands in a value.
func names(raw json.RawMessage) map[string]bool {
	found := map[string]bool{}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, x := range v {
				walk(x)
			}
		case map[string]any:
			if name, ok := v["command"].(string); ok {
				found[name] = true
			}
			for _, x := range v {
				walk(x)
			}
		}
	}
	var v any
	if json.Unmarshal(raw, &v) == nil {
		walk(v)
	}
	return found
}
