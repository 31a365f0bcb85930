package provider

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/catalogue"
	"github.com/emendo-dev/emendo/cmd/emendo/credentials"
	"github.com/emendo-dev/emendo/cmd/emendo/google"
	"github.com/emendo-dev/emendo/internal/redact"
)

// GoogleLogin is the name under which the user's sign-in with Google is stored.
const GoogleLogin = "google"

// An Origin is a kind of place that credentials come from.
type Origin string

// The origins, in the order in which they are looked at.
const (
	Nowhere     Origin = ""
	Given       Origin = "given"               // by the command that asks
	Environment Origin = "environment"         // a variable
	Keyring     Origin = "keyring"             // of the system
	File        Origin = "file"                // of `emendo auth login`
	UserFile    Origin = "key_file"            // which the user writes
	SignIn      Origin = "google"              // a stored sign-in with Google
	Default     Origin = "application_default" // Google's application default credentials
	NotNeeded   Origin = "not_needed"
)

// A Source is where a credential comes from. It is not the credential.
type Source struct {
	Origin Origin
	Name   string // of the variable or the login
	Where  string // the file, or why nothing is needed
}

// String describes the source for the user, or "".
func (s Source) String() string {
	switch s.Origin {
	case Nowhere:
		return ""
	case Given:
		return "given"
	case Environment:
		return "from " + s.Name + " in the environment"
	case Keyring:
		return "stored in the keyring of the system"
	case File:
		return "stored in " + s.Where
	case UserFile:
		return "from " + s.Name + " in " + s.Where
	case SignIn, Default, NotNeeded:
		return s.Where
	}
	panic("provider: unknown origin " + string(s.Origin))
}

// A vault has the user's credentials.
type vault struct {
	env    func(string) string
	keys   KeyFile
	logins credentials.Store
	given  map[string]string // keys by provider, which come before all others
	signIn *google.Tokens    // of the user's sign-in with Google
}

// newVault returns the vault of these options. Requests to Google go by way.
func newVault(o Options, given map[string]string, way http.RoundTripper) *vault {
	v := &vault{env: o.Env, keys: o.Keys, logins: o.Logins, given: given}
	v.signIn = &google.Tokens{
		Stored: func(ctx context.Context) (string, error) {
			if login := given[GoogleLogin]; login != "" {
				return login, nil
			}
			login, err := o.Logins.Get(ctx, GoogleLogin)
			if err != nil && v.stored(GoogleLogin).Origin == Keyring {
				err = unanswered(GoogleLogin, err)
			}
			return login, err
		},
		Keep: func(ctx context.Context, login string) error {
			e, ok := o.Logins.Find(GoogleLogin)
			if !ok {
				return nil // it is tried before it is stored
			}
			_, _, err := o.Logins.Put(ctx, GoogleLogin, login, e, false)
			return err
		},
		Learn: func(secret string) { o.Logins.Secrets.Learn(redact.Secret{Name: "Google sign-in", Value: secret}) },
		HTTP:  way,
	}
	return v
}

// find returns the source of a provider's key: the first of the variables that is set,
// the key that `emendo auth login` stored, or the key file. It does not ask the keyring.
func (v *vault) find(provider string, variables ...string) (Source, error) {
	if v.given[provider] != "" {
		return Source{Origin: Given}, nil
	}
	for _, name := range variables {
		if v.env(name) != "" {
			return Source{Origin: Environment, Name: name}, nil
		}
	}
	if s := v.stored(provider); s.Origin != Nowhere {
		return s, nil
	}
	return v.inKeyFile(variables...)
}

// stored returns the source of what `emendo auth login` stored.
func (v *vault) stored(name string) Source {
	switch e, ok := v.logins.Find(name); {
	case v.given[name] != "":
		return Source{Origin: Given}
	case !ok:
		return Source{}
	case e.Place == credentials.InKeyring:
		return Source{Origin: Keyring, Name: name}
	}
	return Source{Origin: File, Name: name, Where: v.logins.File()}
}

// inKeyFile returns the first of the names that the user's key file has.
func (v *vault) inKeyFile(names ...string) (Source, error) {
	keys, err := v.keys.Read()
	if err != nil {
		return Source{}, err
	}
	for _, name := range names {
		if keys[name] != "" {
			return Source{Origin: UserFile, Name: name, Where: v.keys.Path}, nil
		}
	}
	return Source{}, nil
}

