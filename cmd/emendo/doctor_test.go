package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
	"github.com/emendo-dev/emendo/cmd/emendo/doctor"

	"github.com/emendo-dev/emendo/internal/langserver/langservertest"
)

func TestDoctor(t *testing.T) {
	for _, c := range []struct {
		name  string
		world func(w *world)
		args  []string
		code  int
		says  []string
		not   []string
	}{
		{
			name: "all is well", world: func(*world) {},
			says: []string{"ok    credentials  from GEMINI_API_KEY", "ok    settings", "ok    storage      sessions are stored in ", "warn  trust", "→ emendo trust add", "  sandbox      commands run at level ", "starting one takes"},
		},
		{
			name: "a folder for sessions that is none", world: func(w *world) { w.put(filepath.Join(w.home, "state"), "a file") }, code: 1,
			says: []string{"FAIL  storage      sessions cannot be stored: ", "set EMENDO_HOME to another folder"},
		},
		{
			name: "no home", world: func(w *world) { w.env = append(w.env, "HOME=", "EMENDO_HOME=") }, code: 1,
			says: []string{"FAIL  folders      HOME is not set", "→ set HOME"}, not: []string{"credentials"},
		},
		{
			name: "no key", world: func(w *world) { w.env = append(w.env, "GEMINI_API_KEY=", "GOOGLE_API_KEY=") }, code: 1,
			says: []string{"FAIL  credentials  no credentials", "→ run `emendo auth login` in a terminal"},
		},
		{
			name: "settings that cannot be read", world: func(w *world) { w.put(filepath.Join(w.home, "config", "settings.json"), "{\n  oops\n}") }, code: 1,
			says: []string{"FAIL  settings", "settings.json:2:"},
		},
		{
			name: "a rule that cannot be read", world: func(w *world) {
				w.put(filepath.Join(w.home, "config", "policies", "mine.toml"), "[[rule]]\ndecision = 3\n")
			}, code: 1,
			says: []string{"FAIL  policies", "mine.toml"},
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
			name: "certificates that are not there", world: func(w *world) { w.env = append(w.env, "SSL_CERT_FILE=/nonexistent/certs") }, code: 1,
			says: []string{"FAIL  network", "SSL_CERT_FILE names /nonexistent/certs"},
		},
		{
			name: "a sandbox that cannot be had", world: func(w *world) { w.env = append(w.env, levelVariable+"=Z") }, code: 1,
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
				w.put(filepath.Join(filepath.Dir(w.home), ".config", "helix", "languages.toml"),
					"language-server.emendo = { command = \"emendo\", config = { showDocument = true } }\n[[language]]\nname = \"markdown\"\nlanguage-servers = [\"emendo\"]\n")
				w.put(filepath.Join(filepath.Dir(w.home), ".emacs"), "(require 'emendo)\n")
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
			name: "the model is asked with leave", world: func(*world) {}, args: []string{"--online"},
			says: []string{"ok    model", "answered after"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, geminitest.Say("ok"))
			c.world(w)
			r := w.exec(append([]string{"doctor"}, c.args...)...)
			r.wantCode(t, c.code)
			for _, words := range c.says {
				if !strings.Contains(r.stdout, words) {
					t.Errorf("the output lacks %q:\n%s", words, r.stdout)
				}
			}
			for _, words := range append(c.not, w.model.Key) {
				if strings.Contains(r.stdout, words) {
					t.Errorf("unexpected output %q:\n%s", words, r.stdout)
				}
			}
			if n := len(w.model.Requests()); n != len(c.args) {
				t.Errorf("the model got %d requests", n)
			}
		})
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

func TestDoctorAsJSON(t *testing.T) {
	w := newWorld(t)
	r := w.exec("doctor", "--json")
	var got struct {
		Usable bool
		Checks []doctor.Finding
	}
	if err := json.Unmarshal([]byte(r.stdout), &got); err != nil || !got.Usable || len(got.Checks) < 5 {
		t.Errorf("%v: %s", err, r.stdout)
	}
	for _, dir := range []string{"cache/temp", "state"} {
		if left, _ := os.ReadDir(filepath.Join(w.home, dir)); len(left) != 0 {
			t.Errorf("files left behind: %v", left)
		}
	}
}

// A missing required sandbox ends a run before the first request.
func TestRunWithoutTheRequiredSandbox(t *testing.T) {
	w := newWorld(t, geminitest.Say("never asked for"))
	w.env = append(w.env, levelVariable+"=Z")
	r := w.run("-p", "hi")
	r.wantCode(t, exitSandbox)
	r.wantLine(t, "no sandbox is available", "level Z")
	w = newWorld(t, geminitest.Say("never asked for"))
	w.put(filepath.Join(w.home, "config", "settings.json"), `{"tools.sandbox": "required"}`)
	w.env = append(w.env, levelVariable+"=C")
	w.run("-p", "hi").wantCode(t, exitSandbox)
	if n := len(w.model.Requests()); n != 0 {
		t.Errorf("the model got %d requests", n)
	}
}
