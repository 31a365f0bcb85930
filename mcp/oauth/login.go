package oauth

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"

	"github.com/emendo-dev/emendo/internal/loopback"
)

// A User is who signs in.
type User = loopback.User

// Login signs the user in to a target and stores the login.
func (l Logins) Login(ctx context.Context, t Target, u User) (*Login, error) {
	login, err := l.signIn(ctx, t, u)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, err
	}
	return login, l.save(login)
}

func (l Logins) signIn(ctx context.Context, t Target, u User) (*Login, error) {
	c, err := l.newClient(ctx, t)
	if err != nil {
		return nil, err
	}
	o, err := discover(ctx, c, t)
	if err != nil {
		return nil, err
	}
	earlier, err := l.find(t)
	if err != nil {
		return nil, err
	}
	if earlier != nil {
		o.scopes = union(o.scopes, earlier.Lacks)
	}
	back, err := loopback.Listen(t.OAuth.RedirectURI, "oauth.redirectUri")
	if err != nil {
		return nil, err
	}
	defer back.Close()
	if !back.Reachable() && u.Pasted == nil {
		return nil, errors.New("oauth.redirectUri is not on this machine, and there is no terminal to paste the answer into")
	}
	login, config, err := o.client(ctx, c, t, back.Redirect)
	if err != nil {
		return nil, err
	}
	l.tell(login)
	verifier := oauth2.GenerateVerifier()
	options := []oauth2.AuthCodeOption{oauth2.S256ChallengeOption(verifier), oauth2.SetAuthURLParam("resource", o.resource)}
	if len(t.OAuth.Audiences) > 0 {
		options = append(options, oauth2.SetAuthURLParam("audience", strings.Join(t.OAuth.Audiences, " ")))
	}
	u.Open(config.AuthCodeURL(back.State, options...), o.issuer, o.scopes)
	a, err := back.Wait(ctx, u)
	if err != nil {
		return nil, err
	}
	if err := o.from(a.Issuer); err != nil {
		return nil, err
	}
	token, err := config.Exchange(context.WithValue(ctx, oauth2.HTTPClient, c.post), a.Code,
		oauth2.VerifierOption(verifier), oauth2.SetAuthURLParam("resource", o.resource))
	if err != nil {
		return nil, fmt.Errorf("exchange the code for a token at %s: %w", shown(o.token), plain(err))
	}
	if err := login.take(token); err != nil {
		return nil, err
	}
	if granted, ok := token.Extra("scope").(string); ok && granted != "" {
		login.Scopes = strings.Fields(granted)
	}
	return login, nil
}

// client returns the login without its tokens, and the client that asks for them: the
// configured one, or one that is registered for this login.
func (o *offer) client(ctx context.Context, c *client, t Target, redirect string) (*Login, *oauth2.Config, error) {
	login := &Login{
		Name: t.Name, Server: t.URL, Issuer: o.issuer, Resource: o.resource, At: time.Now(), Scopes: o.scopes,
		TokenURL: o.token, RevokeURL: o.revoke, ClientID: t.OAuth.ClientID, ClientSecret: t.OAuth.ClientSecret, Style: o.style,
	}
	switch {
	case login.ClientID != "":
	case o.register == "":
		return nil, nil, fmt.Errorf("%s does not register clients; register one there and set oauth.clientId in the server's settings", shown(o.issuer))
	default:
		r, err := oauthex.RegisterClient(ctx, o.register, &oauthex.ClientRegistrationMetadata{
			ClientName: "emendo", RedirectURIs: []string{redirect}, ApplicationType: "native", Scope: strings.Join(o.scopes, " "),
			GrantTypes: []string{"authorization_code", "refresh_token"}, ResponseTypes: []string{"code"}, TokenEndpointAuthMethod: "none",
		}, c.post)
		if err != nil {
			return nil, nil, fmt.Errorf("register emendo at %s: %w", shown(o.register), plain(err))
		}
		login.ClientID, login.ClientSecret = r.ClientID, r.ClientSecret
		login.Style = styleOf([]string{r.TokenEndpointAuthMethod})
	}
	if login.ClientSecret == "" {
		login.Style = oauth2.AuthStyleInParams
	}
	return login, &oauth2.Config{
		ClientID: login.ClientID, ClientSecret: login.ClientSecret, RedirectURL: redirect, Scopes: o.scopes,
		Endpoint: oauth2.Endpoint{AuthURL: o.authorize, TokenURL: o.token, AuthStyle: login.Style},
	}, nil
}

// from returns an error if an answer is from another authorization server than the one
// that was asked (RFC 9207).
func (o *offer) from(issuer string) error {
	switch {
	case issuer == "" && o.names:
		return fmt.Errorf("the answer does not say that it is from %s, and should", shown(o.issuer))
	case issuer != "" && issuer != o.issuer:
		return fmt.Errorf("the answer is from %s, not from %s", shown(issuer), shown(o.issuer))
	}
	return nil
}

// union returns the scopes of both lists, each once.
func union(a, b []string) []string {
	l := slices.Clone(a)
	for _, s := range b {
		if !slices.Contains(l, s) {
			l = append(l, s)
		}
	}
	return l
}
