package oauth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"
)

// A Session adds the user's login to the requests of one connection to a server. It
// never signs in.
type Session struct {
	logins Logins
	target Target

	turn     chan struct{} // held by who uses the fields below
	login    *Login        // as last read; may be nil
	looked   bool          // login was read
	accepted bool          // the server has accepted a request
}

// Session returns the login for a connection to a target; nil if no logins are kept.
func (l Logins) Session(t Target) *Session {
	if l.Dir == "" {
		return nil
	}
	return &Session{logins: l, target: t, turn: make(chan struct{}, 1)}
}

// begin waits for the others who use the session.
func (s *Session) begin(ctx context.Context) error {
	select {
	case s.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (s *Session) end() { <-s.turn }

// Token returns the token for the next request to the target, renewed if it has
// expired; empty if there is no login. The error is [ErrLogin] if the login has ended.
func (s *Session) Token(ctx context.Context) (string, error) {
	if err := s.begin(ctx); err != nil {
		return "", err
	}
	defer s.end()
	if !s.looked {
		login, err := s.logins.find(s.target)
		if login == nil && err != nil {
			return "", err
		}
		s.login, s.looked = login, true
	}
	if s.login == nil || s.login.AccessToken == "" {
		return "", nil
	}
	if _, err := secure(s.target.URL); err != nil {
		return "", fmt.Errorf("its address cannot be sent a token: %w", err)
	}
	if s.login.fresh() {
		return s.login.AccessToken, nil
	}
	return s.renew(ctx, "")
}

// Refused returns another token after the target refused one, which may be empty. The
// error is [ErrLogin] if there is none.
func (s *Session) Refused(ctx context.Context, token string) (string, error) {
	if err := s.begin(ctx); err != nil {
		return "", err
	}
	defer s.end()
	return s.renew(ctx, token)
}

// GiveUp notes that the target refuses the login, also after it was renewed, and
// returns [ErrLogin].
func (s *Session) GiveUp(ctx context.Context) error {
	if err := s.begin(ctx); err != nil {
		return err
	}
	defer s.end()
	unlock, err := s.logins.lock(s.target.URL)
	if err != nil {
		return errors.Join(ErrLogin, err)
	}
	defer unlock()
	return s.needed(s.login)
}

// Accepted notes that the target accepts requests of the session.
func (s *Session) Accepted(ctx context.Context) error {
	if err := s.begin(ctx); err != nil {
		return err
	}
	defer s.end()
	if s.accepted || s.login == nil {
		return nil
	}
	s.accepted = true
	if !s.login.Refused {
		return nil
	}
	if s.login.AccessToken == "" {
		return s.logins.forget(s.login)
	}
	unlock, err := s.logins.lock(s.target.URL)
	if err != nil {
		return err
	}
	defer unlock()
	now, err := s.logins.find(s.target)
	if err != nil || now == nil || now.AccessToken != s.login.AccessToken {
		return err
	}
	now.Refused = false
	return s.logins.write(now)
}

// Lacks returns the scopes that a response says the login lacks, for the next login to
// ask for them; nil if it does not say so.
func (s *Session) Lacks(ctx context.Context, resp *http.Response) ([]string, error) {
	challenges, err := oauthex.ParseWWWAuthenticate(resp.Header.Values("WWW-Authenticate"))
	if err != nil || resp.StatusCode != http.StatusForbidden {
		return nil, nil //nolint:nilerr // it does not say so
	}
	for _, c := range challenges {
		if c.Scheme != "bearer" || c.Params["error"] != "insufficient_scope" {
			continue
		}
		scopes := strings.Fields(c.Params["scope"])
		if len(scopes) == 0 {
			return nil, nil
		}
		if err := s.begin(ctx); err != nil {
			return nil, err
		}
		defer s.end()
		unlock, err := s.logins.lock(s.target.URL)
		if err != nil {
			return nil, err
		}
		defer unlock()
		now, err := s.logins.find(s.target)
		if err != nil || now == nil {
			return scopes, err
		}
		if lacks := union(now.Lacks, scopes); !slices.Equal(lacks, now.Lacks) {
			now.Lacks = lacks
			return scopes, s.logins.write(now)
		}
		return scopes, nil
	}
	return nil, nil
}

// AsksForLogin reports whether a response means that the server wants a login, and not
// credentials of another kind.
func AsksForLogin(resp *http.Response) bool {
	if resp.StatusCode != http.StatusUnauthorized {
		return false
	}
	challenges, err := oauthex.ParseWWWAuthenticate(resp.Header.Values("WWW-Authenticate"))
	return err != nil || len(challenges) == 0 || slices.ContainsFunc(challenges, func(c oauthex.Challenge) bool { return c.Scheme == "bearer" })
}

// renew returns another token than stale: one that another process has stored
// meanwhile, or a new one for the refresh token. Only one process at a time does that,
// since a refresh token may be good for one use.
func (s *Session) renew(ctx context.Context, stale string) (string, error) {
	unlock, err := s.logins.lock(s.target.URL)
	if err != nil {
		return "", err
	}
	defer unlock()
	now, err := s.logins.find(s.target)
	if now == nil && err != nil {
		return "", err
	}
	s.login, s.looked = now, true
	switch {
	case now == nil, now.AccessToken == "":
		return "", s.needed(now)
	case now.fresh() && now.AccessToken != stale && !now.Refused:
		return now.AccessToken, nil
	case now.RefreshToken == "":
		return "", s.needed(now)
	}
	c, err := s.logins.newClient(ctx, s.target, now.TokenURL)
	if err != nil {
		return "", err
	}
	token, err := refresh(ctx, c, now)
	if e, ok := errors.AsType[*oauth2.RetrieveError](err); ok && slices.Contains([]string{"invalid_grant", "invalid_client", "unauthorized_client"}, e.ErrorCode) {
		now.RefreshToken, now.Refused = "", false // the authorization server has ended it
		return "", s.needed(now)
	}
	if err != nil {
		return "", fmt.Errorf("renew the login at %s: %w", shown(now.TokenURL), plain(err))
	}
	renewed := *now
	if err := renewed.take(token); err != nil {
		return "", err
	}
	s.login = &renewed
	return renewed.AccessToken, s.logins.write(&renewed)
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

// needed notes that the target asks for a login, and returns [ErrLogin].
func (s *Session) needed(have *Login) error {
	note := Login{Name: s.target.Name, Server: s.target.URL, At: time.Now(), Refused: true}
	if have != nil {
		if have.Refused {
			return ErrLogin // as it is noted
		}
		note = *have
		note.Refused = true
	}
	if err := s.logins.write(&note); err != nil {
		return errors.Join(ErrLogin, err)
	}
	s.login = &note
	return ErrLogin
}
