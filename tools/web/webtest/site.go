// Package webtest has a small web in memory, for tests of what fetches pages.
package webtest

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"github.com/emendo-dev/emendo/tools/web"
)

// A Site maps the addresses of pages, http only, to what their servers answer.
type Site map[string]Page

// A Page is an answer. The zero Status is 200.
type Page struct {
	Status int
	Header http.Header
	Body   string
}

// Options returns options with which the tools have no other web than s.
func (s Site) Options() web.Options { return web.Options{Lookup: s.lookup, Dial: s.dial} }

func (s Site) lookup(_ context.Context, host string) ([]netip.Addr, error) {
	for address := range s {
		if u, err := url.Parse(address); err == nil && u.Hostname() == host {
			return []netip.Addr{netip.AddrFrom4([4]byte{93, 184, 215, 14})}, nil
		}
	}
	return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
}

// dial returns a connection whose other end answers one request.
func (s Site) dial(context.Context, netip.AddrPort) (net.Conn, error) {
	ours, theirs := net.Pipe()
	go func() { // ends when either side closes the connection
		defer theirs.Close()
		r, err := http.ReadRequest(bufio.NewReader(theirs))
		if err != nil {
			return
		}
		p, ok := s["http://"+r.Host+r.URL.RequestURI()]
		if !ok {
			p = Page{Status: http.StatusNotFound}
		}
		answer := http.Response{StatusCode: p.Status, ProtoMajor: 1, ProtoMinor: 1, Header: p.Header, Body: io.NopCloser(strings.NewReader(p.Body)), ContentLength: int64(len(p.Body)), Close: true}
		if answer.StatusCode == 0 {
			answer.StatusCode = http.StatusOK
		}
		_ = answer.Write(theirs) // the client may have gone
	}()
	return ours, nil
}
