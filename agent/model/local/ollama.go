package local

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/transport"
)

// Window is the context that Ollama is asked to load a model with where nobody chose
// another, in tokens. Its own default is 4,096, which the first request of a session
// exceeds, and it cuts the beginning of what exceeds it without a word.
const Window = 32_768

// Bridge is a way to Ollama by its own API, for the generator of OpenAI's: in that API
// requests cannot say how large a context they need. Servers that do not have Ollama's
// own, such as gateways, get the request as it was. It is safe for concurrent use.
type Bridge struct {
	inner http.RoundTripper
	g     *Generator // whose server it leads to
}

// NewBridge returns a bridge that sends requests by inner; nil: http.DefaultTransport. It
// serves one generator, made with it in its options.
func NewBridge(inner http.RoundTripper) *Bridge {
	if inner == nil {
		inner = http.DefaultTransport
	}
	return &Bridge{inner: inner}
}

const completions = "/v1/chat/completions"

// RoundTrip implements [http.RoundTripper].
func (b *Bridge) RoundTrip(req *http.Request) (*http.Response, error) {
	if b.g == nil || req.Method != http.MethodPost || !strings.HasSuffix(req.URL.Path, completions) || req.Body == nil {
		return b.inner.RoundTrip(req)
	}
	body, err := io.ReadAll(req.Body)
	req.Body.Close()
	if err != nil {
		return nil, err
	}
	var said completion
	if err := json.Unmarshal(body, &said); err != nil {
		return nil, fmt.Errorf("translate a request for Ollama: %w", err)
	}
	window := b.g.window(req.Context(), said.Model)
	native, err := json.Marshal(said.native(window))
	if err != nil {
		return nil, fmt.Errorf("translate a request for Ollama: %w", err)
	}
	resp, err := b.inner.RoundTrip(again(req, strings.TrimSuffix(req.URL.Path, completions)+"/api/chat", native))
	if err != nil {
		return nil, err
	}
	switch {
	case resp.StatusCode == http.StatusNotFound && !strings.HasPrefix(resp.Header.Get("Content-Type"), "application/json"):
		resp.Body.Close()
		return b.inner.RoundTrip(again(req, req.URL.Path, body))
	case resp.StatusCode != http.StatusOK:
		return resp, nil // its errors are read as those of OpenAI's API
	}
	if err := b.g.verify(req.Context(), said.Model, window, int64(len(body)/4)); err != nil {
		resp.Body.Close()
		return nil, err
	}
	resp.Header = resp.Header.Clone()
	resp.Header.Set("Content-Type", "text/event-stream")
	resp.ContentLength = -1
	resp.Body = &events{lines: bufio.NewReaderSize(resp.Body, 64<<10), body: resp.Body, model: said.Model}
	return resp, nil
}

// again returns a request with another path and body.
func again(req *http.Request, path string, body []byte) *http.Request {
	r := req.Clone(req.Context())
	r.URL.Path = path
	// A request is sent again where the server closed a connection that was kept.
	r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return r
}

// completion is a request of OpenAI's API, as far as Ollama has the same.
type completion struct {
	Model    string `json:"model"`
	Messages []struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
		Calls   []struct {
			ID       string `json:"id"`
			Function struct {
				Name      string `json:"name"`
				Arguments string `json:"arguments"`
			} `json:"function"`
		} `json:"tool_calls"`
		CallID string `json:"tool_call_id"`
	} `json:"messages"`
	Tools       []json.RawMessage `json:"tools"`
	MaxTokens   *int64            `json:"max_tokens"`
	Temperature *float64          `json:"temperature"`
	TopP        *float64          `json:"top_p"`
	Seed        *int64            `json:"seed"`
	Stop        []string          `json:"stop"`
}

