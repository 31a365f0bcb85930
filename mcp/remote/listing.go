package remote

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"

	"github.com/emendo-dev/emendo/mcp/schema"
)

// maxRequest limits the request that is looked into, in bytes.
const maxRequest = 64 << 10

// mayListTools reports whether the answer to a request may have the server's tools. One that
// asks for something else has none; a stream has the answers to any requests.
func mayListTools(r *http.Request) bool {
	if r.Method == http.MethodGet {
		return true
	}
	if r.Method != http.MethodPost || r.GetBody == nil || r.ContentLength > maxRequest {
		return false
	}
	b, err := r.GetBody()
	if err != nil {
		return false
	}
	defer b.Close()
	text, err := io.ReadAll(io.LimitReader(b, maxRequest))
	return err == nil && bytes.Contains(text, []byte(`"tools/list"`))
}

// heard is the body of an answer, whose messages are kept before the reader has them whole.
type heard struct {
	io.ReadCloser

	written *schema.Written
	events  bool   // it is a stream of events
	text    []byte // what was read of the current message; of an event, its data
	begun   int    // where in text the current line of an event begins
	over    bool   // it has ended, or is too long
}

func keepingSchemas(resp *http.Response, w *schema.Written) io.ReadCloser {
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	return &heard{ReadCloser: resp.Body, written: w, events: kind == "text/event-stream"}
}

// Read implements [io.Reader].
func (h *heard) Read(p []byte) (int, error) {
	n, err := h.ReadCloser.Read(p)
	if h.over {
		return n, err
	}
	rest := p[:n]
	for h.events {
		line, after, ended := bytes.Cut(rest, []byte("\n"))
		if !ended {
			break
		}
		h.text = append(h.text, line...)
		h.endLine()
		rest = after
	}
	h.text = append(h.text, rest...)
	if errors.Is(err, io.EOF) {
		if h.events {
			h.endLine()
		}
		h.written.Message(h.text)
	}
	if err != nil || len(h.text) > maxEvent {
		h.over, h.text = true, nil
	}
	return n, err
}

// endLine ends a line of an event. Of those with data the data stays; an empty one ends the
// message.
func (h *heard) endLine() {
	line := bytes.TrimRight(h.text[h.begun:], "\r")
	data, ok := bytes.CutPrefix(line, []byte("data:"))
	switch {
	case len(line) == 0:
		h.written.Message(h.text)
		h.text = nil
	case ok:
		h.text = append(append(h.text[:h.begun], data...), '\n')
	default:
		h.text = h.text[:h.begun]
	}
	h.begun = len(h.text)
}
