package provider

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/openai"
	"github.com/emendo-dev/emendo/cmd/emendo/credentials"
	"github.com/emendo-dev/emendo/internal/redact"
	"github.com/emendo-dev/emendo/internal/settings"
)

// ring is a keyring that counts questions.
type ring struct {
	secret string
	asked  int
	err    error
}

func (r *ring) Ready(context.Context, bool) error {
	r.asked++
	return r.err
}
func (r *ring) Get(string) (string, error) { return r.secret, nil }
func (r *ring) Set(_, secret string) error { r.secret = secret; return nil }
func (r *ring) Delete(string) error        { return nil }

func TestOrderOfSources(t *testing.T) {
	const (
		variable = "OPENAI_API_KEY=from-the-environment"
		stored   = "stored-key"
		keys     = "OPENAI_API_KEY=from-the-file"
	)
	locked := credentials.ErrLocked
	for _, c := range []struct {
		name    string
		environ string
		place   credentials.Place // of the stored key; empty: none is
		keys    string
		fails   error
		source  Origin
		key     string // or the beginning of an error
		asked   int    // how often the keyring is, by then
	}{
		{name: "nothing", source: Nowhere},
		{name: "all", environ: variable, place: credentials.InKeyring, keys: keys, source: Environment, key: "from-the-environment"},
		{name: "the keyring before the key file", place: credentials.InKeyring, keys: keys, source: Keyring, key: stored, asked: 1},
		{name: "the file before the key file", place: credentials.InFile, keys: keys, source: File, key: stored},
		{name: "the key file", keys: keys, source: UserFile, key: "from-the-file"},
		{name: "the key file instead of a keyring that is locked", place: credentials.InKeyring, keys: keys, fails: locked, source: Keyring, key: "from-the-file", asked: 1},
		{name: "a keyring that is locked", place: credentials.InKeyring, fails: locked, source: Keyring, key: "error: the login of openai is in the keyring of the system: the keyring is locked; unlock it", asked: 1},
		{name: "a variable, while the keyring is locked", environ: variable, place: credentials.InKeyring, fails: locked, source: Environment, key: "from-the-environment"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			r := &ring{}
			logins := credentials.Store{Dir: filepath.Join(dir, "auth"), Keyring: credentials.NewGuard(r, 0), Secrets: redact.New()}
			if c.place != "" {
				if _, _, err := logins.Put(t.Context(), "openai", stored, credentials.Entry{Place: c.place}, false); err != nil {
					t.Fatal(err)
				}
			}
			if c.keys != "" {
				if err := os.WriteFile(filepath.Join(dir, "keys"), []byte(c.keys), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			r.asked, r.err = 0, c.fails
			m, err := New(Options{
				Env: func(name string) string {
					v, _ := strings.CutPrefix(c.environ, name+"=")
					return strings.TrimPrefix(v, c.environ)
				},
				Keys: KeyFile{Path: filepath.Join(dir, "keys")}, Logins: logins, Settings: settings.Defaults(),
			})
			if err != nil {
				t.Fatal(err)
			}
			s, err := m.Origin("openai")
			if s.Origin != c.source || err != nil {
				t.Errorf("the source is %+v, %v", s, err)
			}
			m.Provider("auto")
			m.Providers()
			if r.asked > 0 {
				t.Error("the keyring was asked to find out what there is")
			}
			key, _, err := m.vault.key("openai", "OPENAI_API_KEY")
			if err != nil {
				key = "error: " + err.Error()
			}
			if !strings.HasPrefix(key, c.key) || c.key == "" && key != "" {
				t.Errorf("the key is %q, want %q", key, c.key)
			}
			if r.asked != c.asked {
				t.Errorf("the keyring was asked %d times, want %d", r.asked, c.asked)
			}
			if key, _, err := m.WithKey("openai", "tried").vault.key("openai", "OPENAI_API_KEY"); key != "tried" || err != nil {
				t.Errorf("the key that is tried is %q, %v", key, err)
			}
		})
	}
}

// A generator is made again when the login changes, and kept while it does not.
func TestGeneratorsOfChangedLogins(t *testing.T) {
	logins := credentials.Store{Dir: filepath.Join(t.TempDir(), "auth"), Secrets: redact.New()}
	m, err := New(Options{Env: func(string) string { return "" }, Keys: KeyFile{Path: filepath.Join(t.TempDir(), "keys")}, Logins: logins, Settings: settings.Defaults()})
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = m.Generator("openai/x")
	if e, ok := errors.AsType[*model.Error](err); !ok || e.Kind != model.Auth || !strings.Contains(e.Message, "emendo auth login openai") {
		t.Errorf("without a key: %v", err)
	}
	generator := func() *openai.Generator {
		t.Helper()
		g, _, err := m.Generator("openai/x")
		if err != nil {
			t.Fatal(err)
		}
		made, ok := model.As[*openai.Generator](g)
		if !ok {
			t.Fatalf("it is a %T", g)
		}
		return made
	}
	put := func(key string) {
		t.Helper()
		if _, _, err := logins.Put(t.Context(), "openai", key, credentials.Entry{}, false); err != nil {
			t.Fatal(err)
		}
	}
	put("first-key")
	first := generator()
	if generator() != first {
		t.Error("it is made for each request")
	}
	put("second-key")
	if generator() == first {
		t.Error("it still has the first key")
	}
}

func TestSourcesOfGoogle(t *testing.T) {
	place := []string{"GOOGLE_CLOUD_PROJECT=p", "GOOGLE_CLOUD_LOCATION=eu"}
	for _, c := range []struct {
		name           string
		environ        []string
		stored         []string
		gemini, vertex Origin
	}{
		{name: "nothing"},
		{name: "a key of Gemini", environ: []string{"GEMINI_API_KEY=k"}, gemini: Environment},
		{name: "a key of the cloud", environ: []string{"GOOGLE_API_KEY=k"}, gemini: Environment, vertex: Environment},
		{name: "a stored key", stored: []string{"gemini"}, gemini: File},
		{name: "a stored key of Vertex AI", stored: []string{"vertex"}, vertex: File},
		{name: "a sign-in", stored: []string{"google"}, gemini: SignIn},
		{name: "a sign-in, with a place", stored: []string{"google"}, environ: place, gemini: SignIn, vertex: SignIn},
		{name: "a key before the sign-in", stored: []string{"google", "gemini"}, environ: place, gemini: File, vertex: SignIn},
		{name: "a place alone", environ: place, vertex: Default},
		{name: "an account of the environment before the sign-in", stored: []string{"google"}, environ: append(place, "GOOGLE_APPLICATION_CREDENTIALS=/account.json"), gemini: SignIn, vertex: Default},
		{name: "a key of Gemini is none of Vertex AI", environ: append(place, "GEMINI_API_KEY=k"), gemini: Environment, vertex: Default},
	} {
		t.Run(c.name, func(t *testing.T) {
			logins := credentials.Store{Dir: filepath.Join(t.TempDir(), "auth"), Secrets: redact.New()}
			for _, name := range c.stored {
				if _, _, err := logins.Put(t.Context(), name, "a-secret", credentials.Entry{}, false); err != nil {
					t.Fatal(err)
				}
			}
			m := models(t, settings.Defaults(), c.environ...)
			m = newModels(Options{Env: m.o.Env, Keys: m.o.Keys, Logins: logins, Settings: m.o.Settings}, m.catalogue, nil)
			for provider, want := range map[string]Origin{"gemini": c.gemini, "vertex": c.vertex} {
				if s, _ := m.Origin(provider); s.Origin != want {
					t.Errorf("the source of %s is %+v, want %q", provider, s, want)
				}
			}
		})
	}
}
