package acptest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

// Patience is how long a test waits for the agent.
const Patience = 20 * time.Second

// A Client speaks ACP with an agent. Set its fields before the first call.
type Client struct {
	Capabilities any               // of initialize
	Files        bool              // fs/read_text_file and fs/write_text_file are declared
	Buffers      map[string]string // unsaved texts, by path; guarded by Lock once it runs
	Saves        bool              // writing a file saves it, else it stays in its buffer
	Preview      bool              // speaks the preview of version 2 of the protocol
	// Permit answers a permission question with the ID of an option; "" cancels.
	Permit func(p Permission) string
	// Answer answers any other request of the agent; nil: it is an error.
	Answer func(method string, params json.RawMessage) (any, error)

	t testing.TB
	w io.WriteCloser

	mu        sync.Mutex
	last      int
	waiting   map[int]pending
	seen      []Message // that the agent has sent, answers apart
	cancelled map[string]bool
	news      chan struct{} // closed and replaced with every message
	ended     chan struct{} // closed when the agent's stream has ended
	odd       func(line string)
}

type pending struct {
	method string
	answer chan Message
}

// Message is one message of the agent.
type Message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *Error          `json:"error"`
}

// Error is an error answer.
type Error struct {
	Code    int
	Message string
	Data    struct {
		Code        string
		AuthMethods []struct{ ID string }
	}
}

func (e *Error) Error() string { return fmt.Sprintf("%d (%s): %s", e.Code, e.Data.Code, e.Message) }

// Permission is a permission question.
type Permission struct {
	SessionID string
	ToolCall  struct {
		ToolCallID, Title, Kind, Status string
		Content                         []Content
	}
	Options []struct{ OptionID, Name, Kind string }

	// In version 2.
	Title   string
	Subject struct {
		ToolCall struct{ Content []Content }
	}
}

// Content is a piece of what a tool call shows.
type Content struct {
	Type, Path, NewText string
	OldText             *string
	TerminalID          string
	Patch               struct{ Text string } // in version 2
	Content             struct{ Type, Text string }
}

// Text returns the texts of what a call shows.
func Text(l []Content) string {
	var b strings.Builder
	for _, c := range l {
		b.WriteString(c.Content.Text)
	}
	return b.String()
}

// Update is an update of a session.
type Update struct {
	SessionID string
	Update    struct {
		SessionUpdate                   string
		MessageID                       string
		ToolCallID, Title, Status, Name string
		CurrentModeID                   string
		Severity, Description           string
		Content                         json.RawMessage
		Locations                       []struct{ Path string }
		Entries                         []struct{ Content, Status string }
		AvailableCommands               []struct{ Name string }
		ConfigOptions                   []Option
		Meta                            struct{ Emendo json.RawMessage } `json:"_meta"`
	}
	Meta struct {
		Emendo struct {
			Seq    int64
			TurnID string
			Replay bool
		}
	} `json:"_meta"`
}

// Option is a config option.
type Option struct {
	ID, CurrentValue, Category string
	Options                    []struct{ Value string }
}

// Text returns the text of a chunk.
func (u Update) Text() string {
	var c struct{ Text string }
	_ = json.Unmarshal(u.Update.Content, &c) // other updates have none
	return c.Text
}

// Contents returns what an update of a call shows.
func (u Update) Contents() []Content {
	var l []Content
	_ = json.Unmarshal(u.Update.Content, &l) // other updates have none
	return l
}

// Connect returns a client that reads what an agent writes to r, and writes to w. It is
// run by Run.
func Connect(t testing.TB, w io.WriteCloser) *Client {
	return &Client{
		t: t, w: w, Buffers: map[string]string{}, waiting: map[int]pending{}, cancelled: map[string]bool{}, news: make(chan struct{}), ended: make(chan struct{}),
		odd: func(line string) { t.Errorf("the agent wrote %q", line) },
	}
}

func (c *Client) protocol() *schema {
	if c.Preview {
		return version2()
	}
	return version1()
}

// Run reads what the agent writes until its stream ends.
func (c *Client) Run(r io.Reader) {
	defer close(c.ended)
	in := bufio.NewReaderSize(r, 1<<20)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			if len(line) > 0 {
				c.odd(string(line))
			}
			return
		}
		var m Message
		if err := json.Unmarshal(line, &m); err != nil {
			c.odd(string(line))
			continue
		}
		c.take(m)
	}
}

