package openai

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/ssestream"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/transport"
)

// stream is one request whose response is being read.
type stream struct {
	g     *Generator
	out   *transport.Answer
	tools []model.Tool

	x      *transport.Exchange
	id     string
	finish model.Finish
	word   string
	done   bool // the server said that the stream is complete
}

// reader translates the events of one API.
type reader interface {
	// event translates an event. It reports true after the last one.
	event(data []byte) (model.Chunk, bool, error)

	// end returns what is left when the response is complete.
	end() model.Chunk
}

// run yields the response. The caller yields the error that it returns.
func (s *stream) run(ctx context.Context, req model.Request) error {
	s.tools = req.Tools
	err := s.attempt(ctx, req)
	var stale *staleError
	if errors.As(err, &stale) && !s.out.Begun() && ctx.Err() == nil && len(stale.encrypted) > 0 {
		// Without the reasoning it is another request, which the model can answer.
		s.g.refuse.Add(stale.encrypted...)
		err = s.attempt(ctx, req)
	}
	return err
}

// staleError is the cause of the error for encrypted reasoning that the server cannot
// read.
type staleError struct{ encrypted []string }

func (*staleError) Error() string { return "the server cannot read its earlier reasoning" }

// attempt sends the request once.
func (s *stream) attempt(ctx context.Context, req model.Request) error {
	s.x, s.done = &transport.Exchange{}, false
	r, encrypted, resp, err := s.open(transport.With(ctx, s.x), req)
	if err == nil {
		err = s.read(resp, r)
	}
	switch {
	case s.out.Abandoned():
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case s.finish != "" && !transport.Withdrawn(err), s.done && err == nil:
		// The response is complete, whatever happened after its end. Some servers mark
		// nothing but the end of the stream.
		c := r.end()
		c.Finish, c.FinishWord = cmp.Or(s.finish, model.Stop), s.word
		s.out.Send(c)
		return nil
	case err != nil:
		if stale, ok := errors.AsType[*staleError](err); ok {
			stale.encrypted = encrypted
		}
		return s.g.way.Explain(err, s.x)
	}
	return transport.Incomplete(s.x)
}

// open sends the request. It also returns the encrypted reasoning that was sent.
func (s *stream) open(ctx context.Context, req model.Request) (reader, []string, *http.Response, error) {
	var resp *http.Response
	opts := []option.RequestOption{
		option.WithJSONSet("stream", true), option.WithHeader("Accept", "text/event-stream"), option.WithResponseBodyInto(&resp),
	}
	if s.g.o.API == ChatCompletions {
		r := &chatReader{s: s}
		p, err := s.g.chatRequest(req)
		if err == nil {
			_, err = s.g.chat.New(ctx, p, opts...)
		}
		return r, nil, resp, err
	}
	r := &responsesReader{s: s, search: req.Search}
	p, encrypted, err := s.g.responsesRequest(req)
	if err == nil {
		_, err = s.g.responses.New(ctx, p, opts...)
	}
	return r, encrypted, resp, err
}

// read yields the events of a response.
func (s *stream) read(resp *http.Response, r reader) error {
	dec := ssestream.NewDecoder(resp)
	if dec == nil {
		return nil
	}
	defer dec.Close() //nolint:errcheck // what was read is complete
	for dec.Next() {
		data := bytes.TrimSpace(dec.Event().Data)
		if bytes.Equal(data, []byte("[DONE]")) {
			s.done = true
			return nil
		}
		c, last, err := s.event(r, data)
		if err != nil {
			return err
		}
		if !s.out.Send(c) || last {
			return nil
		}
		s.x.Finished = s.finish != ""
	}
	return dec.Err()
}

// event translates one event. A panic of the client library about JSON of an
// unexpected form is reported as a garbled stream.
func (s *stream) event(r reader, data []byte) (c model.Chunk, last bool, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = transport.Unreadable(s.x, "the stream contains an event of unknown form", fmt.Errorf("client library: %v", p))
		}
	}()
	if f, ok := streamFailure(data); ok {
		return c, false, s.g.inStream(f, s.x)
	}
	return r.event(data)
}

// decode decodes an event into a type of the client library.
func (s *stream) decode(data []byte, out any) error {
	if err := json.Unmarshal(data, out); err != nil {
		return transport.Unreadable(s.x, "the stream contains a garbled event", nil)
	}
	return nil
}

// call returns a whole call.
func (s *stream) call(id, name, args string) model.Part {
	c := model.NewCall(id, s.name(name), []byte(args))
	c.Broken = s.g.way.Redact(c.Broken)
	return c
}

// name returns the tool's name for its name on the wire.
func (s *stream) name(wire string) string {
	for _, t := range s.tools {
		if wireName(t.Name) == wire {
			return t.Name
		}
	}
	return wire
}

// usage translates counts. The APIs count reasoning as output.
func usage(input, cached, output, reasoned, total int64) *model.Usage {
	return &model.Usage{Input: input, Cached: cached, Output: max(output-reasoned, 0), Thought: reasoned, Total: cmp.Or(total, input+output)}
}

// respond returns id if it is new.
func (s *stream) respond(id string) string {
	if id == s.id {
		return ""
	}
	s.id = id
	return id
}
