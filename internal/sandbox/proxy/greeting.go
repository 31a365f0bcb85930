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

// encryptedHello is the extension of a ClientHello that names another host in
// encrypted form.
const encryptedHello = 0xfe0d

// greeting reads the ClientHello of a TLS client and returns its bytes if it
// names the host.
func greeting(in net.Conn, from io.Reader, host string) ([]byte, error) {
	if err := in.SetReadDeadline(time.Now().Add(helloTime)); err != nil {
		return nil, err
	}
	var said bytes.Buffer
	hello, err := readHello(io.TeeReader(io.LimitReader(from, 64<<10), &said))
	if err != nil {
		return nil, errors.New("the connection is not TLS")
	}
	if name := strings.ToLower(hello.ServerName); name != host {
		return nil, fmt.Errorf("the connection is for %q", name)
	}
	if slices.Contains(hello.Extensions, encryptedHello) {
		return nil, errors.New("the connection hides its host")
	}
	return said.Bytes(), in.SetReadDeadline(time.Time{})
}

var errHeard = errors.New("heard")

// readHello reads a ClientHello. It may read beyond its end.
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

// listening is a connection that discards what is written to it.
type listening struct{ io.Reader }

func (listening) Write(b []byte) (int, error)      { return len(b), nil }
func (listening) Close() error                     { return nil }
func (listening) LocalAddr() net.Addr              { return nil }
func (listening) RemoteAddr() net.Addr             { return nil }
func (listening) SetDeadline(time.Time) error      { return nil }
func (listening) SetReadDeadline(time.Time) error  { return nil }
func (listening) SetWriteDeadline(time.Time) error { return nil }
