package rpc

import (
	"context"
	"io"
)

// Drain waits until everything that was queued before is written.
func (c *Conn) Drain(ctx context.Context) error { return c.out.drain(ctx) }

// WithLineBuffer returns the options with a read buffer of so many bytes.
func (o Options) WithLineBuffer(bytes int) Options {
	o.lineBuffer = bytes
	return o
}

// Next returns the first message of a stream.
func Next(r io.Reader) ([]byte, error) { return newFrames(r, Options{}.withDefaults()).next() }
