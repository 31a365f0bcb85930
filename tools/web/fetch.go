package web

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/tools"
	"github.com/emendo-dev/emendo/tools/web/address"
)

// Limits of one call.
const (
	maxAddresses = 20
	maxHops      = 5                // redirects for each address
	maxBody      = 10 << 20         // bytes of a response, after decompression
	maxTime      = 30 * time.Second // for all addresses together
	sideBySide   = 5                // requests at the same time
)

var errTooSlow = fmt.Errorf("not complete after %d s", int(maxTime.Seconds()))

// A response is a complete answer of a server.
type response struct {
	url         *url.URL // after redirects
	status      int
	contentType string
	body        []byte
}

// get fetches an address. It follows redirects that stay with a host of the
// addresses that the user has seen; approved has them. It calls led with every redirect,
// followed or not.
func (c *client) get(ctx context.Context, u *url.URL, approved []*url.URL, led func(from, to *url.URL)) (response, error) {
	for hop := 0; ; hop++ {
		r, next, err := c.request(ctx, u)
		if err != nil {
			return response{}, err
		}
		if next == nil {
			return r, nil
		}
		led(u, next)
		switch {
		case hop == maxHops:
			return response{}, fmt.Errorf("more than %d redirects", maxHops)
		case !stays(next, approved):
			return response{}, fmt.Errorf("redirects to another host; fetch %s if it is what you need", tools.Shown(next.String()))
		case u.Scheme == "https" && next.Scheme == "http":
			return response{}, fmt.Errorf("redirects to an unencrypted address; fetch %s if it is what you need", tools.Shown(next.String()))
		}
		u = next
	}
}

func stays(next *url.URL, approved []*url.URL) bool {
	for _, u := range approved {
		if address.SameSite(u, next) {
			return true
		}
	}
	return false
}

// request sends one request. next is where the server redirects to, or nil.
func (c *client) request(ctx context.Context, u *url.URL) (r response, next *url.URL, err error) {
	resp, err := c.send(ctx, u)
	if err != nil {
		return r, nil, err
	}
	defer resp.Body.Close()
	switch resp.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		if next, err = target(u, resp.Header.Get("Location")); err != nil {
			return r, nil, err
		}
		return r, next, nil
	}
	if e := resp.Header.Get("Content-Encoding"); e != "" && !strings.EqualFold(e, "identity") {
		return r, nil, fmt.Errorf("the response has the content encoding %s, which was not asked for", visible.Short(tools.Shown(e), 40))
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	switch {
	case err != nil:
		return r, nil, err
	case len(body) > maxBody:
		return r, nil, fmt.Errorf("the response is larger than %d MB", maxBody>>20)
	}
	return response{url: u, status: resp.StatusCode, contentType: resp.Header.Get("Content-Type"), body: body}, nil, nil
}

// target returns where a redirect leads.
func target(from *url.URL, location string) (*url.URL, error) {
	if location == "" {
		return nil, errors.New("redirects without saying where to")
	}
	to, err := from.Parse(location)
	if err != nil {
		return nil, errors.New("redirects to an invalid address")
	}
	to, err = address.Parse(to.String())
	if err != nil {
		return nil, fmt.Errorf("redirects to an address that is not fetched: %w", err)
	}
	if address.Local(to) {
		return nil, fmt.Errorf("redirects to %s, which is not in the public network", to.Hostname())
	}
	return to, nil
}

// failureReason returns the reason of an error, for the model.
func failureReason(ctx context.Context, err error) string {
	if ctx.Err() != nil {
		return context.Cause(ctx).Error()
	}
	var (
		dns     *net.DNSError
		private notPublic
		cert    *tls.CertificateVerificationError
		host    x509.HostnameError
		network *net.OpError
	)
	switch {
	case errors.As(err, &private):
		return private.Error()
	case errors.As(err, &dns) && dns.IsNotFound:
		return "no such host"
	case errors.As(err, &host), errors.As(err, &cert):
		return visible.Short(tools.Shown("its certificate is not valid: "+err.Error()), 200)
	case errors.As(err, &network) && network.Timeout():
		return "the connection timed out"
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "the connection ended in the middle of the response"
	}
	return visible.Short(tools.Shown(visible.OneLine(err.Error())), 300)
}
