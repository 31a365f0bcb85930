package oauth

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"golang.org/x/oauth2"
)

// ErrNoLogin reports that there is no login to end.
var ErrNoLogin = errors.New("no login is stored")

// Logout deletes the logins at a target, or, if it has no address, those that were made
// under its name, and revokes their tokens where the authorization server can do that.
// An error of revoking is returned once they are deleted.
func (l Logins) Logout(ctx context.Context, t Target) error {
	found, err := l.matching(func(have *Login) bool { return have.Server == t.URL || t.URL == "" && have.Name == t.Name })
	if err != nil {
		return err
	}
	ended := false
	var problems error
	for _, login := range found {
		ended = ended || login.AccessToken != ""
		if err := l.forget(login); err != nil {
			return err
		}
		if err := l.revoke(ctx, t, login); err != nil {
			problems = errors.Join(problems, fmt.Errorf("the login is deleted here, but %s did not revoke it: %w", shown(login.Issuer), plain(err)))
		}
	}
	if !ended && problems == nil {
		return ErrNoLogin
	}
	return problems
}

// revoke revokes the tokens of a login (RFC 7009): the refresh token, and with it those
// that it renews, or else the access token.
func (l Logins) revoke(ctx context.Context, t Target, login *Login) error {
	if login.RevokeURL == "" || login.AccessToken == "" {
		return nil
	}
	t.URL = login.Server
	c, err := l.newClient(ctx, t, login.TokenURL)
	if err != nil {
		return err
	}
	form := url.Values{"token": {cmp.Or(login.RefreshToken, login.AccessToken)}, "token_type_hint": {"access_token"}}
	if login.RefreshToken != "" {
		form.Set("token_type_hint", "refresh_token")
	}
	inHeader := login.ClientSecret != "" && login.Style == oauth2.AuthStyleInHeader
	if !inHeader {
		form.Set("client_id", login.ClientID)
		if login.ClientSecret != "" {
			form.Set("client_secret", login.ClientSecret)
		}
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, login.RevokeURL, strings.NewReader(form.Encode()))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if inHeader {
		r.SetBasicAuth(url.QueryEscape(login.ClientID), url.QueryEscape(login.ClientSecret))
	}
	resp, err := c.post.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("it answered %s", resp.Status)
	}
	return nil
}
