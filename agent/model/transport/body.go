package transport

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"time"

	"github.com/emendo-dev/emendo/agent/model"
)

// body is the stream of one response with normalized framing and a limit on
// silence. Time that the reader takes does not count.
type body struct {
	x      *Exchange
	ctx    context.Context // of this request; its cause tells who ended it
	cancel context.CancelCauseFunc
	inner  io.ReadCloser

	begun   bool // the stream has more than white space
	events  events
	read    int           // bytes of events.out that were read
	left    time.Duration // how much longer the stream may be silent
	idle    time.Duration
	silence string // the error message when that time is over
	buf     [32 << 10]byte
	size    int64 // of what came so far
	most    int64 // that may come
	err     error // what follows the events
}

// maxStream bounds a response, in bytes, and so all that is kept of it until it is yielded,
// unless there is another bound.
// OpenAI's Responses API sends everything three times: in pieces, as items and as a whole.
const maxStream = 128 << 20

// Read reads from complete events.
func (b *body) Read(p []byte) (int, error) {
	for b.read == len(b.events.out) {
		if b.err != nil {
			return 0, b.err
		}
		b.events.out, b.read = reuse(b.events.out), 0
		b.readConnection()
	}
	n := copy(p, b.events.out[b.read:])
	b.read += n
	return n, nil
}

// readConnection reads once from the connection.
func (b *body) readConnection() {
	wait := b.left
	if b.x.Finished {
		wait = min(wait, afterFinish)
	}
	started := time.Now()
	silence := b.silence
	timer := time.AfterFunc(wait, func() { b.cancel(&model.Error{Kind: model.Cut, Message: silence}) })
	n, err := b.inner.Read(b.buf[:])
	timer.Stop()
	b.left = max(b.left-time.Since(started), 0)
	if b.size += int64(n); b.size > b.most {
		b.err = &model.Error{Kind: model.Invalid, Status: b.x.Status, Message: fmt.Sprintf("the response exceeds %d MiB", b.most>>20)}
		return
	}

	if first := bytes.TrimLeft(bytes.TrimPrefix(b.buf[:n], byteOrderMark), " \t\r\n"); !b.begun && len(first) > 0 {
		b.begun = true
		if first[0] == '<' { // whatever type it was sent with
			b.err = webPage(b.x.Status)
			return
		}
	}
	b.events.live = false
	if bad := b.events.parse(b.buf[:n]); bad != nil {
		b.err = bad
		return
	}
	if b.events.live {
		b.left = b.idle
		b.silence = "the response stalled for " + b.idle.String()
	}
	switch {
	case err == io.EOF:
		b.events.end()
		b.err = err
	case err != nil:
		b.err = cause(b.ctx, err)
	}
}

// Close ends the request.
func (b *body) Close() error {
	b.cancel(nil)
	return b.inner.Close()
}
