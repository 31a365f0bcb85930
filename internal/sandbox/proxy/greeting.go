package proxy

import (
	"bytes"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"time"
)

// encryptedHello marks a greeting that names another host within what cannot be
// read.
const encryptedHello = 0xfe0d

// greeting reads the first words of a TLS client and gives them, when they name
// the host.
func greeting(in net.Conn, from io.Reader, host string) ([]byte, error) {
	if err := in.SetReadDeadline(time.Now().Add(helloTime)); err != nil {
		return nil, err
	}
	var said bytes.Buffer
	hello, err := readHello(io.TeeReader(io.LimitReader(from, 64<<10), &said))
	if err != nil {
		return nil, errors.New("what is sent is not TLS")
	}
	if name := strings.ToLower(hello.ServerName); name != host {
		return nil, fmt.Errorf("the connection is for %q", name)
	}
	if slices.Contains(hello.Extensions, encryptedHello) {
		return nil, errors.New("the connection hides whom it is for")
	}
	return said.Bytes(), in.SetReadDeadline(time.Time{})
}

var errHeard = errors.New("heard")

// readHello reads a greeting; what came along behind it may have been read as
// well.
func readHello(r io.Reader) (*tls.ClientHelloInfo, error) {
	var hello *tls.ClientHelloInfo
	err := tls.Server(listening{r}, &tls.Config{
		GetConfigForClient: func(h *tls.ClientHelloInfo) (*tls.Config, error) {
			hello = h
			return nil, errHeard
		},
	}).Handshake()
	if hello == nil {
		return nil, err
	}
	return hello, nil
}

// listening is a connection that says nothing.
type listening struct{ io.Reader }

func (listening) Write(b []byte) (int, error)      { return len(b), nil }
func (listening) Close() error                     { return nil }
func (listening) LocalAddr() net.Addr              { return nil }
func (listening) RemoteAddr() net.Addr             { return nil }
func (listening) SetDeadline(time.Time) error      { return nil }
func (listening) SetReadDeadline(time.Time) error  { return nil }
func (listening) SetWriteDeadline(time.Time) error { return nil }