// The request of Ollama's API.
type (
	nativeRequest struct {
		Model    string            `json:"model"`
		Messages []nativeMessage   `json:"messages"`
		Tools    []json.RawMessage `json:"tools,omitempty"`
		Stream   bool              `json:"stream"`
		Truncate bool              `json:"truncate"` // versions that know it refuse what is too long
		Shift    bool              `json:"shift"`
		Options  nativeOptions     `json:"options"`
	}
	nativeMessage struct {
		Role    string       `json:"role"`
		Content string       `json:"content"`
		Images  []string     `json:"images,omitempty"`
		Calls   []nativeCall `json:"tool_calls,omitempty"`
		Tool    string       `json:"tool_name,omitempty"`
	}
	nativeCall struct {
		ID       string `json:"id,omitempty"`
		Function struct {
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		} `json:"function"`
	}
	nativeOptions struct {
		Context     int64    `json:"num_ctx"`
		Predict     *int64   `json:"num_predict,omitempty"`
		Temperature *float64 `json:"temperature,omitempty"`
		TopP        *float64 `json:"top_p,omitempty"`
		Seed        *int64   `json:"seed,omitempty"`
		Stop        []string `json:"stop,omitempty"`
	}
)

// native translates a request, for a context of that many tokens.
func (c completion) native(window int64) nativeRequest {
	out := nativeRequest{
		Model: c.Model, Messages: []nativeMessage{}, Tools: c.Tools, Stream: true,
		Options: nativeOptions{window, c.MaxTokens, c.Temperature, c.TopP, c.Seed, c.Stop},
	}
	names := map[string]string{} // of the tools, by the ID of the call
	for _, m := range c.Messages {
		n := nativeMessage{Role: m.Role, Tool: names[m.CallID]}
		if n.Role == "developer" {
			n.Role = "system"
		}
		n.Content, n.Images = contentOf(m.Content)
		for _, call := range m.Calls {
			names[call.ID] = call.Function.Name
			var to nativeCall
			to.ID, to.Function.Name, to.Function.Arguments = call.ID, call.Function.Name, model.ObjectOf(json.RawMessage(call.Function.Arguments))
			n.Calls = append(n.Calls, to)
		}
		out.Messages = append(out.Messages, n)
	}
	return out
}

// contentOf returns the texts and the pictures, in base64, of a content. What else there
// is becomes a note.
func contentOf(raw json.RawMessage) (text string, images []string) {
	if json.Unmarshal(raw, &text) == nil {
		return text, nil
	}
	var parts []struct {
		Type  string `json:"type"`
		Text  string `json:"text"`
		Image struct {
			URL string `json:"url"`
		} `json:"image_url"`
	}
	if json.Unmarshal(raw, &parts) != nil {
		return "", nil
	}
	var texts []string
	for _, p := range parts {
		switch _, data, picture := strings.Cut(p.Image.URL, ";base64,"); {
		case p.Type == "text":
			texts = append(texts, p.Text)
		case picture:
			images = append(images, data)
		default:
			texts = append(texts, "(a file was left out: the model cannot read it)")
		}
	}
	return strings.Join(texts, "\n\n"), images
}

// window returns the context to ask for: the user's choice for a model, else that with
// which it is loaded if that is larger than what is asked for otherwise.
func (g *Generator) window(ctx context.Context, name string) int64 {
	m, err := g.lookUp(ctx, name)
	if err != nil || m.InputTokens == 0 {
		return Window
	}
	return m.InputTokens
}

// verify returns an error if Ollama has loaded a model with a smaller context than it was
// asked for, as it does where memory is short, and a request of about size tokens does not
// fit into it. The smaller context is remembered.
func (g *Generator) verify(ctx context.Context, name string, window, size int64) error {
	g.mu.Lock()
	checked := g.checked[name] == window
	g.mu.Unlock()
	if checked {
		return nil
	}
	loaded, ok := g.loaded(ctx, name)
	if !ok {
		return nil
	}
	g.mu.Lock()
	g.checked[name] = window
	if loaded < window {
		m := g.known[name]
		m.InputTokens = loaded
		g.known[name], g.checked[name], g.clamped[name] = m, loaded, loaded
	}
	g.mu.Unlock()
	if loaded >= size {
		return nil
	}
	return &model.Error{
		Kind: model.Overflow, Status: http.StatusOK, Limit: loaded, Counted: size,
		Message: fmt.Sprintf("Ollama has loaded %s with a context of %d tokens, and the request has at least %d", transport.OneLine(name), loaded, size),
	}
}

