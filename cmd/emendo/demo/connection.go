package demo

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"strconv"
)

// message is a JSON-RPC message of either side.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *wireError      `json:"error,omitempty"`
}

type wireError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// methodNotFound is JSON-RPC's code for a request that nobody answers.
const methodNotFound = -32601

// maxMessage bounds what is taken from the server, in bytes.
const maxMessage = 16 << 20

// connection is the editor's end of the wire. One goroutine uses it.
type connection struct {
	w        io.Writer
	incoming <-chan message // closed when the server has hung up
	nextID   int
	answers  map[string]message // those that came while another was waited for
}

// queued is how many messages may wait to be looked at.
const queued = 256

// listen reads messages until the server hangs up or ctx ends.
func listen(ctx context.Context, r io.Reader, out chan<- message) {
	defer close(out)
	b := bufio.NewReader(r)
	for {
		m, err := receive(b)
		if err != nil {
			return // the editor sees the end of the messages
		}
		select {
		case out <- m:
		case <-ctx.Done():
			return
		}
	}
}

func receive(b *bufio.Reader) (message, error) {
	header, err := textproto.NewReader(b).ReadMIMEHeader()
	if err != nil {
		return message{}, err
	}
	n, err := strconv.Atoi(header.Get("Content-Length"))
	if err != nil || n < 0 || n > maxMessage {
		return message{}, fmt.Errorf("a message of %q bytes", header.Get("Content-Length"))
	}
	body := make([]byte, n)
	if _, err := io.ReadFull(b, body); err != nil {
		return message{}, err
	}
	var m message
	return m, json.Unmarshal(body, &m)
}

func (c *connection) send(m message) error {
	m.Version = "2.0"
	b, err := json.Marshal(m)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.w, "Content-Length: %d\r\n\r\n%s", len(b), b)
	return err
}

func (c *connection) notify(method string, params any) error {
	p, err := json.Marshal(params)
	if err != nil {
		return err
	}
	return c.send(message{Method: method, Params: p})
}

// reply answers a request of the server.
func (c *connection) reply(id json.RawMessage, result any, e *wireError) error {
	r, err := json.Marshal(result)
	if err != nil {
		return err
	}
	m := message{ID: id, Result: r}
	if e != nil {
		m.Result, m.Error = nil, e
	}
	return c.send(m)
}

// call sends a request and has everything else that comes handled until the
// answer is there. Handling may call again: answers are kept for whoever waits.
func (c *connection) call(ctx context.Context, method string, params, result any, handle func(context.Context, message) error) error {
	p, err := json.Marshal(params)
	if err != nil {
		return err
	}
	c.nextID++
	id := strconv.Itoa(c.nextID)
	if err := c.send(message{ID: json.RawMessage(id), Method: method, Params: p}); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	for {
		if m, ok := c.answers[id]; ok {
			delete(c.answers, id)
			if m.Error != nil {
				return fmt.Errorf("%s: %s", method, m.Error.Message)
			}
			if result == nil {
				return nil
			}
			return json.Unmarshal(m.Result, result)
		}
		select {
		case m, ok := <-c.incoming:
			switch {
			case !ok:
				return errors.Join(fmt.Errorf("%s: the language server hung up", method), context.Cause(ctx))
			case m.Method == "":
				c.answers[string(m.ID)] = m
			default:
				if err := handle(ctx, m); err != nil {
					return err
				}
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
