package extensions_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/cmd/emendo/cli"
	"github.com/emendo-dev/emendo/cmd/emendo/extensions"
	"github.com/emendo-dev/emendo/internal/trust"
)

// world is a trusted folder, the files of a user, and an extension to install.
type world struct {
	t                   *testing.T
	config, dir, source string
	ask                 func(string) (bool, error) // nil: no user is available
	out                 bytes.Buffer
}

func newWorld(t *testing.T) *world {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, config: filepath.Join(base, "config"), dir: filepath.Join(base, "work"), source: filepath.Join(base, "downloads", "helper")}
	if err := os.Mkdir(w.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	w.extension(w.source)
	return w
}

// extension writes an extension with a hook to a folder.
func (w *world) extension(dir string) {
	w.put(filepath.Join(dir, "gemini-extension.json"), `{"name": "helper", "version": "1.2.0"}`)
	w.put(filepath.Join(dir, "hooks", "hooks.json"), `{"hooks": {"BeforeAgent": [{"hooks": [{"type": "command", "name": "note", "command": "bash ${extensionPath}/note.sh"}]}]}}`)
	w.put(filepath.Join(dir, "note.sh"), "echo '{}'")
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

// run runs a command line with the user's settings as they are now, and returns what it
// prints, with its error.
func (w *world) run(line string) (said string, err error) {
	w.t.Helper()
	var set struct {
		Extensions struct {
			Disabled []string `json:"disabled"`
		} `json:"extensions"`
	}
	if text, err := os.ReadFile(filepath.Join(w.config, "settings.json")); err == nil {
		if err := json.Unmarshal(text, &set); err != nil {
			w.t.Fatal(err)
		}
	}
	w.out.Reset()
	c := extensions.Command{
		Stdout: &w.out, Warn: func(text string) { w.out.WriteString(text + "\n") }, Ask: w.ask, Config: w.config, Disabled: set.Extensions.Disabled,
		Store: trust.Open(filepath.Join(filepath.Dir(w.config), "state")), Dir: w.dir, Trusted: true, Env: func(string) string { return "" },
	}
	program := cli.Command{Name: "extensions", Subcommands: extensions.Commands(func(run func(extensions.Command) error) error { return run(c) })}
	err = program.Execute(w.t.Context(), &w.out, strings.Fields(line))
	said = w.out.String()
	if err != nil {
		said += err.Error()
	}
	return said, err
}

func TestExtensionsCommand(t *testing.T) {
	w := newWorld(t)
	installed := filepath.Join(w.config, "extensions", "helper")
	for _, c := range []struct {
		args    string
		mistake bool
		want    string
	}{
		{"list", false, "no extensions are installed"},
		{"install", true, "usage"},
		{"install nowhere", true, "nowhere is not a folder"},
		{"install " + w.dir, true, "it has no gemini-extension.json"},
		{"install " + w.source, true, "approve it with: emendo extensions install " + w.source + " --consent"},
		{"list", false, "no extensions are installed"},
		{"install --json " + w.source, true, "flag provided but not defined: -json"},
		{"install " + w.source + " --consent", false, "hook BeforeAgent 1.1 (note) of the extension helper: bash " + installed + "/note.sh"},
		{"list", false, "helper 1.2.0: used\n    " + installed},
		{"list --json", false, `"source": "` + w.source + `"`},
		{"disable nonesuch", true, "no extension nonesuch is installed"},
		{"disable helper", false, "disabled helper"},
		{"list", false, "helper 1.2.0: disabled\n"},
		{"enable helper", true, "approve it with: emendo extensions enable helper --consent"},
		{"enable helper --yes", false, "enabled helper"},
		{"list", false, "helper 1.2.0: used\n"},
		{"uninstall helper", false, "removed helper"},
		{"list", false, "no extensions are installed"},
		{"remove helper", true, "no extension helper is installed"},
	} {
		said, err := w.run(c.args)
		if errors.As(err, new(*cli.InputError)) != c.mistake || !c.mistake && err != nil || !strings.Contains(said, c.want) {
			t.Errorf("extensions %s: error %v\n%s\nwant %s", c.args, err, said, c.want)
		}
	}
	if _, err := os.Stat(installed); err == nil {
		t.Error("it still exists")
	}
}

func TestAUserIsAskedBeforeAnExtensionIsInstalled(t *testing.T) {
	w := newWorld(t)
	yes := false
	w.ask = func(question string) (bool, error) {
		if !strings.Contains(w.out.String(), "bash ") {
			t.Errorf("before %q it says %q", question, w.out.String())
		}
		return yes, nil
	}
	if said, err := w.run("install " + w.source); !errors.Is(err, extensions.ErrDeclined) {
		t.Errorf("after no: %v, %s", err, said)
	}
	yes = true
	if said, err := w.run("install " + w.source); err != nil {
		t.Errorf("after yes: %v, %s", err, said)
	}
}

func TestAChangedExtensionNeedsApproval(t *testing.T) {
	w := newWorld(t)
	if said, err := w.run("install " + w.source + " --consent"); err != nil {
		t.Fatal(err, said)
	}
	w.put(filepath.Join(w.config, "extensions", "helper", "note.sh"), "echo '{} '")
	if said, err := w.run("list"); err != nil || !strings.Contains(said, "used; 1 of the 1 programs that it starts need your approval") {
		t.Errorf("it is listed as %s%v", said, err)
	}
}

// What a project has is its own: the user's commands do not remove it.
func TestAProjectsExtensionIsNotManaged(t *testing.T) {
	w := newWorld(t)
	w.extension(filepath.Join(w.dir, ".gemini", "extensions", "helper"))
	for _, line := range []string{"remove helper", "enable helper --yes"} {
		if said, err := w.run(line); err == nil || !strings.Contains(said, "the extension helper is of the project "+w.dir) {
			t.Errorf("%s: %v, %s", line, err, said)
		}
	}
	if _, err := os.Stat(filepath.Join(w.dir, ".gemini", "extensions", "helper")); err != nil {
		t.Error(err)
	}
}