func (c *Client) take(m Message) {
	if m.Method == "" {
		c.answered(m)
		return
	}
	if err := c.protocol().params(m.Method, m.Params, len(m.ID) > 0); err != nil {
		c.t.Errorf("%s: %v\n%s", m.Method, err, m.Params)
	}
	c.mu.Lock()
	c.seen = append(c.seen, m)
	if m.Method == "$/cancel_request" {
		var p struct{ RequestID json.RawMessage }
		if json.Unmarshal(m.Params, &p) == nil {
			c.cancelled[string(p.RequestID)] = true
		}
	}
	close(c.news)
	c.news = make(chan struct{})
	c.mu.Unlock()
	if len(m.ID) > 0 {
		go c.serve(m)
	}
}

func (c *Client) answered(m Message) {
	var id int
	if err := json.Unmarshal(m.ID, &id); err != nil || string(m.ID) == "null" {
		c.mu.Lock()
		c.seen = append(c.seen, m)
		close(c.news)
		c.news = make(chan struct{})
		c.mu.Unlock()
		return
	}
	c.mu.Lock()
	p, ok := c.waiting[id]
	delete(c.waiting, id)
	c.mu.Unlock()
	if !ok {
		c.t.Errorf("an answer to nothing: %s", m.ID)
		return
	}
	if m.Error == nil {
		if err := c.protocol().result(p.method, m.Result); err != nil {
			c.t.Errorf("the answer to %s: %v\n%s", p.method, err, m.Result)
		}
	}
	p.answer <- m
}

// serve answers a request of the agent.
func (c *Client) serve(m Message) {
	result, err := c.answer(m)
	if err != nil {
		c.write(map[string]any{"jsonrpc": "2.0", "id": m.ID, "error": map[string]any{"code": -32002, "message": err.Error()}})
		return
	}
	raw, merr := json.Marshal(result)
	if merr != nil {
		c.t.Error(merr)
	}
	if err := c.protocol().result(m.Method, raw); err != nil {
		c.t.Errorf("the test answers %s: %v", m.Method, err)
	}
	c.write(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": json.RawMessage(raw)})
}

func (c *Client) answer(m Message) (any, error) {
	switch m.Method {
	case "session/request_permission":
		var p Permission
		if err := json.Unmarshal(m.Params, &p); err != nil {
			return nil, err
		}
		outcome := map[string]any{"outcome": "cancelled"}
		if c.Permit != nil {
			if id := c.Permit(p); id != "" {
				outcome = map[string]any{"outcome": "selected", "optionId": id}
			}
		}
		return map[string]any{"outcome": outcome}, nil
	case "fs/read_text_file", "fs/write_text_file":
		if c.Files {
			return c.file(m)
		}
	}
	if c.Answer == nil {
		c.t.Errorf("the agent sent %s, which was not declared", m.Method)
		return nil, fmt.Errorf("%s was not declared", m.Method)
	}
	return c.Answer(m.Method, m.Params)
}

// file is the editor's file system: buffers before the disk.
func (c *Client) file(m Message) (any, error) {
	var p struct{ Path, Content string }
	if err := json.Unmarshal(m.Params, &p); err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if m.Method == "fs/write_text_file" {
		if !c.Saves {
			c.Buffers[p.Path] = p.Content
			return struct{}{}, nil
		}
		delete(c.Buffers, p.Path)
		return struct{}{}, os.WriteFile(p.Path, []byte(p.Content), 0o644)
	}
	text, ok := c.Buffers[p.Path]
	if !ok {
		b, err := os.ReadFile(p.Path)
		if err != nil {
			return nil, err
		}
		text = string(b)
	}
	return map[string]any{"content": text}, nil
}

// Type changes a buffer, as the user does.
func (c *Client) Type(path, text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.Buffers[path] = text
}

// Buffer returns the unsaved text of a file.
func (c *Client) Buffer(path string) (text string, unsaved bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	text, unsaved = c.Buffers[path]
	return text, unsaved
}

func (c *Client) write(v any) {
	b, err := json.Marshal(v)
	if err != nil {
		c.t.Error(err)
		return
	}
	c.Raw(string(b) + "\n")
}

// Raw writes bytes to the agent.
func (c *Client) Raw(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, _ = io.WriteString(c.w, text) // an agent that has ended is noticed by whoever waits
}

// Hang ends the client's stream.
func (c *Client) Hang() { _ = c.w.Close() }

// Ended is closed when the agent's stream has ended.
func (c *Client) Ended() <-chan struct{} { return c.ended }

// Go sends a request. Params are checked, unless they are a json.RawMessage.
func (c *Client) Go(method string, params any) (id int, wait func() (json.RawMessage, error)) {
	c.t.Helper()
	raw, ok := params.(json.RawMessage)
	if !ok {
		var err error
		if raw, err = json.Marshal(params); err != nil {
			c.t.Fatal(err)
		}
		if err := c.protocol().params(method, raw, true); err != nil {
			c.t.Fatalf("the test sends %s: %v", method, err)
		}
	}
	answer := make(chan Message, 1)
	c.mu.Lock()
	c.last++
	id = c.last
	c.waiting[id] = pending{method, answer}
	c.mu.Unlock()
	c.write(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": raw})
	return id, func() (json.RawMessage, error) {
		c.t.Helper()
		select {
		case m := <-answer:
			if m.Error != nil {
				return nil, m.Error
			}
			return m.Result, nil
		case <-c.ended:
			return nil, fmt.Errorf("the agent ended before it answered %s", method)
		case <-time.After(Patience):
			return nil, fmt.Errorf("%s was not answered", method)
		}
	}
}

// Call sends a request and decodes the answer into result, if that is not nil.
func (c *Client) Call(method string, params, result any) error {
	c.t.Helper()
	_, wait := c.Go(method, params)
	raw, err := wait()
	if err != nil || result == nil {
		return err
	}
	return json.Unmarshal(raw, result)
}

// Must is Call for a request that succeeds.
func (c *Client) Must(method string, params, result any) {
	c.t.Helper()
	if err := c.Call(method, params, result); err != nil {
		c.t.Fatalf("%s: %v", method, err)
	}
}

// Tell sends a notification.
func (c *Client) Tell(method string, params any) {
	c.t.Helper()
	raw, err := json.Marshal(params)
	if err == nil {
		err = c.protocol().params(method, raw, false)
	}
	if err != nil {
		c.t.Fatalf("the test sends %s: %v", method, err)
	}
	c.write(map[string]any{"jsonrpc": "2.0", "method": method, "params": json.RawMessage(raw)})
}

// Initialize sends initialize with the client's capabilities.
func (c *Client) Initialize() {
	c.t.Helper()
	capabilities := c.Capabilities
	if capabilities == nil {
		capabilities = struct{}{}
	}
	if c.Preview {
		c.Must("initialize", map[string]any{"protocolVersion": 2, "capabilities": capabilities, "info": map[string]any{"name": "test", "version": "1"}}, nil)
		return
	}
	c.Must("initialize", map[string]any{"protocolVersion": 1, "clientCapabilities": capabilities, "clientInfo": map[string]any{"name": "test", "version": "1"}}, nil)
}

// Seen returns the requests and notifications that the agent has sent.
func (c *Client) Seen() []Message {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]Message(nil), c.seen...)
}

