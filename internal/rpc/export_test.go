package rpc

import "io"

// WithLineBuffer returns the options with a read buffer of so many bytes.
func (o Options) WithLineBuffer(bytes int) Options {
	o.lineBuffer = bytes
	return o
}

// Next returns the first message of a stream.
func Next(r io.Reader) ([]byte, error) { return newFrames(r, Options{}.withDefaults()).next() }
