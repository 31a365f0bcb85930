package auth_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/anthropic/anthropictest"
	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
	"github.com/emendo-dev/emendo/agent/model/openai/openaitest"
	"github.com/emendo-dev/emendo/cmd/emendo/auth"
	"github.com/emendo-dev/emendo/cmd/emendo/cli"
	"github.com/emendo-dev/emendo/cmd/emendo/credentials"
	"github.com/emendo-dev/emendo/cmd/emendo/provider"
	"github.com/emendo-dev/emendo/internal/redact"
	"github.com/emendo-dev/emendo/internal/settings"
)

// world is the files and the environment of a user.
type world struct {
	t    *testing.T
	dir  string
	env  []string
	said string // by the last command, with its error
}

func newWorld(t *testing.T, env ...string) *world {
	t.Helper()
	return &world{t: t, dir: t.TempDir(), env: env}
}

// logins returns the store of logins, which has no keyring.
func (w *world) logins() credentials.Store {
	return credentials.Store{Dir: filepath.Join(w.dir, "auth"), Secrets: redact.New()}
}

// getenv returns the last value of a variable.
func (w *world) getenv(name string) string {
	value := ""
	for _, v := range w.env {
		if n, set, ok := strings.Cut(v, "="); ok && n == name {
			value = set
		}
	}
	return value
}

// openAI starts a server that speaks OpenAI's language.
func openAI(t *testing.T) *openaitest.Server {
	t.Helper()
	s := openaitest.Start(openaitest.Options{Compatible: true, Key: "sk-the-right-key-123"})
	t.Cleanup(s.Close)
	return s
}

// The ways in which a command fails.
var (
	errMistake = errors.New("a mistake on the command line")
	errRefused = errors.New("the provider refused the key")
	errFailure = errors.New("another failure")
)

// want runs a command line with a text on standard input, and checks how it fails and what
// it says.
func (w *world) want(stdin, line string, fails error, words string) {
	w.t.Helper()
	in, err := os.CreateTemp(w.t.TempDir(), "stdin")
	if err != nil {
		w.t.Fatal(err)
	}
	defer in.Close()
	if _, err = in.WriteString(stdin); err == nil {
		_, err = in.Seek(0, 0)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	s := settings.Defaults()
	secrets := redact.New()
	way := provider.Network(s.Network, w.getenv, secrets)
	models, err := provider.New(provider.Options{
		Env: w.getenv, Keys: provider.KeyFile{Path: filepath.Join(w.dir, "keys"), Secrets: secrets}, Logins: w.logins(), Network: way, Settings: s, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		w.t.Fatal(err)
	}
	var out bytes.Buffer
	c := auth.Command{Models: models, Model: s.Model.Name, Logins: w.logins(), Way: way, Secrets: secrets, Stdin: in, Stdout: &out, Stderr: &out, Portable: true}
	program := cli.Command{Name: "auth", Subcommands: auth.Commands(func(run func(auth.Command) error) error { return run(c) })}
	err = program.Execute(w.t.Context(), &out, strings.Fields(line))
	w.said = out.String()
	if err != nil {
		w.said += err.Error()
	}
	got := errFailure
	switch {
	case err == nil:
		got = nil
	case errors.As(err, new(*cli.InputError)):
		got = errMistake
	case errors.As(err, new(*auth.RefusedError)):
		got = errRefused
	}
	if !errors.Is(got, fails) || !strings.Contains(w.said, words) {
		w.t.Errorf("auth %s: %v, want %v and %q; it says %s", line, got, fails, words, w.said)
	}
}

func TestKeysThatAreNotStored(t *testing.T) {
	for _, c := range []struct {
		name  string
		stdin string
		env   string
		args  []string
		fails error
		says  string
	}{
		{name: "a key that the provider refuses", stdin: "sk-a-wrong-key-123", args: []string{"openai"}, fails: errRefused, says: "the key was not stored: openai refused it: the provider rejected the credentials"},
		{name: "a server that is away", stdin: "sk-the-right-key-123", env: "OPENAI_BASE_URL=http://127.0.0.1:1", args: []string{"openai"}, fails: errFailure, says: "the server 127.0.0.1:1 cannot be reached: connection refused; --no-check stores it unchecked"},
		{name: "nothing", args: []string{"openai"}, fails: errMistake, says: "no key was given"},
		{name: "two lines", stdin: "sk-one-line-123\nsk-two-lines-123\n", args: []string{"openai"}, fails: errMistake, says: "that is not a key"},
		{name: "much", stdin: strings.Repeat("x", 1<<20), args: []string{"openai"}, fails: errMistake, says: "that is not a key"},
		{name: "an unknown provider", stdin: "sk-the-right-key-123", args: []string{"opnai"}, fails: errMistake, says: `unknown provider "opnai"`},
		{name: "no provider", stdin: "sk-the-right-key-123", fails: errMistake, says: "name the provider"},
		{name: "a key as an argument", stdin: "sk-the-right-key-123", args: []string{"openai", "sk-the-right-key-123"}, fails: errMistake, says: `login: unexpected argument after "openai"; type the key`},
		{name: "a key without a provider", stdin: "sk-proj-" + strings.Repeat("a1B2", 10), args: []string{"sk-proj-" + strings.Repeat("a1B2", 10)}, fails: errMistake, says: "unknown provider"},
		{name: "an unknown place", stdin: "sk-the-right-key-123", args: []string{"--storage", "cloud", "openai"}, fails: errMistake, says: "want auto, keyring or file"},
		{name: "Google without a client", args: []string{"google"}, fails: errMistake, says: "security.auth.google.clientId"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, "OPENAI_BASE_URL="+openAI(t).URL, c.env)
			w.want(c.stdin, "login "+strings.Join(c.args, " "), c.fails, c.says)
			if secret := strings.TrimSpace(c.stdin); secret != "" && strings.Contains(w.said, secret) {
				t.Errorf("it prints the key: %s", w.said)
			}
			if _, err := os.Stat(w.logins().File()); err == nil {
				t.Error("something is stored")
			}
		})
	}
}

// Without a check nothing is asked, so it works without a network.
func TestSigningInOffline(t *testing.T) {
	w := newWorld(t, "OPENAI_BASE_URL=http://127.0.0.1:1")
	w.want("sk-the-right-key-123", "login --no-check openai", nil, "Stored the key of openai in "+w.logins().File()+", which only you can read.\n")
}

func TestEveryProviderChecksItsKey(t *testing.T) {
	claude := anthropictest.New(t)
	google := geminitest.New(t)
	for _, c := range []struct{ name, variable, url, key string }{
		{"anthropic", "ANTHROPIC_BASE_URL", claude.URL, claude.Key},
		{"gemini", "GOOGLE_GEMINI_BASE_URL", google.URL, google.Key},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, c.variable+"="+c.url)
			w.want("not-"+c.key, "login "+c.name, errRefused, "the key was not stored")
			w.want(c.key, "login "+c.name, nil, "")
			w.want("", "status --json", nil, "")
			var l []auth.Standing
			if err := json.Unmarshal([]byte(w.said), &l); err != nil {
				t.Fatalf("%v: %s", err, w.said)
			}
			for _, s := range l {
				if s.Provider == c.name && (s.Source != "file" || s.StoredAt == nil || !s.Default || s.File == "") {
					t.Errorf("its status is %+v", s)
				}
			}
		})
	}
}
