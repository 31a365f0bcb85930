//go:build editors

package e2e

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
	"github.com/emendo-dev/emendo/editors/internal/plaintest"
	"github.com/emendo-dev/emendo/internal/langserver/langservertest"
)

// world is the environment of an editor: a project, a model, a user's folders.
type world struct {
	t      *testing.T
	dir    string // the project, with links resolved
	model  *geminitest.Server
	tapped string // log of the messages on the wire
	hectic bool   // requests are cut off, and prompts sent while they are edited
	env    []string
}

// newWorld creates a project with the files, and a model that plays the replies.
func newWorld(t *testing.T, files map[string]string, replies ...geminitest.Reply) *world {
	t.Helper()
	scratch := plaintest.Scratch(t)
	w := &world{t: t, dir: filepath.Join(scratch, "parking"), model: geminitest.New(t, replies...), tapped: filepath.Join(scratch, "wire.jsonl")}
	w.write(".git/HEAD", "ref: refs/heads/main\n")
	for name, text := range files {
		w.write(name, text)
	}
	w.env = []string{
		"HOME=" + home, "LANG=C.UTF-8", "TERM=xterm-256color", "TMPDIR=" + os.TempDir(),
		"PATH=" + langservertest.SearchPath(t, filepath.Join(home, "go", "bin")),
		"XDG_STATE_HOME=" + filepath.Join(scratch, "state"), "XDG_CACHE_HOME=" + filepath.Join(scratch, "cache"),
		"EMENDO_HOME=" + filepath.Join(scratch, "emendo"),
		"GEMINI_API_KEY=" + w.model.Key, "GOOGLE_GEMINI_BASE_URL=" + w.model.URL,
		tapProgram + "=" + program, tapFile + "=" + w.tapped,
	}
	w.configure(plaintest.Asking)
	t.Cleanup(w.checkRequestsAccepted)
	return w
}

// checkRequestsAccepted fails if the model, which is strict, rejected a request.
func (w *world) checkRequestsAccepted() {
	for _, r := range w.model.Requests() {
		if r.Refused != "" && !(w.hectic && strings.Contains(r.Refused, "cannot be read")) {
			w.t.Errorf("the model rejected a request: %s", r.Refused)
		}
	}
}

// lastRequest returns the contents of the last request to the model, as JSON.
func (w *world) lastRequest() string {
	w.t.Helper()
	all := w.model.Requests()
	if len(all) == 0 {
		w.t.Fatal("the model got no request")
	}
	var said bytes.Buffer
	enc := json.NewEncoder(&said)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(all[len(all)-1].Contents); err != nil {
		w.t.Fatal(err)
	}
	return said.String()
}

// withoutKey makes the world one of a user who has no key for a model.
func (w *world) withoutKey() {
	w.set("GEMINI_API_KEY=")
	w.set("GOOGLE_GEMINI_BASE_URL=")
}

// set sets a variable of the environment, NAME=value.
func (w *world) set(variable string) {
	name, _, _ := strings.Cut(variable, "=")
	for i, v := range w.env {
		if n, _, _ := strings.Cut(v, "="); n == name {
			w.env[i] = variable
			return
		}
	}
	w.env = append(w.env, variable)
}

func (w *world) path(name string) string { return filepath.Join(w.dir, filepath.FromSlash(name)) }

func (w *world) write(name, text string) {
	w.t.Helper()
	if err := os.MkdirAll(filepath.Dir(w.path(name)), 0o700); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(w.path(name), []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) read(name string) string {
	w.t.Helper()
	text, err := os.ReadFile(w.path(name))
	if err != nil {
		w.t.Fatal(err)
	}
	return string(text)
}

// configure writes the user's settings.
func (w *world) configure(settings string) {
	w.t.Helper()
	w.write("../emendo/config/settings.json", settings)
}

func (w *world) emendo(args ...string) {
	w.t.Helper()
	cmd := exec.CommandContext(w.t.Context(), program, args...)
	cmd.Dir, cmd.Env = w.dir, w.env
	if out, err := cmd.CombinedOutput(); err != nil {
		w.t.Fatalf("emendo %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}
