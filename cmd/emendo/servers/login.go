package servers

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/emendo-dev/emendo/cmd/emendo/browser"
	"github.com/emendo-dev/emendo/cmd/emendo/cli"
	"github.com/emendo-dev/emendo/internal/network"
	"github.com/emendo-dev/emendo/internal/redact"
	"github.com/emendo-dev/emendo/internal/settings"
	"github.com/emendo-dev/emendo/internal/trust"
	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/mcp"
	"github.com/emendo-dev/emendo/mcp/config"
	"github.com/emendo-dev/emendo/mcp/oauth"
	"github.com/emendo-dev/emendo/mcp/server"
)

// Logins returns the user's logins at MCP servers, whose tokens the redactor learns.
func Logins(paths settings.Paths, version string, secrets *redact.Redactor, way *network.Network) oauth.Logins {
	return oauth.Logins{
		Dir: filepath.Join(paths.State, "mcp", "logins"), Network: way, Version: version,
		Secret: func(value string) { secrets.Learn(redact.Secret{Name: "MCP login", Value: value}) },
	}
}

// A Dialer starts each server by the settings of that moment. It implements [mcp.Dialer].
type Dialer func() mcp.Programs

// Dial implements [mcp.Dialer].
func (programs Dialer) Dial(ctx context.Context, c config.Server, cleared trust.Cleared, folders []string) (server.Link, error) {
	return programs().Dial(ctx, c, cleared, folders)
}

// target returns a server with its variables expanded, as one to sign in to.
func (c Command) target(s config.Server) oauth.Target {
	return mcp.Target(mcp.Expanded(s, c.Env))
}

// loginState returns what is known of the user's login at a server. One that has no
// address, or whose credentials are configured, needs none.
func (c Command) loginState(s config.Server) (oauth.State, error) {
	if s.URL == "" || oauth.Configured(s.Headers) {
		return oauth.Unknown, nil
	}
	return c.Logins.State(c.target(s))
}

// named returns the server of a name that is not hidden.
func (c Command) named(name string) (config.Server, bool) {
	all := c.configured().Servers
	i := slices.IndexFunc(all, func(s config.Server) bool { return s.Name == name && s.HiddenBy == "" })
	if i < 0 {
		return config.Server{}, false
	}
	return all[i], true
}

// toSignIn returns the server of a name that the user can sign in to, or why not.
func (c Command) toSignIn(name string) (config.Server, error) {
	s, ok := c.named(name)
	switch {
	case !ok:
		return s, cli.BadInput("no server %s is configured; `emendo mcp list` shows those that are", name)
	case s.URL == "":
		return s, cli.BadInput("%s is a program on this machine, which needs no login", s.Name)
	case oauth.Configured(s.Headers):
		return s, cli.BadInput("%s has an Authorization header in %s, so no login is used; remove the header to sign in", s.Name, s.File)
	case (s.Project != "" || s.Extension != "") && !strings.HasPrefix(c.starts(s), "starts"):
		return s, fmt.Errorf("%s: %s", s.Name, c.starts(s))
	}
	return s, nil
}

// SignIn implements [client.Servers].
func (c Command) SignIn(ctx context.Context, name string, open func(address string) error) error {
	s, err := c.toSignIn(name)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	user := oauth.User{Open: func(address, _ string, _ []string) {
		if err := open(address); err != nil {
			cancel(err)
		}
	}}
	if _, err := c.Logins.Login(ctx, c.target(s), user); err != nil {
		return fmt.Errorf("sign in to %s: %w", s.Name, err)
	}
	return nil
}

func (c Command) login(ctx context.Context, name string, noBrowser bool) error {
	s, err := c.toSignIn(name)
	if err != nil {
		return err
	}
	if _, ignored := s.SignIn(); len(ignored) > 0 {
		c.Warn(fmt.Sprintf("%s: oauth.%s is ignored, since the server is not of your own settings; add the server to those to use it", s.Name, strings.Join(ignored, ", oauth.")))
	}
	if noBrowser {
		c.Open = nil
	}
	user, stop := browser.Terminal{Out: c.Stdout, Stdin: c.Stdin, Open: c.Open}.User(s.Name)
	defer stop()
	made, err := c.Logins.Login(ctx, c.target(s), user)
	if err != nil {
		return fmt.Errorf("sign in to %s: %w", s.Name, err)
	}
	until := ""
	if made.RefreshToken == "" && !made.Expiry.IsZero() {
		until = " until " + made.Expiry.Local().Format(time.DateTime)
	}
	c.print("signed in to %s%s\n", s.Name, until)
	return nil
}

// print prints what may contain texts of servers.
func (c Command) print(format string, a ...any) {
	fmt.Fprint(c.Stdout, visible.Text(fmt.Sprintf(format, a...)))
}

func (c Command) logout(ctx context.Context, rest []string) error {
	if err := c.SignOut(ctx, rest[0]); err != nil {
		return err
	}
	c.print("signed out of %s\n", rest[0])
	return nil
}

// SignOut implements [client.Servers].
func (c Command) SignOut(ctx context.Context, name string) error {
	target := oauth.Target{Name: name}
	if s, ok := c.named(name); ok {
		target = c.target(s)
	}
	switch err := c.Logins.Logout(ctx, target); {
	case errors.Is(err, oauth.ErrNoLogin):
		return cli.BadInput("no login at %s is stored", name)
	case err != nil:
		return fmt.Errorf("sign out of %s: %w", name, err)
	}
	return nil
}
