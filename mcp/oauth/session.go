package oauth

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"
)

// A Session sends the requests of one connection to a server with the user's login. It
// never signs in.
type Session struct {
	logins Logins
	target Target
	next   http.RoundTripper

	changing chan struct{}         // held by who changes the stored login
	login    atomic.Pointer[Login] // as last read, the zero Login if there is none; nil: not read
}

// Session returns the login for a connection to a target, whose requests next sends; nil if
// no logins are kept, or the target's configuration has credentials of its own.
func (l Logins) Session(t Target, next http.RoundTripper) *Session {
	if l.Dir == "" || Configured(t.Headers) {
		return nil
	}
	return &Session{logins: l, target: t, next: next, changing: make(chan struct{}, 1)}
}

// RoundTrip implements [http.RoundTripper]. When the target refuses the token, the token is
// renewed once. The error is [ErrLogin] if that does not help, and a [LackingError] if the
// target wants further permissions.
func (s *Session) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx := r.Context()
	token, err := s.Token(ctx)
	if err != nil {
		return nil, err
	}
	for renewed := false; ; renewed = true {
		if token != "" {
			r = r.Clone(ctx)
			r.Header.Set("Authorization", "Bearer "+token)
		}
		resp, err := s.next.RoundTrip(r)
		if err != nil {
			return nil, err
		}
		if !asksForLogin(resp) {
			if err := s.accepted(ctx, resp); err != nil {
				_ = resp.Body.Close()
				return nil, err
			}
			return resp, nil
		}
		_ = resp.Body.Close()
		if renewed {
			return nil, s.giveUp(ctx, token)
		}
		if token, err = s.Refused(ctx, token); err != nil {
			return nil, err
		}
		if r.Body != nil && r.Body != http.NoBody {
			if r.GetBody == nil {
				return nil, errors.New("the login was renewed; try again")
			}
			r = r.Clone(ctx)
			if r.Body, err = r.GetBody(); err != nil {
				return nil, err
			}
		}
	}
}

// Token returns the token for the next request to the target, renewed if it has
// expired; empty if there is no login. The error is [ErrLogin] if the login has ended.
func (s *Session) Token(ctx context.Context) (string, error) {
	login := s.login.Load()
	if login == nil {
		found, err := s.logins.find(s.target)
		if found == nil && err != nil {
			return "", err
		}
		login = cmp.Or(found, &Login{})
		s.login.CompareAndSwap(nil, login)
	}
	if login.AccessToken == "" {
		return "", nil
	}
	if _, err := secure(s.target.URL); err != nil {
		return "", fmt.Errorf("its address cannot be sent a token: %w", err)
	}
	if login.fresh() {
		return login.AccessToken, nil
	}
	return s.Refused(ctx, "")
}

// Refused returns another token than the one that the target refused, which may be empty:
// one that another process has stored meanwhile, or a new one for the refresh token. The
// error is [ErrLogin] if there is none.
func (s *Session) Refused(ctx context.Context, token string) (string, error) {
	err := s.change(ctx, func(now *Login) error {
		switch {
		case now.AccessToken != "" && now.AccessToken != token && now.fresh() && !now.Refused:
			return nil
		case now.RefreshToken == "":
			return s.needed(now)
		}
		return s.renew(ctx, now)
	})
	if err != nil {
		return "", err
	}
	return s.login.Load().AccessToken, nil
}