// Updates returns the updates that the agent has sent.
func (c *Client) Updates() (l []Update) {
	for _, m := range c.Seen() {
		if m.Method != "session/update" {
			continue
		}
		var u Update
		if err := json.Unmarshal(m.Params, &u); err != nil {
			c.t.Errorf("%v: %s", err, m.Params)
		}
		l = append(l, u)
	}
	return l
}

// Await waits until the agent has sent something of which is is true.
func (c *Client) Await(what string, is func(m Message) bool) Message {
	c.t.Helper()
	late := time.After(Patience)
	for from := 0; ; {
		c.mu.Lock()
		seen, news := c.seen, c.news
		c.mu.Unlock()
		for ; from < len(seen); from++ {
			if is(seen[from]) {
				return seen[from]
			}
		}
		select {
		case <-news:
		case <-c.ended:
			c.t.Fatalf("the agent ended before it sent %s", what)
		case <-late:
			c.t.Fatalf("the agent did not send %s", what)
		}
	}
}

// AwaitUpdate waits for an update.
func (c *Client) AwaitUpdate(what string, is func(u Update) bool) Update {
	c.t.Helper()
	var found Update
	c.Await(what, func(m Message) bool {
		var u Update
		if m.Method != "session/update" || json.Unmarshal(m.Params, &u) != nil || !is(u) {
			return false
		}
		found = u
		return true
	})
	return found
}

// Withdrew reports whether the agent has withdrawn one of its requests.
func (c *Client) Withdrew(m Message) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.cancelled[string(m.ID)]
}
