package oauth

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

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
	login := &o.login
	earlier, err := l.find(t)
	if err != nil {
		return nil, err
	}
	if earlier != nil {
		login.Scopes = union(login.Scopes, earlier.Lacks)
	}
	back, err := loopback.Listen(t.OAuth.RedirectURI, "oauth.redirectUri")
	if err != nil {
		return nil, err
	}
	defer back.Close()
	if !back.Reachable() && u.Pasted == nil {
		return nil, errors.New("oauth.redirectUri is not on this machine, and there is no terminal to paste the answer into")
	}
	if login.ClientID == "" {
		if err := o.registerClient(ctx, c, back.Redirect); err != nil {
			return nil, err
		}
	}
	if login.ClientSecret == "" {
		login.Style = oauth2.AuthStyleInParams
	}
	l.learnSecrets(login)
	config := &oauth2.Config{
		ClientID: login.ClientID, ClientSecret: login.ClientSecret, RedirectURL: back.Redirect, Scopes: login.Scopes,
		Endpoint: oauth2.Endpoint{AuthURL: o.authorize, TokenURL: login.TokenURL, AuthStyle: login.Style},
	}
	verifier := oauth2.GenerateVerifier()
	options := []oauth2.AuthCodeOption{oauth2.S256ChallengeOption(verifier), oauth2.SetAuthURLParam("resource", login.Resource)}
	if len(t.OAuth.Audiences) > 0 {
		options = append(options, oauth2.SetAuthURLParam("audience", strings.Join(t.OAuth.Audiences, " ")))
	}
	u.Open(config.AuthCodeURL(back.State, options...), login.Issuer, login.Scopes)
	a, err := back.Wait(ctx, u)
	if err != nil {
		return nil, err
	}
	if err := o.checkIssuer(a.Issuer); err != nil {
		return nil, err
	}
	token, err := config.Exchange(context.WithValue(ctx, oauth2.HTTPClient, c.post), a.Code,
		oauth2.VerifierOption(verifier), oauth2.SetAuthURLParam("resource", login.Resource))
	if err != nil {
		return nil, fmt.Errorf("exchange the code for a token at %s: %w", shown(login.TokenURL), plain(err))
	}
	if err := login.setTokens(token); err != nil {
		return nil, err
	}
	if granted, ok := token.Extra("scope").(string); ok && granted != "" {
		login.Scopes = strings.Fields(granted)
	}
	return login, nil
}

// registerClient registers emendo for this login.
func (o *offer) registerClient(ctx context.Context, c *client, redirect string) error {
	if o.register == "" {
		return fmt.Errorf("%s does not register clients; register one there and set oauth.clientId in the server's settings", shown(o.login.Issuer))
	}
	r, err := oauthex.RegisterClient(ctx, o.register, &oauthex.ClientRegistrationMetadata{
		ClientName: "emendo", RedirectURIs: []string{redirect}, ApplicationType: "native", Scope: strings.Join(o.login.Scopes, " "),
		GrantTypes: []string{"authorization_code", "refresh_token"}, ResponseTypes: []string{"code"}, TokenEndpointAuthMethod: "none",
	}, c.post)
	if err != nil {
		return fmt.Errorf("register emendo at %s: %w", shown(o.register), plain(err))
	}
	o.login.ClientID, o.login.ClientSecret = r.ClientID, r.ClientSecret
	o.login.Style = styleOf([]string{r.TokenEndpointAuthMethod})
	return nil
}

// checkIssuer returns an error if an answer is from another authorization server than the one
// that was asked (RFC 9207).
func (o *offer) checkIssuer(issuer string) error {
	switch {
	case issuer == "" && o.names:
		return fmt.Errorf("the answer does not say that it is from %s, and should", shown(o.login.Issuer))
	case issuer != "" && issuer != o.login.Issuer:
		return fmt.Errorf("the answer is from %s, not from %s", shown(issuer), shown(o.login.Issuer))
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
