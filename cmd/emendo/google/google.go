// Package google signs the user in with Google, by a client that the user registered
// there, and renews the access tokens for its APIs. It does not know where the login is
// stored.
package google

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/oauth2"

	"github.com/emendo-dev/emendo/internal/loopback"
	"github.com/emendo-dev/emendo/internal/network"
	"github.com/emendo-dev/emendo/internal/visible"
)

// Google's endpoints.
const (
	issuer       = "https://accounts.google.com"
	authorizeURL = "https://accounts.google.com/o/oauth2/v2/auth"
	tokenURL     = "https://oauth2.googleapis.com/token"
	revokeURL    = "https://oauth2.googleapis.com/revoke"
)

// cloud is the permission that Gemini's API and Vertex AI want.
const cloud = "https://www.googleapis.com/auth/cloud-platform"

// requestTime limits a request to Google.
const requestTime = 30 * time.Second

// ErrNoClient reports that no client is configured.
var ErrNoClient = errors.New("register a client of the type \"Desktop app\" in the Google Cloud console, and set security.auth.google.clientId and clientSecret to its ID and secret")

// ErrEnded reports that the login is no longer valid.
var ErrEnded = errors.New("the sign-in with Google has ended; run `emendo auth login google`")

// A Client is what the user registered at Google.
type Client struct {
	ID, Secret string
	Scopes     []string          // empty: of Google Cloud
	HTTP       http.RoundTripper // the way to Google
}

// A Login is the stored part of a login. It is secret.
type Login struct {
	ClientID     string   `json:"clientId"`
	ClientSecret string   `json:"clientSecret,omitzero"`
	RefreshToken string   `json:"refreshToken"`
	Scopes       []string `json:"scopes,omitzero"`
}

// Encode returns the login as a text.
func (l Login) Encode() (string, error) {
	b, err := json.Marshal(l)
	return string(b), err
}

// Decode reads what [Login.Encode] returned.
func Decode(text string) (l Login, err error) {
	if err := json.Unmarshal([]byte(text), &l); err != nil || l.RefreshToken == "" {
		return l, errors.New("the stored sign-in with Google is damaged; run `emendo auth login google`") // err quotes it
	}
	return l, nil
}

// secrets returns the parts that must not be shown.
func (l Login) secrets() []string { return []string{l.RefreshToken, l.ClientSecret} }

func client(way http.RoundTripper) *http.Client {
	return &http.Client{Transport: way, Timeout: requestTime, CheckRedirect: func(*http.Request, []*http.Request) error {
		return errors.New("it redirects a request that has secrets")
	}}
}

func (l Login) config() oauth2.Config {
	return oauth2.Config{
		ClientID: l.ClientID, ClientSecret: l.ClientSecret, Scopes: l.Scopes,
		Endpoint: oauth2.Endpoint{AuthURL: authorizeURL, TokenURL: tokenURL, AuthStyle: oauth2.AuthStyleInParams},
	}
}

// Login signs the user in. learn is called with each secret.
func (c Client) Login(ctx context.Context, u loopback.User, learn func(string)) (Login, error) {
	l := Login{ClientID: c.ID, ClientSecret: c.Secret, Scopes: c.Scopes}
	if l.ClientID == "" {
		return l, ErrNoClient
	}
	if len(l.Scopes) == 0 {
		l.Scopes = []string{cloud}
	}
	back, err := loopback.Listen("", "the address for the browser")
	if err != nil {
		return l, err
	}
	defer back.Close()
	config := l.config()
	config.RedirectURL = back.Redirect
	verifier := oauth2.GenerateVerifier()
	u.Open(config.AuthCodeURL(back.State, oauth2.S256ChallengeOption(verifier), oauth2.AccessTypeOffline, oauth2.ApprovalForce), issuer, l.Scopes)
	a, err := back.Wait(ctx, u)
	if err != nil {
		return l, err
	}
	if a.Issuer != "" && a.Issuer != issuer {
		return l, fmt.Errorf("the answer is from %s, not from %s", shown(a.Issuer), issuer)
	}
	token, err := config.Exchange(context.WithValue(ctx, oauth2.HTTPClient, client(c.HTTP)), a.Code, oauth2.VerifierOption(verifier))
	if err != nil {
		return l, fmt.Errorf("exchange the code for a token at %s: %w", tokenURL, reason(err))
	}
	if token.RefreshToken == "" {
		return l, errors.New("no refresh token came from Google; remove emendo at https://myaccount.google.com/connections and sign in again")
	}
	l.RefreshToken = token.RefreshToken
	for _, s := range append(l.secrets(), token.AccessToken) {
		learn(s)
	}
	if granted, ok := token.Extra("scope").(string); ok {
		for _, want := range l.Scopes {
			if !slices.Contains(strings.Fields(granted), want) {
				return l, fmt.Errorf("you did not grant %s, which emendo needs; sign in again and leave it selected", want)
			}
		}
	}
	return l, nil
}

// Revoke ends a login at Google.
func Revoke(ctx context.Context, l Login, way http.RoundTripper) error {
	form := url.Values{"token": {l.RefreshToken}}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, revokeURL, strings.NewReader(form.Encode()))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := client(way).Do(r)
	if err != nil {
		return reason(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK && resp.StatusCode != http.StatusBadRequest { // it was not valid any more
		return fmt.Errorf("it answered %s", resp.Status)
	}
	return nil
}

// Tokens renews access tokens. It is safe for concurrent use.
type Tokens struct {
	// Stored returns the login that is stored, or "".
	Stored func(ctx context.Context) (string, error)
	// Keep stores a login whose refresh token Google replaced.
	Keep  func(ctx context.Context, login string) error
	Learn func(secret string)
	HTTP  http.RoundTripper

	mu    sync.Mutex
	login Login
	token *oauth2.Token
}

// Token returns an access token that is valid. The errors are [ErrEnded], or about the
// network or the store.
func (t *Tokens) Token(ctx context.Context) (string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	text, err := t.Stored(ctx)
	if err != nil {
		return "", err
	}
	if text == "" {
		return "", ErrEnded
	}
	login, err := Decode(text)
	if err != nil {
		return "", err
	}
	if t.token.Valid() && t.login.RefreshToken == login.RefreshToken {
		return t.token.AccessToken, nil
	}
	for _, s := range login.secrets() {
		t.Learn(s)
	}
	config := login.config()
	ctx = context.WithValue(ctx, oauth2.HTTPClient, client(t.HTTP))
	token, err := config.TokenSource(ctx, &oauth2.Token{RefreshToken: login.RefreshToken}).Token()
	if e, ok := errors.AsType[*oauth2.RetrieveError](err); ok && slices.Contains([]string{"invalid_grant", "invalid_client", "unauthorized_client", "deleted_client"}, e.ErrorCode) {
		return "", ErrEnded
	}
	if err != nil {
		return "", fmt.Errorf("renew the sign-in with Google: %w", reason(err))
	}
	t.Learn(token.AccessToken)
	if token.RefreshToken != login.RefreshToken {
		login.RefreshToken = token.RefreshToken
		t.Learn(token.RefreshToken)
		text, err := login.Encode()
		if err == nil {
			err = t.Keep(ctx, text)
		}
		if err != nil {
			return "", err
		}
	}
	t.login, t.token = login, token
	return token.AccessToken, nil
}

// reason returns why a request failed, without the body of the response.
func reason(err error) error {
	if f := network.Explain(err); f != nil {
		return f
	}
	return loopback.Reason(err)
}

// shown returns a text of a server for an error.
func shown(s string) string { return visible.ShortLine(s, 200) }
