package auth

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/cmd/emendo/cli"
	"github.com/emendo-dev/emendo/cmd/emendo/credentials"
	"github.com/emendo-dev/emendo/cmd/emendo/google"
	"github.com/emendo-dev/emendo/cmd/emendo/provider"
	"github.com/emendo-dev/emendo/internal/redact"
)

// options are the flags of login.
type options struct {
	unchecked, noBrowser bool
	storage              string // auto, keyring or file
}

// place returns where a secret has to be stored; empty: in the keyring if possible.
func (c Command) place(storage string) (credentials.Place, error) {
	switch storage {
	case "auto":
		if c.Portable {
			return credentials.InFile, nil
		}
		return "", nil
	case "keyring":
		return credentials.InKeyring, nil
	case "file":
		return credentials.InFile, nil
	}
	return "", cli.BadInput("--storage: want auto, keyring or file, got %q", storage)
}

// Login stores the key of the provider that the user chooses.
func (c Command) Login(ctx context.Context) error { return c.login(ctx, options{storage: "auto"}, "") }

func (c Command) login(ctx context.Context, o options, name string) error {
	place, err := c.place(o.storage)
	if err != nil {
		return err
	}
	if name == "" {
		if name, err = c.choose(ctx); err != nil {
			return err
		}
	}
	if err := c.named(name); err != nil {
		return err
	}
	if name == provider.GoogleLogin {
		return c.googleLogin(ctx, o, place)
	}
	key, err := c.secret(ctx, name)
	if err != nil {
		return err
	}
	if !o.unchecked {
		if err := c.check(ctx, name, key); err != nil {
			return err
		}
	}
	return c.store(ctx, name, key, place)
}

// choose asks for the provider.
func (c Command) choose(ctx context.Context) (string, error) {
	usual := c.Models.ProviderOf(c.Model)
	if !slices.Contains(c.Models.Names(), usual) {
		usual = "gemini"
	}
	if !c.typing() {
		return "", cli.BadInput("auth login: name the provider, as in `emendo auth login %s`; the providers are %s", usual, strings.Join(c.Names(), ", "))
	}
	fmt.Fprintf(c.Stderr, "The providers are %s.\nProvider [%s]: ", strings.Join(c.Names(), ", "), usual)
	line, err := c.line(ctx)
	if err != nil {
		return "", err
	}
	if line == "" {
		return usual, nil
	}
	return line, nil
}

// checkTime limits the check of a key.
const checkTime = 30 * time.Second

// check asks the provider for its models, with the key.
func (c Command) check(ctx context.Context, name, key string) error {
	g, _, err := c.Models.WithKey(name, key).Generator(name + "/any")
	if err != nil {
		return fmt.Errorf("the key was not stored: %w", err)
	}
	lister, ok := model.As[model.Lister](g)
	if !ok {
		return nil
	}
	limited, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	_, err = lister.Models(limited)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	e, ok := errors.AsType[*model.Error](err)
	switch {
	case err == nil:
		return nil
	case ok && (e.Kind == model.Auth || e.Kind == model.NoAccess):
		return &RefusedError{name, e.Message}
	case ok && e.Kind == model.NotFound: // a gateway may have no list
		fmt.Fprintf(c.Stdout, "The server of %s has no list of models, so the key could not be checked.\n", name)
		return nil
	case ok:
		err = errors.New(e.Message)
	}
	return fmt.Errorf("the key was not stored, because %s could not be asked whether it is valid: %w; --no-check stores it unchecked", name, err)
}

// store stores a secret, and tells where.
func (c Command) store(ctx context.Context, name, secret string, place credentials.Place) error {
	prompt := c.typing()
	e, why, err := c.Logins.Put(ctx, name, secret, credentials.Entry{Place: place}, prompt)
	if err != nil {
		return err
	}
	what := "the key of " + name
	if name == provider.GoogleLogin {
		what = "the sign-in with Google"
	}
	switch {
	case e.Place == credentials.InKeyring:
		c.terminal().Print("Stored %s in the keyring of the system.\n", what)
	case why != nil:
		c.terminal().Print("Stored %s in %s, which only you can read: the keyring of the system cannot be used (%v).\n", what, c.Logins.File(), why)
	default:
		c.terminal().Print("Stored %s in %s, which only you can read.\n", what, c.Logins.File())
	}
	c.advise(name)
	return nil
}

