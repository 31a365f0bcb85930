// Package loopback waits for the answer of an authorization server, which sends the
// user's browser to an address of this machine. It knows neither the request nor what the
// answer is exchanged for.
package loopback

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/emendo-dev/emendo/internal/visible"
)

// defaultWait limits how long a login waits for the user.
const defaultWait = 5 * time.Minute

// A User is who signs in. Open is needed.
type User struct {
	// Open shows where to sign in: at the address, which the browser opens, of the
	// authorization server issuer.
	Open func(address, issuer string, scopes []string)
	// Pasted returns lines that the user types: the address at which the browser ended,
	// if that is on another machine. nil: the user cannot type.
	Pasted <-chan string
	// Wrong tells the user what is wrong with such a line; nil: nobody is told.
	Wrong func(err error)
	Wait  time.Duration // 0 means five minutes
}

// An Answer is the result that an authorization server sends by redirecting the
// browser.
type Answer struct {
	Code   string
	Issuer string // as the server names itself; may be empty
}

// An answer may also be a refusal.
type answer struct {
	Answer

	err error
}

// A Callback waits for the browser at an address of this machine.
type Callback struct {
	Redirect string // the address
	State    string // that answers must have
	answers  chan answer
	listener net.Listener // nil: the address is on another machine
	server   *http.Server
	served   chan struct{}
}

// Listen opens an address for the browser: the configured one, or else one with a free
// port. If the configured one is on another machine, the user has to paste where the
// browser ends. setting is where it is configured.
func Listen(configured, setting string) (*Callback, error) {
	if configured == "" {
		configured = "http://127.0.0.1/callback"
	}
	u, err := url.Parse(configured)
	if err != nil || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("%s: %s is not a plain address", setting, shown(configured))
	}
	c := &Callback{Redirect: configured, State: rand.Text(), answers: make(chan answer, 1), served: make(chan struct{})}
	if u.Scheme != "http" || !OnThisMachine(u.Hostname()) {
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
	c.Redirect = u.String()
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
		_ = c.server.Serve(c.listener) // until Close
	}()
	return c, nil
}

// Reachable reports whether the browser reaches the address by itself, if it is on this
// machine.
func (c *Callback) Reachable() bool { return c.listener != nil }

// Wait waits for the browser, or the user, to bring an answer.
func (c *Callback) Wait(ctx context.Context, u User) (Answer, error) {
	limit := cmp.Or(u.Wait, defaultWait)
	late := time.NewTimer(limit)
	defer late.Stop()
	for {
		select {
		case a := <-c.answers:
			return a.Answer, a.err
		case line, ok := <-u.Pasted:
			if !ok {
				u.Pasted = nil
				continue
			}
			if strings.TrimSpace(line) == "" {
				continue
			}
			if err := c.paste(line); err != nil && u.Wrong != nil {
				u.Wrong(err)
			}
		case <-late.C:
			return Answer{}, fmt.Errorf("nobody signed in within %s; run the command again", limit)
		case <-ctx.Done():
			return Answer{}, context.Cause(ctx)
		}
	}
}

// serve takes an answer from the browser. One that is not to this login does not end
// it: any page can send the browser here.
func (c *Callback) serve(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'none'")
	w.Header().Set("Referrer-Policy", "no-referrer")
	w.Header().Set("Cache-Control", "no-store")
	if err := c.acceptAnswer(r.URL.Query()); err != nil {
		http.Error(w, "emendo: "+err.Error(), http.StatusBadRequest)
		return
	}
	fmt.Fprintln(w, "emendo has the answer. You can close this window and return to the terminal.")
}

// paste takes the address at which the browser ended.
func (c *Callback) paste(line string) error {
	u, err := url.Parse(strings.TrimSpace(line))
	if err != nil || u.RawQuery == "" {
		return errors.New("that is not the address at which the browser ends: it has code= and state= in it")
	}
	return c.acceptAnswer(u.Query())
}

// acceptAnswer takes an answer, once.
func (c *Callback) acceptAnswer(q url.Values) error {
	for _, name := range []string{"state", "code", "error", "iss"} {
		if len(q[name]) > 1 {
			return errors.New("the answer has " + name + " more than once")
		}
	}
	if subtle.ConstantTimeCompare([]byte(q.Get("state")), []byte(c.State)) != 1 {
		return errors.New("this is not the answer to the login that is open")
	}
	a := answer{Answer: Answer{Code: q.Get("code"), Issuer: q.Get("iss")}}
	if reason := q.Get("error"); reason != "" {
		if text := q.Get("error_description"); text != "" {
			reason += ": " + text
		}
		a.err = fmt.Errorf("the authorization server refuses: %s", shown(reason))
	} else if a.Code == "" {
		return errors.New("the answer has no code")
	}
	select {
	case c.answers <- a:
		return nil
	default:
		return errors.New("the login has had its answer")
	}
}

// Close stops waiting for the browser, after it has its page.
func (c *Callback) Close() {
	if c.server != nil {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if err := c.server.Shutdown(ctx); err != nil {
			_ = c.server.Close()
		}
	}
	<-c.served
}

// OnThisMachine reports whether a host's name is that of this machine.
func OnThisMachine(host string) bool {
	a, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && a.Unmap().IsLoopback()
}

// shown returns a text of a server for an error.
func shown(s string) string { return visible.ShortLine(s, 200) }