// key returns the key of a provider, or "", and where it is from. A key in a keyring that
// does not answer is replaced by one in the key file.
func (v *vault) key(provider string, variables ...string) (string, Source, error) {
	s, err := v.find(provider, variables...)
	if err != nil {
		return "", s, err
	}
	value, err := v.value(provider, s)
	if err != nil && s.Origin == Keyring {
		if other, bad := v.inKeyFile(variables...); bad == nil && other.Origin != Nowhere {
			s = other
			value, err = v.value(provider, s)
		}
	}
	return value, s, err
}

// value returns the key at a source.
func (v *vault) value(provider string, s Source) (string, error) {
	switch s.Origin {
	case Given:
		return v.given[provider], nil
	case Environment:
		return v.env(s.Name), nil
	case UserFile:
		keys, err := v.keys.Read()
		return keys[s.Name], err
	case Keyring, File:
		// Whoever asks for a model has no context; the store limits the time.
		value, err := v.logins.Get(context.Background(), s.Name)
		if err != nil && s.Origin == Keyring {
			return "", unanswered(s.Name, err)
		}
		return value, err
	case Nowhere, SignIn, Default, NotNeeded:
	}
	return "", nil
}

// unanswered returns the error for a secret that is in the keyring.
func unanswered(name string, err error) error {
	fix := "start it"
	switch {
	case errors.Is(err, credentials.ErrLocked):
		fix = "unlock it"
	case errors.Is(err, credentials.ErrNotFound):
		fix = "sign in again with `emendo auth login " + name + "`"
	}
	return fmt.Errorf("the login of %s is in the keyring of the system: %w; %s, set the key in the environment, or keep it in a file: `emendo auth login --storage file %s`", name, err, fix, name)
}

// noKey returns the error for a provider without a key.
func noKey(provider, called, variable string) error {
	return &model.Error{Kind: model.Auth, Message: fmt.Sprintf("no %s API key. Run `emendo auth login %s` in a terminal, or set %s in the environment", called, provider, variable)}
}

// authFailed returns the error for credentials that cannot be read.
func authFailed(err error) error {
	return &model.Error{Kind: model.Auth, Message: err.Error(), Err: err}
}

// Token implements [gemini.Tokens] for the user's sign-in with Google.
func (v *vault) Token(ctx context.Context) (string, error) {
	token, err := v.signIn.Token(ctx)
	if err != nil && ctx.Err() == nil {
		return "", authFailed(err)
	}
	return token, err
}

// version changes when the stored credentials of a provider do.
func (v *vault) version(provider string) string {
	all, _ := v.logins.All()
	text := ""
	for _, name := range []string{provider, GoogleLogin} {
		if e, ok := all[name]; ok {
			text += name + e.At.String()
		}
	}
	return text
}

// Stored returns the source of what `emendo auth login` stored under a name. It does not
// ask the keyring.
func (m *Models) Stored(name string) Source { return m.vault.stored(name) }

// WithKey returns models for which a key is the one of a provider, wherever else there is
// one.
func (m *Models) WithKey(provider, key string) *Models {
	return newModels(m.o, m.catalogue, map[string]string{provider: key})
}

// Origin returns the source of a provider's credentials. It does not ask the keyring.
func (m *Models) Origin(provider string) (Source, error) {
	k := m.kind(provider)
	if k == nil {
		return Source{}, m.unknown(provider)
	}
	if k.Catalogue == catalogue.Google {
		_, s, err := m.googlePlan(provider == "vertex")
		return s, err
	}
	s, err := m.vault.find(provider, keyVariables(k, m.o.Settings.Model.Providers[provider])...)
	switch a := m.o.Settings.Model.Providers[provider]; {
	case err != nil && !k.Local, s.Origin != Nowhere:
		return s, err
	case k.Local:
		return Source{Origin: NotNeeded, Where: "not needed for a server on this machine"}, nil
	case a.BaseURL != "" && a.KeyVariable == "":
		return Source{Origin: NotNeeded, Where: "not needed for the server of model.providers." + provider}, nil
	}
	return s, nil
}

// ProviderOf returns the provider that a model's name means.
func (m *Models) ProviderOf(name string) string {
	provider, _ := m.split(name)
	return provider
}

// defaultFile returns the file with Google's application default credentials that would
// be used; empty if there is none, although a machine in Google's cloud may have others.
func defaultFile(env func(string) string) string {
	if path := env("GOOGLE_APPLICATION_CREDENTIALS"); path != "" {
		return path
	}
	dir := filepath.Join(env("HOME"), ".config")
	if runtime.GOOS == "windows" {
		dir = env("APPDATA")
	}
	path := filepath.Join(dir, "gcloud", "application_default_credentials.json")
	if _, err := os.Stat(path); err != nil || !filepath.IsAbs(path) {
		return ""
	}
	return path
}
