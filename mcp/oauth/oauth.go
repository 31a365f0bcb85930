package oauth

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"github.com/emendo-dev/emendo/internal/network"
	"github.com/emendo-dev/emendo/internal/settings"
	"github.com/emendo-dev/emendo/internal/visible"
)

// ErrLogin reports that a server needs a login of the user's.
var ErrLogin = errors.New("it needs a login")

// A LackingError reports that a server needs a login with further permissions. It is
// [ErrLogin].
type LackingError struct{ Scopes []string }

func (e *LackingError) Error() string {
	return fmt.Sprintf("%v with further permissions: %s", ErrLogin, shown(strings.Join(e.Scopes, ", ")))
}

// Is implements the interface of [errors.Is].
func (*LackingError) Is(target error) bool { return target == ErrLogin }

// Needs returns an error that says in one line what the user has to do about err, which
// is [ErrLogin], at a server of that name.
func Needs(err error, server string) error {
	why := ErrLogin
	if e, ok := errors.AsType[*LackingError](err); ok {
		why = e
	}
	return fmt.Errorf("%w: run `%s`", why, Command(server))
}

// Command returns the command that signs in to a server of that name.
func Command(server string) string {
	if strings.Contains(server, " ") {
		server = "'" + server + "'" // names have no quotes
	}
	return "emendo mcp login " + visible.Line(server)
}

// Logins are the user's logins at servers. It is safe for use by several goroutines
// and processes.
type Logins struct {
	Dir     string           // private, absolute; created with the first login. Empty: none are kept
	Network *network.Network // the way to servers
	// Secret learns of each token and secret, so that no output shows it; nil: nobody
	// learns.
	Secret  func(value string)
	Version string // of emendo
}

// A Target is a server as it is configured, its variables expanded.
type Target struct {
	Name     string
	URL      string
	SSE      bool // it speaks SSE alone
	Fallback bool // it speaks SSE if it refuses streamable HTTP
	Headers  map[string]string
	OAuth    settings.OAuth
}

// Configured reports whether configured headers have credentials, in place of a login.
func Configured(headers map[string]string) bool {
	for name := range headers {
		if strings.EqualFold(name, "Authorization") {
			return true
		}
	}
	return false
}

// State describes the user's login at a server, as far as it is known without asking.
type State int

// The states.
const (
	Unknown State = iota // no login is stored, and the server has not asked for one
	Needed               // the server has asked for one, or its configuration says so
	SignedIn
)

// State returns what is stored about a target.
func (l Logins) State(t Target) (State, error) {
	found, err := l.find(t)
	switch {
	case err != nil:
		return Unknown, err
	case found != nil && !found.Refused && (found.fresh() || found.RefreshToken != ""):
		return SignedIn, nil
	case found != nil, t.OAuth.Enabled:
		return Needed, nil
	}
	return Unknown, nil
}

// A Login is a stored login at a server, or a note that the server asks for one, which
// has no token.
type Login struct {
	Name     string    `json:"name"` // of the server, when it was made
	Server   string    `json:"server"`
	Issuer   string    `json:"issuer,omitzero"`
	Resource string    `json:"resource,omitzero"` // what the tokens are for
	At       time.Time `json:"at"`
	Scopes   []string  `json:"scopes,omitzero"`

	TokenURL     string           `json:"tokenUrl,omitzero"`
	RevokeURL    string           `json:"revokeUrl,omitzero"` // empty: tokens cannot be revoked
	ClientID     string           `json:"clientId,omitzero"`
	ClientSecret string           `json:"clientSecret,omitzero"`
	Style        oauth2.AuthStyle `json:"style,omitzero"`

	AccessToken  string    `json:"accessToken,omitzero"`
	RefreshToken string    `json:"refreshToken,omitzero"`
	Expiry       time.Time `json:"expiry,omitzero"` // zero: not known

	Refused bool     `json:"refused,omitzero"` // the server does not accept the token
	Lacks   []string `json:"lacks,omitzero"`   // scopes that the server has asked for since
}

// fresh reports whether the access token has not expired.
func (l *Login) fresh() bool {
	return (&oauth2.Token{AccessToken: l.AccessToken, Expiry: l.Expiry}).Valid()
}

// setTokens replaces the tokens. A refresh token remains if there is no new one.
func (l *Login) setTokens(t *oauth2.Token) error {
	if t.Type() != "Bearer" {
		return fmt.Errorf("it issues tokens of the type %s, not bearer tokens", shown(t.TokenType))
	}
	for _, c := range []byte(t.AccessToken) {
		if c <= ' ' || c > '~' {
			return errors.New("it issues a token with characters that no header can have")
		}
	}
	l.AccessToken, l.Expiry, l.Refused = t.AccessToken, t.Expiry, false
	l.RefreshToken = cmp.Or(t.RefreshToken, l.RefreshToken)
	return nil
}

// learnSecrets has the redactor learn the secrets of a login.
func (l Logins) learnSecrets(login *Login) {
	for _, s := range []string{login.AccessToken, login.RefreshToken, login.ClientSecret} {
		if s != "" && l.Secret != nil {
			l.Secret(s)
		}
	}
}

// shown returns a text of a server for an error.
func shown(s string) string { return visible.ShortLine(s, 200) }
