package servertest

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
)

// RoundTrip implements [http.RoundTripper] without a network. A stream that is cut
// ends with [io.ErrUnexpectedEOF]; one whose context ends, with its cause.
func (s *Server[Q, R]) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(req.Context())
	r, w := io.Pipe()
	c := &call{header: http.Header{}, begun: make(chan struct{}), body: w}
	s.answers.Go(func() {
		defer cancel()
		defer func() {
			p := recover()
			err, _ := p.(error)
			switch {
			case p == nil:
				c.WriteHeader(http.StatusOK)
				w.CloseWithError(context.Cause(req.Context())) // nil: the end of the answer
			case errors.Is(err, http.ErrAbortHandler):
				c.start(0)
				w.CloseWithError(io.ErrUnexpectedEOF)
			default:
				panic(p)
			}
		}()
		s.handler.ServeHTTP(c, req.Clone(ctx))
	})
	select {
	case <-c.begun:
	case <-req.Context().Done():
		r.CloseWithError(context.Cause(req.Context()))
		return nil, context.Cause(req.Context())
	}
	if c.status == 0 {
		return nil, io.ErrUnexpectedEOF
	}
	stop := context.AfterFunc(req.Context(), func() { w.CloseWithError(context.Cause(req.Context())) })
	return &http.Response{
		StatusCode: c.status, Status: http.StatusText(c.status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: c.sent, ContentLength: -1, Request: req, Body: &inMemory{r, func() { stop(); cancel() }},
	}, nil
}

// call is the server's side of a request in memory.
type call struct {
	header, sent http.Header
	body         *io.PipeWriter

	once   sync.Once
	begun  chan struct{} // closed when status and sent are known
	status int           // 0: the connection broke before there was one
}

func (c *call) Header() http.Header { return c.header }

func (c *call) WriteHeader(status int) { c.start(status) }

func (c *call) start(status int) {
	c.once.Do(func() {
		c.status, c.sent = status, c.header.Clone()
		close(c.begun)
	})
}

func (c *call) Write(b []byte) (int, error) {
	c.start(http.StatusOK)
	return c.body.Write(b)
}

// inMemory is the client's side of an answer.
type inMemory struct {
	r    *io.PipeReader
	over func()
}

func (b *inMemory) Read(p []byte) (int, error) { return b.r.Read(p) }

func (b *inMemory) Close() error {
	b.r.CloseWithError(errLeft)
	b.over()
	return nil
}

var errLeft = errors.New("the client has left")
