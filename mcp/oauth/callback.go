package oauth

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// An answer is the result that an authorization server sends by redirecting the
// browser.
type answer struct {
	code   string
	issuer string // as the server names itself; may be empty
	err    error  // it refuses
}

// A callback waits for the browser at an address of this machine.
type callback struct {
	redirect string // the address
	state    string // that answers must have
	answers  chan answer
	listener net.Listener // nil: the address is on another machine
	server   *http.Server
	served   chan struct{}
}

// listen opens an address for the browser: the configured one, or else one with a free
// port. If the configured one is on another machine, the user has to paste where the
// browser ends.
func listen(configured, state string) (*callback, error) {
	if configured == "" {
		configured = "http://127.0.0.1/callback"
	}
	u, err := url.Parse(configured)
	if err != nil || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("oauth.redirectUri: %s is not a plain address", shown(configured))
	}
	c := &callback{redirect: configured, state: state, answers: make(chan answer, 1), served: make(chan struct{})}
	if u.Scheme != "http" || !onThisMachine(u.Hostname()) {
		close(c.served)
		return c, nil
	}
	port := u.Port()
	if port == "" {
		port = "0"
	}
	c.listener, err = net.Listen("tcp", net.JoinHostPort(u.Hostname(), port))
	if err != nil {
		return nil, fmt.Errorf("wait for the browser: %w", err)
	}
	if port == "0" {
		_, port, err = net.SplitHostPort(c.listener.Addr().String())
		if err != nil {
			return nil, err
		}
	}
	u.Host = net.JoinHostPort(u.Hostname(), port)
	c.redirect = u.String()
	path := u.EscapedPath()
	if path == "" {
		path = "/"
	}
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet || r.URL.EscapedPath() != path {
			http.NotFound(w, r)
			return
		}
		c.serve(w, r)
	})
	c.server = &http.Server{Handler: handler, ReadTimeout: 10 * time.Second, MaxHeaderBytes: 64 << 10}
	go func() {
		defer close(c.served)
		_ = c.server.Serve(c.listener) // until close
	}()
	return c, nil
}

// serve takes an answer from the browser. One that is not to this login does not end
// it: any page can send the browser here.
func (c *callback) serve(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'none'")
	w.Header().Set("Referrer-Policy", "no-referrer")
	w.Header().Set("Cache-Control", "no-store")
	if err := c.take(r.URL.Query()); err != nil {
		http.Error(w, "emendo: "+err.Error(), http.StatusBadRequest)
		return
	}
	fmt.Fprintln(w, "emendo has the answer. You can close this window and return to the terminal.")
}

// paste takes the address at which the browser ended.
func (c *callback) paste(line string) error {
	u, err := url.Parse(strings.TrimSpace(line))
	if err != nil || u.RawQuery == "" {
		return errors.New("that is not the address at which the browser ends: it has code= and state= in it")
	}
	return c.take(u.Query())
}

// take takes an answer, once.
func (c *callback) take(q url.Values) error {
	for _, name := range []string{"state", "code", "error", "iss"} {
		if len(q[name]) > 1 {
			return errors.New("the answer has " + name + " more than once")
		}
	}
	if subtle.ConstantTimeCompare([]byte(q.Get("state")), []byte(c.state)) != 1 {
		return errors.New("this is not the answer to the login that is open")
	}
	a := answer{code: q.Get("code"), issuer: q.Get("iss")}
	if reason := q.Get("error"); reason != "" {
		if text := q.Get("error_description"); text != "" {
			reason += ": " + text
		}
		a.err = fmt.Errorf("the authorization server refuses: %s", shown(reason))
	} else if a.code == "" {
		return errors.New("the answer has no code")
	}
	select {
	case c.answers <- a:
		return nil
	default:
		return errors.New("the login has had its answer")
	}
}

// close stops waiting for the browser, after it has its page.
func (c *callback) close() {
	if c.server != nil {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if err := c.server.Shutdown(ctx); err != nil {
			_ = c.server.Close()
		}
	}
	<-c.served
}
