package network

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"syscall"
	"time"
)

// maxRedirects limits the redirects of one request.
const maxRedirects = 5

// SameServer is the CheckRedirect of an [http.Client] whose requests stay at the server
// that was asked.
func SameServer(r *http.Request, via []*http.Request) error {
	switch first := via[0].URL; {
	case r.URL.Scheme != first.Scheme || !strings.EqualFold(r.URL.Host, first.Host):
		return fmt.Errorf("it redirects to another server, %s", r.URL.Host)
	case len(via) > maxRedirects:
		return errors.New("it redirects too often")
	}
	return nil
}

// CheckedDialer returns a dialer for addresses for which check returns no error. The check
// is on the address that the socket connects to.
func CheckedDialer(timeout time.Duration, check func(netip.Addr) error) *net.Dialer {
	return &net.Dialer{Timeout: timeout, Control: func(_, address string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(address)
		if err != nil {
			return err
		}
		return check(to.Addr())
	}}
}
