package remote

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"

	"github.com/emendo-dev/emendo/mcp/schema"
)

// heard is the body of an answer, whose messages are kept before the reader has them whole.
type heard struct {
	io.ReadCloser

	written *schema.Written
	events  bool   // it is a stream of events
	text    []byte // what was read of the current message
	over    bool   // it has ended, or is too long
}

func hear(resp *http.Response, w *schema.Written) io.ReadCloser {
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	return &heard{ReadCloser: resp.Body, written: w, events: kind == "text/event-stream"}
}

// Read implements [io.Reader].
func (h *heard) Read(p []byte) (int, error) {
	n, err := h.ReadCloser.Read(p)
	if h.over {
		return n, err
	}
	h.text = append(h.text, p[:n]...)
	for h.events {
		end := bytes.IndexByte(h.text, '\n')
		if end < 0 {
			break
		}
		h.line(h.text[:end])
		h.text = h.text[end+1:]
	}
	if errors.Is(err, io.EOF) {
		h.line(h.text)
	}
	if err != nil || len(h.text) > maxEvent {
		h.over, h.text = true, nil
	}
	return n, err
}

// line keeps a message, which is a line of data in a stream of events.
func (h *heard) line(text []byte) {
	if h.events {
		text = bytes.TrimPrefix(text, []byte("data:"))
	}
	h.written.Message(text)
}
