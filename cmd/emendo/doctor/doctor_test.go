package doctor_test

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/subagent/remote"
	"github.com/emendo-dev/emendo/cmd/emendo/auth"
	"github.com/emendo-dev/emendo/cmd/emendo/credentials"
	"github.com/emendo-dev/emendo/cmd/emendo/doctor"
	"github.com/emendo-dev/emendo/cmd/emendo/provider"
	"github.com/emendo-dev/emendo/cmd/emendo/servers"
	"github.com/emendo-dev/emendo/internal/langserver"
	"github.com/emendo-dev/emendo/internal/langserver/langservertest"
	"github.com/emendo-dev/emendo/internal/redact"
	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/internal/settings"
	"github.com/emendo-dev/emendo/internal/trust"
)

// world is what the checks look at: a home, a folder and an environment.
type world struct {
	t               *testing.T
	base, home, dir string
	env             []string
	level           string // the letter of the only sandbox level to use
	rules           error  // what is wrong with the policy files
}

func newWorld(t *testing.T) *world {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, base: base, home: filepath.Join(base, "home"), dir: filepath.Join(base, "work"), level: "C"}
	if err := os.Mkdir(w.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	w.env = []string{"PATH=" + langservertest.SearchPath(t), "HOME=" + base, "EMENDO_HOME=" + w.home, "TMPDIR=" + base, "GEMINI_API_KEY=a-key"}
	return w
}

