package google_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/cmd/emendo/google"
)

// server answers requests in place of Google.
type server func(path string, form url.Values) (status int, body string)

func (s server) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Host != "oauth2.googleapis.com" || r.URL.Scheme != "https" {
		return nil, errors.New("asked " + r.URL.Host)
	}
	b, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	form, err := url.ParseQuery(string(b))
	if err != nil {
		return nil, err
	}
	status, body := s(r.URL.Path, form)
	return &http.Response{StatusCode: status, Status: http.StatusText(status), Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
}

func TestTokens(t *testing.T) {
	login, err := google.Login{ClientID: "id", ClientSecret: "the-secret", RefreshToken: "first-token"}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	stored, secrets := login, []string{}
	var asked []string
	answer, status := `{"access_token": "ya29.one", "token_type": "Bearer", "expires_in": 3599}`, http.StatusOK
	tokens := &google.Tokens{
		Stored: func(context.Context) (string, error) { return stored, nil },
		Keep:   func(_ context.Context, login string) error { stored = login; return nil },
		Learn:  func(secret string) { secrets = append(secrets, secret) },
		HTTP: server(func(_ string, form url.Values) (int, string) {
			asked = append(asked, form.Get("grant_type")+" "+form.Get("refresh_token"))
			return status, answer
		}),
	}
	check := func(what, want string) {
		t.Helper()
		got, err := tokens.Token(t.Context())
		if err != nil {
			got = "error: " + err.Error()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
	check("at first", "ya29.one")
	check("while it is valid", "ya29.one")
	if len(asked) != 1 {
		t.Errorf("asked %q", asked)
	}
	stored = strings.Replace(login, "first-token", "second-token", 1)
	answer = `{"access_token": "ya29.two", "token_type": "Bearer", "expires_in": 3599, "refresh_token": "third-token"}`
	check("after another login", "ya29.two")
	if l, err := google.Decode(stored); err != nil || l.RefreshToken != "third-token" || l.ClientID != "id" {
		t.Errorf("stored is %+v, %v", l, err)
	}
	check("with the token that Google gave in exchange", "ya29.two")
	stored = login
	status, answer = http.StatusBadRequest, `{"error": "invalid_grant", "error_description": "Token has been expired or revoked."}`
	check("revoked", "error: "+google.ErrEnded.Error())
	status, answer = http.StatusInternalServerError, `<html>the-secret`
	if _, err := tokens.Token(t.Context()); err == nil || errors.Is(err, google.ErrEnded) || strings.Contains(err.Error(), "the-secret") {
		t.Errorf("while Google is away: %v", err)
	}
	stored = ""
	check("signed out", "error: "+google.ErrEnded.Error())
	stored = `{"refreshToken": 1, "x": "the-secret"}`
	if _, err := tokens.Token(t.Context()); err == nil || strings.Contains(err.Error(), "the-secret") {
		t.Errorf("of a damaged login: %v", err)
	}
	for _, s := range []string{"first-token", "the-secret", "ya29.one", "ya29.two", "third-token"} {
		if !strings.Contains(strings.Join(secrets, " "), s) {
			t.Errorf("%s may be shown", s)
		}
	}
}

func TestRevoke(t *testing.T) {
	for _, c := range []struct {
		status int
		ok     bool
	}{{http.StatusOK, true}, {http.StatusBadRequest, true}, {http.StatusServiceUnavailable, false}} {
		err := google.Revoke(t.Context(), google.Login{RefreshToken: "token"}, server(func(path string, form url.Values) (int, string) {
			if path != "/revoke" || form.Get("token") != "token" {
				t.Errorf("%s is asked with %v", path, form)
			}
			return c.status, "{}"
		}))
		if (err == nil) != c.ok {
			t.Errorf("with %d: %v", c.status, err)
		}
	}
}