// loaded returns the context with which a model of Ollama is loaded; false if it is not,
// or the server does not say.
func (g *Generator) loaded(ctx context.Context, name string) (int64, bool) {
	var running struct {
		Models []struct {
			Name    string `json:"name"`
			Context int64  `json:"context_length"`
		} `json:"models"`
	}
	if g.ask(ctx, http.MethodGet, "/api/ps", "", &running) != nil {
		return 0, false
	}
	for _, r := range running.Models {
		if tagged(r.Name) == tagged(name) && r.Context > 0 {
			return r.Context, true
		}
	}
	return 0, false
}

// events translates an answer of Ollama's, of which each line is an object, into the
// events of OpenAI's API.
type events struct {
	lines *bufio.Reader
	body  io.Closer
	model string
	out   bytes.Buffer
	calls int
	ended bool
}

// Close implements [io.Closer].
func (e *events) Close() error { return e.body.Close() }

// Read implements [io.Reader].
func (e *events) Read(p []byte) (int, error) {
	for e.out.Len() == 0 {
		if e.ended {
			return 0, io.EOF
		}
		line, err := e.lines.ReadBytes('\n')
		if line = bytes.TrimSpace(line); len(line) > 0 {
			e.translate(line)
		}
		switch {
		case err == nil:
		case errors.Is(err, io.EOF):
			e.ended = true
		default:
			return 0, err
		}
	}
	return e.out.Read(p)
}

// translate writes the event for a line. What cannot be read is passed on, and garbled
// there too.
func (e *events) translate(line []byte) {
	var said struct {
		Message struct {
			Content  string       `json:"content"`
			Thinking string       `json:"thinking"`
			Calls    []nativeCall `json:"tool_calls"`
		} `json:"message"`
		Done   bool            `json:"done"`
		Reason string          `json:"done_reason"`
		Prompt int64           `json:"prompt_eval_count"`
		Answer int64           `json:"eval_count"`
		Error  json.RawMessage `json:"error"`
	}
	if json.Unmarshal(line, &said) != nil || said.Error != nil {
		e.event(line)
		return
	}
	delta := map[string]any{}
	if said.Message.Content != "" {
		delta["content"] = said.Message.Content
	}
	if said.Message.Thinking != "" {
		delta["reasoning"] = said.Message.Thinking
	}
	var calls []any
	for _, c := range said.Message.Calls {
		id := c.ID
		if id == "" {
			id = model.NewCallID()
		}
		calls = append(calls, map[string]any{"index": e.calls, "id": id, "type": "function", "function": map[string]any{"name": c.Function.Name, "arguments": string(c.Function.Arguments)}})
		e.calls++
	}
	if calls != nil {
		delta["tool_calls"] = calls
	}
	choice := map[string]any{"index": 0, "delta": delta, "finish_reason": nil}
	chunk := map[string]any{"id": "ollama", "object": "chat.completion.chunk", "created": 0, "model": e.model, "choices": []any{choice}}
	if said.Done {
		switch {
		case said.Reason == "length":
			choice["finish_reason"] = "length"
		case e.calls > 0:
			choice["finish_reason"] = "tool_calls"
		default:
			choice["finish_reason"] = "stop"
		}
		chunk["usage"] = map[string]any{"prompt_tokens": said.Prompt, "completion_tokens": said.Answer, "total_tokens": said.Prompt + said.Answer}
	}
	b, err := json.Marshal(chunk)
	if err != nil {
		panic("local: an event does not encode: " + err.Error()) // it was made from JSON
	}
	e.event(b)
	if said.Done {
		e.event([]byte("[DONE]"))
	}
}

func (e *events) event(data []byte) {
	e.out.WriteString("data: ")
	e.out.Write(data)
	e.out.WriteString("\n\n")
}