// advise says what keeps a login from being used.
func (c Command) advise(name string) {
	if name == provider.GoogleLogin {
		if s, err := c.Models.Origin("gemini"); err == nil && s.Origin != provider.SignIn {
			c.terminal().Print("Gemini's API uses a key first, %s.\n", s)
		}
		return
	}
	if s, err := c.Models.Origin(name); err == nil && s.Origin == provider.Environment {
		c.terminal().Print("%s in the environment is used first.\n", s.Name)
	}
	if usual := c.Models.ProviderOf("auto"); usual != name {
		c.terminal().Print("Models of %s are used when you choose them, as in `--model %s/auto`; `auto` alone uses %s. The setting security.auth.selectedType changes that.\n", name, name, usual)
	}
}

// googleLogin signs in with Google.
func (c Command) googleLogin(ctx context.Context, o options, place credentials.Place) error {
	t := c.terminal()
	if o.noBrowser {
		t.Open = nil
	}
	if !c.typing() {
		t.Stdin = nil
	}
	user, stop := t.User("Google")
	defer stop()
	login, err := c.Google.Login(ctx, user, func(secret string) { c.Secrets.Learn(redact.Secret{Name: "Google sign-in", Value: secret}) })
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, google.ErrNoClient):
		return cli.BadInput("auth login google: %w", err)
	case err != nil:
		return fmt.Errorf("sign in with Google: %w", err)
	}
	text, err := login.Encode()
	if err != nil {
		return err
	}
	return c.store(ctx, provider.GoogleLogin, text, place)
}

func (c Command) logout(ctx context.Context, name string) error {
	all, err := c.Logins.All()
	if err != nil {
		return err
	}
	if name == "" {
		switch len(all) {
		case 0:
			return cli.BadInput("no login is stored; `emendo auth status` shows where credentials come from")
		case 1:
			for only := range all {
				name = only
			}
		default:
			return cli.BadInput("auth logout: several logins are stored; name one of %s", strings.Join(sorted(all), ", "))
		}
	}
	if _, ok := all[name]; !ok {
		if err := c.named(name); err != nil {
			return err
		}
		return cli.BadInput("no login of %s is stored%s", name, c.elsewhere(name))
	}
	var revoked error
	login := ""
	if name == provider.GoogleLogin {
		login, revoked = c.Logins.Get(ctx, name)
	}
	if _, err := c.Logins.Delete(ctx, name, c.typing()); err != nil {
		return fmt.Errorf("sign out of %s: %w", name, err)
	}
	if name == provider.GoogleLogin {
		if revoked == nil {
			revoked = c.revoke(ctx, login)
		}
		if revoked != nil {
			return fmt.Errorf("the sign-in with Google is deleted here, but not revoked: %w; remove emendo at https://myaccount.google.com/connections", revoked)
		}
		c.terminal().Print("Signed out of Google, and revoked the sign-in.\n")
		return nil
	}
	c.terminal().Print("Deleted the stored key of %s%s.\n", name, c.elsewhere(name))
	return nil
}

func (c Command) revoke(ctx context.Context, login string) error {
	l, err := google.Decode(login)
	if err != nil {
		return err
	}
	return google.Revoke(ctx, l, c.Way)
}

// elsewhere tells where else a provider has a credential, as the end of a sentence.
func (c Command) elsewhere(name string) string {
	s, err := c.Models.Origin(name)
	if err != nil {
		return ""
	}
	switch s.Origin {
	case provider.Environment:
		return "; " + s.Name + " in the environment is used"
	case provider.UserFile:
		return "; " + s.Name + " in " + s.Where + " is used"
	case provider.Nowhere, provider.Given, provider.Keyring, provider.File, provider.SignIn, provider.Default, provider.NotNeeded:
	}
	return ""
}
