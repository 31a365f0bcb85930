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
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"

	"github.com/emendo-dev/emendo/internal/loopback"
)

// An offer is how a server lets users sign in.
type offer struct {
	login     Login // what is known of it before the user has signed in
	authorize string
	register  string // empty: clients cannot register
	names     bool   // the authorization server names itself when it redirects back
}

// initialize is a first message to a server, which asks for a login if it wants one.
const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"emendo","version":"1"}}}`

// discover finds out how a target lets users sign in: from its answer to a request
// without a token, the metadata of the resource (RFC 9728), and those of its
// authorization server (RFC 8414, or OpenID Connect). What is configured counts first.
func discover(ctx context.Context, c *client, t Target) (offer, error) {
	wants, err := challenge(ctx, c, t)
	if err != nil {
		return offer{}, err
	}
	resource, err := resourceOf(ctx, c, t, wants.metadata)
	if err != nil && t.OAuth.TokenURL == "" {
		return offer{}, err
	}
	if resource == nil {
		resource = &oauthex.ProtectedResourceMetadata{Resource: t.URL}
	}
	o := offer{login: Login{
		Name: t.Name, Server: t.URL, Resource: resource.Resource, At: time.Now(), Scopes: resource.ScopesSupported,
		ClientID: t.OAuth.ClientID, ClientSecret: t.OAuth.ClientSecret,
	}}
	if len(t.OAuth.Scopes) > 0 {
		o.login.Scopes = t.OAuth.Scopes
	} else if len(wants.scopes) > 0 {
		o.login.Scopes = wants.scopes
	}
	if t.OAuth.TokenURL != "" {
		err = o.configured(t)
	} else {
		err = o.issuedBy(ctx, c, t, resource.AuthorizationServers, wants.asked)
	}
	if err != nil {
		return offer{}, err
	}
	o.register = cmp.Or(t.OAuth.RegistrationURL, o.register)
	for _, address := range []string{o.authorize, o.login.TokenURL, o.register, o.login.RevokeURL} {
		if address == "" {
			continue
		}
		if err := c.check(address); err != nil {
			return offer{}, fmt.Errorf("its authorization server cannot be used: %w", err)
		}
	}
	return o, nil
}

// wanted describes the answer of a server to a request without a token.
type wanted struct {
	asked    bool   // it asks for a token
	metadata string // where its metadata are; empty: at the usual place
	scopes   []string
}

// challenge sends a request without a token, by the transports of the target.
func challenge(ctx context.Context, c *client, t Target) (w wanted, err error) {
	if !t.SSE {
		w, status, err := challengeBy(ctx, c, t, http.MethodPost, initialize)
		if err != nil || w.asked || !t.Fallback || status < 400 || status > 499 {
			return w, err
		}
	}
	w, _, err = challengeBy(ctx, c, t, http.MethodGet, "")
	return w, err
}

// challengeBy sends one request without a token.
func challengeBy(ctx context.Context, c *client, t Target, method, body string) (w wanted, status int, err error) {
	ctx, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel() // of a stream, only the beginning is of interest
	r, err := http.NewRequestWithContext(ctx, method, t.URL, strings.NewReader(body))
	if err != nil {
		return w, 0, err
	}
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Content-Type", "application/json")
	for name, value := range t.Headers {
		r.Header.Set(name, value)
	}
	resp, err := c.get.Do(r)
	if err != nil {
		return w, 0, plain(err)
	}
	defer resp.Body.Close()
	w.asked = resp.StatusCode == http.StatusUnauthorized
	for _, ch := range challenges(resp) {
		if ch.Scheme == "bearer" {
			w.metadata, w.scopes = ch.Params["resource_metadata"], strings.Fields(ch.Params["scope"])
			break
		}
	}
	return w, resp.StatusCode, nil
}

// resourceOf returns the metadata of a resource; nil if it has none. They are about the
// server's address, or about its host as a whole.
func resourceOf(ctx context.Context, c *client, t Target, named string) (*oauthex.ProtectedResourceMetadata, error) {
	u, err := url.Parse(t.URL)
	if err != nil {
		return nil, err
	}
	origin := u.Scheme + "://" + u.Host
	bare := strings.TrimSuffix(t.URL, "/")
	about := union([]string{t.URL}, []string{bare, bare + "/", origin, origin + "/"})
	usual := origin + "/.well-known/oauth-protected-resource"
	places := []string{usual + strings.TrimSuffix(u.EscapedPath(), "/"), usual}
	if named != "" {
		places = []string{named}
	}
	var problem error
	for _, place := range slices.Compact(places) {
		for _, resource := range about {
			m, err := oauthex.GetProtectedResourceMetadata(ctx, place, resource, c.get)
			switch {
			case err == nil && len(m.AuthorizationServers) == 0 && t.OAuth.Issuer == "":
				return m, errors.New("its metadata name no authorization server")
			case err == nil:
				return m, nil
			case ctx.Err() != nil:
				return nil, context.Cause(ctx)
			}
			problem = err
			if !strings.Contains(err.Error(), "got metadata resource") {
				break // the metadata are not about another resource: there are none
			}
		}
	}
	if named != "" {
		return nil, fmt.Errorf("its metadata cannot be used: %w", plain(problem))
	}
	return nil, nil //nolint:nilnil // older servers have none
}

// configured takes the endpoints from the configuration.
func (o *offer) configured(t Target) error {
	u, err := secure(t.OAuth.TokenURL)
	if err != nil {
		return fmt.Errorf("oauth.tokenUrl: %w", err)
	}
	o.authorize, o.login.TokenURL = t.OAuth.AuthorizationURL, t.OAuth.TokenURL
	o.login.Issuer = cmp.Or(t.OAuth.Issuer, u.Scheme+"://"+u.Host)
	return nil
}

// issuedBy takes the endpoints from the metadata of an authorization server: the one
// that is configured, or the first of those that the resource names, or, of an older
// server, its own host.
func (o *offer) issuedBy(ctx context.Context, c *client, t Target, servers []string, asked bool) error {
	issuer := t.OAuth.Issuer
	switch {
	case issuer != "" && len(servers) > 0 && !slices.Contains(servers, issuer):
		return fmt.Errorf("it names the authorization server %s, and oauth.issuer is %s", shown(strings.Join(servers, ", ")), issuer)
	case issuer == "" && len(servers) > 0:
		issuer = servers[0]
	case issuer == "":
		u, err := url.Parse(t.URL)
		if err != nil {
			return err
		}
		issuer = u.Scheme + "://" + u.Host
	}
	m, err := auth.GetAuthServerMetadata(ctx, issuer, c.get)
	switch {
	case err != nil:
		return fmt.Errorf("the metadata of its authorization server cannot be used: %w", plain(err))
	case m == nil && !asked:
		return errors.New("it does not ask for a login, and has no metadata that say how to sign in")
	case m == nil:
		return fmt.Errorf("%s has no metadata that say how to sign in; set oauth.authorizationUrl and oauth.tokenUrl in the server's settings", shown(issuer))
	case m.AuthorizationEndpoint == "" || m.TokenEndpoint == "":
		return errors.New("the metadata of its authorization server name no endpoints")
	case !slices.Contains(m.CodeChallengeMethodsSupported, "S256"):
		return errors.New("its authorization server does not support PKCE with S256")
	}
	o.authorize, o.register, o.names = m.AuthorizationEndpoint, m.RegistrationEndpoint, m.AuthorizationResponseIssParameterSupported
	o.login.Issuer, o.login.TokenURL, o.login.RevokeURL = m.Issuer, m.TokenEndpoint, m.RevocationEndpoint
	o.login.Style = styleOf(m.TokenEndpointAuthMethodsSupported)
	if slices.Contains(m.ScopesSupported, "offline_access") {
		o.login.Scopes = union(o.login.Scopes, []string{"offline_access"}) // or there is no refresh token
	}
	return nil
}

// styleOf returns how a client with a secret proves who it is.
func styleOf(methods []string) oauth2.AuthStyle {
	if slices.Contains(methods, "client_secret_post") {
		return oauth2.AuthStyleInParams
	}
	return oauth2.AuthStyleInHeader // the default by RFC 8414
}

// plain returns an error of a request without the address, which the text around it
// has.
func plain(err error) error {
	return errors.New(shown(loopback.Reason(err).Error()))
}