func (w *world) put(path, text string) {
	w.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

// program creates a program that does nothing.
func (w *world) program(path string) {
	w.t.Helper()
	w.put(path, "#!/bin/sh\n")
	if err := os.Chmod(path, 0o755); err != nil {
		w.t.Fatal(err)
	}
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

func (w *world) paths() (settings.Paths, error) { return settings.FindPaths(runtime.GOOS, w.getenv) }

// process returns the parts of a process for the checks.
func (w *world) process(out *bytes.Buffer) doctor.Process {
	secrets := redact.New()
	return doctor.Process{
		Environ: w.env, Env: w.getenv, Home: w.base, Stdout: out, Version: "1", Clean: secrets.Text,
		Folders: w.paths,
		Dir:     func() (string, error) { return w.dir, nil },
		Load: func(at doctor.Place, warn func(string)) (settings.Settings, error) {
			s, warnings, err := settings.Load(settings.Options{Paths: at.Paths, ProjectDir: at.Dir, Trusted: at.Trusted, Env: w.getenv})
			for _, w := range warnings {
				warn(w.String())
			}
			return s, err
		},
		Rules: func(doctor.Place, func(string)) error { return w.rules },
		Auth: func(at doctor.Place, s settings.Settings) (auth.Examination, error) {
			way := provider.Network(s.Network, w.getenv, secrets)
			logins := credentials.Store{Dir: filepath.Join(at.Paths.State, "auth"), Keyring: credentials.NewGuard(credentials.System(w.getenv), 0), Secrets: secrets}
			models, err := provider.New(provider.Options{
				Env: w.getenv, Keys: provider.KeyFile{Path: filepath.Join(at.Paths.Config, "keys"), Secrets: secrets}, Logins: logins, Network: way, Settings: s, Log: slog.New(slog.DiscardHandler),
			})
			return auth.Examination{Command: auth.Command{Models: models, Model: s.Model.Name, Logins: logins, Way: way, Secrets: secrets}, Env: w.getenv, Settings: s.Network, Network: way}, err
		},
		Sandbox: func(_ doctor.Place, s settings.Settings) doctor.Trial {
			return doctor.Trial{
				Guard:   sandbox.NewGuard(sandbox.Options{Want: sandbox.Want(s.Tools.Sandbox.Use), Only: w.level}),
				Profile: func() (string, *sandbox.Profile, error) { return w.base, &sandbox.Profile{}, nil },
				Close:   func() {},
			}
		},
		Servers: func(at doctor.Place, s settings.Settings) servers.Command {
			return servers.Command{Settings: s, Store: trust.Open(at.Paths.State), Dir: at.Dir, Trusted: at.Trusted, Env: w.getenv}
		},
		Agents: func(settings.Settings) remote.Options { return remote.Options{} },
		Serves: func(s settings.Settings) []langserver.Program {
			if !s.LanguageServers.Enabled {
				return nil
			}
			return langserver.Builtin()
		},
	}
}

func TestFindings(t *testing.T) {
	for _, c := range []struct {
		name   string
		world  func(w *world)
		broken bool
		says   []string
		not    []string
	}{
		{
			name: "a file in the place of the folder for sessions", world: func(w *world) { w.put(filepath.Join(w.home, "state"), "a file") }, broken: true,
			says: []string{"FAIL  storage      sessions cannot be stored: ", "set EMENDO_HOME to another folder"},
		},
		{
			name: "no home", world: func(w *world) { w.env = append(w.env, "HOME=", "EMENDO_HOME=") }, broken: true,
			says: []string{"FAIL  folders      HOME is not set", "→ set HOME"}, not: []string{"credentials"},
		},
		{
			name: "no key", world: func(w *world) { w.env = append(w.env, "GEMINI_API_KEY=", "GOOGLE_API_KEY=") }, broken: true,
			says: []string{"FAIL  credentials  no credentials", "→ run `emendo auth login` in a terminal"},
		},
		{
			name: "settings that cannot be read", world: func(w *world) { w.put(filepath.Join(w.home, "config", "settings.json"), "{\n  oops\n}") }, broken: true,
			says: []string{"FAIL  settings", "settings.json:2:"},
		},
		{
			name: "an agent that cannot be read", world: func(w *world) {
				w.put(filepath.Join(w.home, "config", "agents", "mine.md"), "no front matter")
			},
			says: []string{"warn  agents", "mine.md defines no agent: it does not begin with front matter"},
		},
		{
			name: "a proxy", world: func(w *world) { w.env = append(w.env, "HTTPS_PROXY=http://me:hidden@proxy.example:3128") },
			says: []string{"ok    network      requests go through the proxy proxy.example:3128 (HTTPS_PROXY)"}, not: []string{"hidden"},
		},
		{
			name: "certificates that are not there", world: func(w *world) { w.env = append(w.env, "SSL_CERT_FILE=/nonexistent/certs") }, broken: true,
			says: []string{"FAIL  network", "SSL_CERT_FILE names /nonexistent/certs"},
		},
		{
			name: "a sandbox that cannot be had", world: func(w *world) { w.level = "Z" }, broken: true,
			says: []string{"FAIL  sandbox", "unknown level Z"},
		},
		{
			name: "no sandbox", world: func(w *world) { w.put(filepath.Join(w.home, "config", "settings.json"), `{"tools.sandbox": "off"}`) },
			says: []string{"warn  sandbox      commands run at level C"},
		},
		{
			name: "language servers", world: func(w *world) {
				w.program(filepath.Join(w.home, "bin", "gopls"))
				w.program(filepath.Join(w.dir, "bin", "clangd"))
				w.env[0] = "PATH=" + langservertest.SearchPath(w.t, filepath.Join(w.home, "bin"), filepath.Join(w.dir, "bin"))
			},
			says: []string{"ok    languages    gopls at ", "/bin/gopls, for .go\n", "warn  languages    clangd at ", "/bin/clangd is not used because it is inside the folder", "ok    languages    not found: typescript-language-server, pyright-langserver, rust-analyzer;"},
		},
		{
			name: "editors", world: func(w *world) {
				bin := filepath.Join(w.home, "bin")
				for name, prints := range map[string]string{"hx": "helix 25.01.1 (e7ac2fcd)", "emacs": "GNU Emacs 29.4", "vim": "VIM - Vi IMproved 9.1", "emendo": ""} {
					w.program(filepath.Join(bin, name))
					w.put(filepath.Join(bin, name), "#!/bin/sh\necho '"+prints+"'\n")
				}
				w.put(filepath.Join(w.base, ".config", "helix", "languages.toml"),
					"language-server.emendo = { command = \"emendo\", config = { showDocument = true } }\n[[language]]\nname = \"markdown\"\nlanguage-servers = [\"emendo\"]\n")
				w.put(filepath.Join(w.base, ".emacs"), "(require 'emendo)\n")
				w.env[0] = "PATH=" + bin + ":/usr/bin:/bin"
			},
			says: []string{
				"ok    editors      Helix 25.01.1: it serves markdown\n", "warn  editors      Emacs 29.4: emendo needs Emacs 30 or later\n                   → update Emacs\n",
				"ok    editors      Vim 9.1: emendo is not set up in it\n                   → see docs/vim.md\n",
			},
			not: []string{"in any editor"},
		},
		{
			name: "no language servers", world: func(w *world) {
				w.put(filepath.Join(w.home, "config", "settings.json"), `{"languageServers.enabled": false}`)
			},
			says: []string{"ok    languages    language servers are disabled"},
		},
		{
			name: "rules that cannot be read", world: func(w *world) { w.rules = errors.New("mine.toml:1: no rule") }, broken: true,
			says: []string{"FAIL  policies     mine.toml:1: no rule", "→ fix the rule; until then every call needs your approval"},
		},
		{
			name: "a trusted folder", world: func(w *world) {
				paths, err := w.paths()
				if err == nil {
					_, err = trust.Open(paths.State).Add(w.dir)
				}
				if err != nil {
					w.t.Fatal(err)
				}
			},
			says: []string{"ok    trust        "}, not: []string{"emendo trust add"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			c.world(w)
			var out bytes.Buffer
			e := doctor.Examination{Process: w.process(&out)}
			usable, err := e.Run(t.Context(), false)
			if err != nil || usable == c.broken {
				t.Errorf("usable: %v, %v\n%s", usable, err, out.String())
			}
			for _, words := range c.says {
				if !strings.Contains(out.String(), words) {
					t.Errorf("the output lacks %q:\n%s", words, out.String())
				}
			}
			for _, words := range append(c.not, "a-key") {
				if strings.Contains(out.String(), words) {
					t.Errorf("unexpected output %q:\n%s", words, out.String())
				}
			}
		})
	}
}
