package rpc

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
)

// Framing is the way to separate messages in a stream of bytes.
type Framing int

const (
	// ContentLength puts a header with the length before each message, as LSP does.
	ContentLength Framing = iota
	// Newline ends each message with a newline and has none inside, as ACP does.
	Newline
)

const (
	// headSize is the part of a message over the limit that is kept to find its
	// id, in bytes. Clients write the id before the params.
	headSize = 4 << 10
	// firstRead is the size of the first buffer for a message, in bytes. A header
	// can claim any length, and a false claim must not cost memory.
	firstRead = 1 << 20
)

// A badFrame is a message that could not be read. It has been skipped, and the
// stream continues with the next one.
type badFrame struct {
	err  *Error
	head []byte // the beginning of the message, or nil
}

func (b *badFrame) Error() string { return b.err.Message }

// frames cuts a stream into messages.
type frames struct {
	in      *bufio.Reader
	framing Framing
	max     int // longest accepted message, in bytes
	log     *slog.Logger
}

func newFrames(r io.Reader, o Options) *frames {
	return &frames{in: bufio.NewReaderSize(r, o.lineBuffer), framing: o.Framing, max: o.MaxMessage, log: o.Log}
}

// next returns the next message, in memory of its own. A *[badFrame]
// is about that message alone. Any other error ends the stream: io.EOF between
// messages, io.ErrUnexpectedEOF inside one.
func (f *frames) next() ([]byte, error) {
	if f.framing == Newline {
		return f.nextLine()
	}
	length, err := f.header()
	if err != nil {
		return nil, err
	}
	if length > int64(f.max) {
		return nil, f.discard(length)
	}
	return f.readBody(int(length))
}

// readBody reads a message of n bytes.
func (f *frames) readBody(n int) ([]byte, error) {
	body := make([]byte, 0, min(n, firstRead))
	for len(body) < n {
		if len(body) == cap(body) {
			body = slices.Grow(body, min(len(body), n-len(body)))
		}
		m, err := io.ReadFull(f.in, body[len(body):min(cap(body), n)])
		body = body[:len(body)+m]
		if err != nil {
			return nil, endedInside(err)
		}
	}
	return body, nil
}

// discard reads past a message of n bytes that is over the limit.
func (f *frames) discard(n int64) error {
	head, err := f.readBody(int(min(n, headSize)))
	if err != nil {
		return err
	}
	if _, err := io.CopyN(io.Discard, f.in, n-int64(len(head))); err != nil {
		return endedInside(err)
	}
	return f.tooLong(head)
}

// nextLine reads the next line that is not blank.
func (f *frames) nextLine() ([]byte, error) {
	var line []byte
	over := false
	for {
		part, err := f.in.ReadSlice('\n')
		if !over {
			line = append(line, part...)
		}
		if len(line) > f.max {
			over = true
			line = slices.Clone(line[:min(len(line), headSize)])
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && len(bytes.TrimSpace(line)) > 0:
			return nil, endedInside(err)
		case err != nil:
			return nil, err
		case over:
			return nil, f.tooLong(line)
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			return line, nil
		}
	}
}

func (f *frames) tooLong(head []byte) *badFrame {
	return &badFrame{
		err:  Errorf(InvalidRequest, "the message is longer than the limit of %d bytes and was skipped", f.max),
		head: head,
	}
}

// endedInside returns the error for a stream that ended in the middle of a message.
func endedInside(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("the stream ended inside a message: %w", io.ErrUnexpectedEOF)
	}
	return err
}