// change changes the stored login, the zero Login if there is none. Only one process at a
// time does that, since a refresh token may be good for one use.
func (s *Session) change(ctx context.Context, change func(now *Login) error) error {
	select {
	case s.changing <- struct{}{}:
		defer func() { <-s.changing }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	unlock, err := s.logins.lock(s.target.URL)
	if err != nil {
		return err
	}
	defer unlock()
	now, err := s.logins.find(s.target)
	if now == nil && err != nil {
		return err
	}
	now = cmp.Or(now, &Login{})
	err = change(now)
	s.login.Store(now)
	return err
}

// accepted notes what a response that asks for no login means for it: that the target takes
// it, or that it lacks scopes, for the next login to ask for them.
func (s *Session) accepted(ctx context.Context, resp *http.Response) error {
	if lacks := lackingScopes(resp); len(lacks) > 0 {
		err := s.change(ctx, func(now *Login) error {
			if all := union(now.Lacks, lacks); now.Server != "" && len(all) > len(now.Lacks) {
				now.Lacks = all
				return s.logins.write(now)
			}
			return nil
		})
		return cmp.Or(err, error(&LackingError{Scopes: lacks}))
	}
	was := s.login.Load()
	if !was.Refused || resp.StatusCode >= http.StatusBadRequest {
		return nil
	}
	_ = s.change(ctx, func(now *Login) error { // the note is not worth the request that succeeded
		switch {
		case now.AccessToken != was.AccessToken || !now.Refused:
			return nil
		case now.AccessToken == "":
			note := *now
			*now = Login{}
			return s.logins.remove(&note)
		}
		now.Refused = false
		return s.logins.write(now)
	})
	return nil
}

// lackingScopes returns the scopes that a response says the login lacks.
func lackingScopes(resp *http.Response) []string {
	for _, c := range challenges(resp) {
		if resp.StatusCode == http.StatusForbidden && c.Scheme == "bearer" && c.Params["error"] == "insufficient_scope" {
			return strings.Fields(c.Params["scope"])
		}
	}
	return nil
}

// asksForLogin reports whether a response means that the server wants a login, and not
// credentials of another kind.
func asksForLogin(resp *http.Response) bool {
	l := challenges(resp)
	return resp.StatusCode == http.StatusUnauthorized && (len(l) == 0 || slices.ContainsFunc(l, func(c oauthex.Challenge) bool { return c.Scheme == "bearer" }))
}

// challenges returns what a response says about credentials; nil if that cannot be read.
func challenges(resp *http.Response) []oauthex.Challenge {
	l, err := oauthex.ParseWWWAuthenticate(resp.Header.Values("WWW-Authenticate"))
	if err != nil {
		return nil
	}
	return l
}

// renew replaces the tokens of a login by new ones for its refresh token.
func (s *Session) renew(ctx context.Context, now *Login) error {
	c, err := s.logins.newClient(ctx, s.target, now.TokenURL)
	if err != nil {
		return err
	}
	token, err := refresh(ctx, c, now)
	if e, ok := errors.AsType[*oauth2.RetrieveError](err); ok && slices.Contains([]string{"invalid_grant", "invalid_client", "unauthorized_client"}, e.ErrorCode) {
		now.RefreshToken, now.Refused = "", false // the authorization server has ended it
		return s.needed(now)
	}
	if err != nil {
		return fmt.Errorf("renew the login at %s: %w", shown(now.TokenURL), plain(err))
	}
	if err := now.setTokens(token); err != nil {
		return err
	}
	return s.logins.write(now)
}

// refresh asks for new tokens. The library's own refresh does not name the resource
// (RFC 8707), so this is the request of a client's credentials with another grant.
func refresh(ctx context.Context, c *client, login *Login) (*oauth2.Token, error) {
	config := clientcredentials.Config{
		ClientID: login.ClientID, ClientSecret: login.ClientSecret, TokenURL: login.TokenURL, AuthStyle: login.Style,
		EndpointParams: url.Values{"grant_type": {"refresh_token"}, "refresh_token": {login.RefreshToken}, "resource": {login.Resource}},
	}
	return config.Token(context.WithValue(ctx, oauth2.HTTPClient, c.post))
}

// giveUp notes that the target refuses a token that was just renewed, and returns
// [ErrLogin].
func (s *Session) giveUp(ctx context.Context, token string) error {
	return s.change(ctx, func(now *Login) error {
		if now.AccessToken != token {
			return ErrLogin // the user has signed in again
		}
		return s.needed(now)
	})
}

// needed notes in a login that the target asks for another one, and returns [ErrLogin].
func (s *Session) needed(now *Login) error {
	if now.Refused {
		return ErrLogin // as it is noted
	}
	if now.Server == "" {
		*now = Login{Name: s.target.Name, Server: s.target.URL, At: time.Now()}
	}
	now.Refused = true
	return errors.Join(ErrLogin, s.logins.write(now))
}
