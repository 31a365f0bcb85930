// Package replay is a generator that plays recorded responses, for the demo, for
// reproducing what a model did, and for running without a model. It also records
// them. It knows no provider and no network.
//
// # The file
//
// A recording is JSON lines: each line that is not blank is one response, an
// object with these fields, all optional.
//
//	match   play this response only for a request whose last message contains this text
//	chunks  the chunks of the response, in order
//	error   the error after the chunks
//
// A chunk has
//
//	delayMs     how long to wait before it, in milliseconds
//	parts       parts in the form in which emendo stores messages:
//	            {"text": "…"}, {"thought": "…"}, {"blob": {"mime": "image/png", "data": "base64"}},
//	            {"call": {"name": "…", "args": {…}}}, each with an optional "signature" in base64
//	finish      why the response ended: stop, max_tokens, safety, malformed_call or other
//	finishWord  the provider's finish reason
//	usage       {"input", "output", "cached", "thought", "tool", "total"}, in tokens
//	citations   [{"title", "uri"}]
//	responseId  the provider's id of the response
//
// and an error has kind (a [model.ErrorKind]), message, status (of HTTP) and
// retryAfterMs. A response with neither a finish nor an error was cut off.
//
// # Playing
//
// Each request takes the first unused response whose match, if any, is in the
// request's last message: in the user's text or in results of tools. Calls get new
// IDs unless the recording has them.
package replay

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/emendo-dev/emendo/agent/model"
)

// maxLine bounds one response, in bytes.
const maxLine = 64 << 20

// Generator plays a recording. It is safe for concurrent use.
type Generator struct {
	name string

	mu   sync.Mutex
	left []response
}

// Open reads a recording from a file.
func Open(path string) (*Generator, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("opening the recording: %w", err)
	}
	defer f.Close()
	return New(path, f)
}

// New reads a recording. The name is for error messages.
func New(name string, r io.Reader) (*Generator, error) {
	g := &Generator{name: name}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	for n := 1; lines.Scan(); n++ {
		line := bytes.TrimSpace(bytes.TrimPrefix(lines.Bytes(), []byte("\ufeff")))
		if len(line) == 0 {
			continue
		}
		var resp response
		dec := json.NewDecoder(bytes.NewReader(line))
		dec.DisallowUnknownFields()
		err := dec.Decode(&resp)
		switch {
		case err != nil:
		case dec.InputOffset() < int64(len(line)):
			err = errors.New("trailing data after the response; put each response on its own line")
		default:
			err = resp.check()
		}
		if err != nil {
			return nil, fmt.Errorf("reading the recording %s, line %d: %w", name, n, err)
		}
		g.left = append(g.left, resp)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("reading the recording %s: %w", name, err)
	}
	return g, nil
}

// Stream implements [model.Generator].
func (g *Generator) Stream(ctx context.Context, req model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		resp, ok := g.nextResponse(req)
		if !ok {
			yield(model.Chunk{}, &model.Error{Kind: model.Invalid, Message: fmt.Sprintf("the recording %s has no response left for this request", g.name)})
			return
		}
		finished := false
		for _, c := range resp.Chunks {
			if !model.Wait(ctx, time.Duration(c.DelayMS)*time.Millisecond) {
				yield(model.Chunk{}, context.Cause(ctx))
				return
			}
			out := c.played()
			finished = finished || out.Finish != ""
			if !yield(out, nil) {
				return
			}
		}
		switch {
		case ctx.Err() != nil:
			yield(model.Chunk{}, context.Cause(ctx))
		case resp.Error != nil:
			yield(model.Chunk{}, resp.Error.failure())
		case !finished:
			yield(model.Chunk{}, &model.Error{Kind: model.Cut, Message: "the recorded response ended before it was complete"})
		}
	}
}

// nextResponse returns the response for a request.
func (g *Generator) nextResponse(req model.Request) (response, bool) {
	said := lastSaid(req)
	g.mu.Lock()
	defer g.mu.Unlock()
	for i, r := range g.left {
		if strings.Contains(said, r.Match) {
			g.left = append(g.left[:i:i], g.left[i+1:]...)
			return r, true
		}
	}
	return response{}, false
}

// lastSaid returns the text of the last message, including results of tools.
func lastSaid(req model.Request) string {
	if len(req.Messages) == 0 {
		return ""
	}
	var b strings.Builder
	for _, p := range req.Messages[len(req.Messages)-1].Parts {
		switch p := p.(type) {
		case model.Text:
			b.WriteString(p.Text + "\n")
		case model.Result:
			b.WriteString(p.Output + "\n")
		case model.Thought, model.Blob, model.Call:
		}
	}
	return b.String()
}
