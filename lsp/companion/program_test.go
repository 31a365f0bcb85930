package companion_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
)

// program is a program in a terminal.
type program struct {
	w             *world
	connected     context.Context
	url           string
	token         string
	session       string
	notifications chan message
	ids           int
}

type message struct {
	ID     *int
	Method string
	Params json.RawMessage
	Result json.RawMessage
	Error  json.RawMessage
}

// connect connects as Gemini CLI does, and listens.
func (w *world) connect() *program {
	w.Helper()
	a := w.find()
	connected, disconnect := context.WithCancel(context.WithoutCancel(w.Context()))
	p := &program{w: w, connected: connected, url: fmt.Sprintf("http://127.0.0.1:%d/mcp", a.Port), token: a.AuthToken, notifications: make(chan message, 100)}
	p.call("initialize", obj{"protocolVersion": "2025-06-18", "capabilities": obj{}, "clientInfo": obj{"name": "gemini-cli-mcp-client", "version": "0.61.0"}})
	p.post(obj{"jsonrpc": "2.0", "method": "notifications/initialized"}).Close()
	heard := p.request(http.MethodGet, nil)
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.read(heard, func(m message) bool { p.notifications <- m; return true })
	}()
	w.Cleanup(func() {
		disconnect()
		<-done
		heard.Close()
	})
	return p
}

// request sends a request and returns the body of the response.
func (p *program) request(method string, body io.Reader) io.ReadCloser {
	p.w.Helper()
	r, err := http.NewRequestWithContext(p.connected, method, p.url, body)
	if err != nil {
		p.w.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+p.token)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if p.session != "" {
		r.Header.Set("Mcp-Session-Id", p.session)
	}
	res, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(r)
	if err != nil {
		p.w.Fatal(err)
	}
	if res.StatusCode >= 300 {
		b, _ := io.ReadAll(res.Body)
		p.w.Fatalf("%s: %s: %s", method, res.Status, b)
	}
	if id := res.Header.Get("Mcp-Session-Id"); id != "" {
		p.session = id
	}
	return res.Body
}

func (p *program) post(m obj) io.ReadCloser {
	b, err := json.Marshal(m)
	if err != nil {
		p.w.Fatal(err)
	}
	return p.request(http.MethodPost, bytes.NewReader(b))
}

// read passes on the messages of a stream of events, until f has enough.
func (p *program) read(r io.Reader, f func(message) bool) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		var m message
		if err := json.Unmarshal([]byte(data), &m); err != nil {
			p.w.Errorf("not a message: %s", data)
		} else if !f(m) {
			return
		}
	}
	if err := lines.Err(); err != nil && !errors.Is(err, net.ErrClosed) && p.connected.Err() == nil {
		p.w.Errorf("read the stream: %v", err)
	}
}

func (p *program) call(method string, params any) (answer message) {
	p.w.Helper()
	p.ids++
	body := p.post(obj{"jsonrpc": "2.0", "id": p.ids, "method": method, "params": params})
	defer body.Close()
	p.read(body, func(m message) bool { answer = m; return m.ID == nil })
	if answer.ID == nil || answer.Error != nil {
		p.w.Fatalf("%s: %s", method, answer.Error)
	}
	return answer
}

// tool calls a tool and returns its text, and whether it failed.
func (p *program) tool(name string, args obj) (string, bool) {
	p.w.Helper()
	var result struct {
		Content []struct{ Text string }
		IsError bool
	}
	if err := json.Unmarshal(p.call("tools/call", obj{"name": name, "arguments": args}).Result, &result); err != nil {
		p.w.Fatal(err)
	}
	var all []string
	for _, c := range result.Content {
		all = append(all, c.Text)
	}
	return strings.Join(all, "\n"), result.IsError
}

// await waits for a notification and returns its params.
func (p *program) await(method string, fits func(json.RawMessage) bool) json.RawMessage {
	p.w.Helper()
	for {
		select {
		case m := <-p.notifications:
			if m.Method == method && (fits == nil || fits(m.Params)) {
				return m.Params
			}
		case <-p.w.Context().Done():
			p.w.Fatalf("no %s", method)
		}
	}
}

// awaitContext waits for the context that want describes.
func (p *program) awaitContext(want string) {
	p.w.Helper()
	p.await("ide/contextUpdate", func(params json.RawMessage) bool {
		var c struct {
			WorkspaceState struct {
				IsTrusted bool
				OpenFiles []struct {
					Path         string
					Timestamp    int64
					IsActive     bool
					Cursor       *struct{ Line, Character int }
					SelectedText string
				}
			}
		}
		if err := json.Unmarshal(params, &c); err != nil {
			p.w.Fatal(err)
		}
		var got strings.Builder
		last := int64(1 << 62)
		for _, f := range c.WorkspaceState.OpenFiles {
			if f.Timestamp >= last {
				p.w.Errorf("%s is not older than the one before", f.Path)
			}
			last = f.Timestamp
			rel, _ := filepath.Rel(p.w.dir, f.Path)
			fmt.Fprintf(&got, "%s", rel)
			if f.IsActive {
				got.WriteString(" active")
			}
			if f.Cursor != nil {
				fmt.Fprintf(&got, " %d:%d", f.Cursor.Line, f.Cursor.Character)
			}
			if f.SelectedText != "" {
				fmt.Fprintf(&got, " %q", f.SelectedText)
			}
			got.WriteString("\n")
		}
		return got.String() == want && c.WorkspaceState.IsTrusted
	})
}
