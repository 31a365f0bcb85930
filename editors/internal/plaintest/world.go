package plaintest

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
	"github.com/emendo-dev/emendo/lsp/wiretest"
)

// A World is the environment of an editor: a user's home, a trusted project, a model.
type World struct {
	T     testing.TB
	Dir   string // the project, with links resolved
	Model *geminitest.Server
	Env   []string // for programs that the user starts

	home   Home
	tapped string // the log of the wire
}

// NewWorld creates a project with the files, and a model that plays the replies.
func NewWorld(t testing.TB, h Home, files map[string]string, replies ...geminitest.Reply) *World {
	t.Helper()
	scratch := Scratch(t)
	w := &World{T: t, Dir: filepath.Join(scratch, "parking"), Model: geminitest.New(t, replies...), home: h, tapped: filepath.Join(scratch, "wire")}
	tests, err := os.Executable()
	if err == nil {
		err = os.Mkdir(filepath.Join(scratch, "bin"), 0o700)
	}
	if err == nil {
		err = os.Symlink(tests, filepath.Join(scratch, "bin", tapName))
	}
	if err != nil {
		t.Fatal(err)
	}
	w.Env = []string{
		"HOME=" + h.Dir, "LANG=C.UTF-8", "TERM=xterm-256color", "TMPDIR=" + os.TempDir(),
		"PATH=" + filepath.Join(scratch, "bin") + string(os.PathListSeparator) + filepath.Dir(h.Program()) + string(os.PathListSeparator) + "/usr/local/bin:/usr/bin:/bin",
		tapProgram + "=" + h.Program(), tapFile + "=" + w.tapped,
		"XDG_STATE_HOME=" + filepath.Join(scratch, "state"), "XDG_CACHE_HOME=" + filepath.Join(scratch, "cache"),
		"EMENDO_HOME=" + filepath.Join(scratch, "emendo"),
		"GEMINI_API_KEY=" + w.Model.Key, "GOOGLE_GEMINI_BASE_URL=" + w.Model.URL,
	}
	for name, text := range files {
		w.Write(name, text)
	}
	w.Write("../emendo/config/settings.json", Asking)
	w.run("git", "init", "-q", ".") // editors use it to find the root
	w.run(h.Program(), "trust", "add")
	t.Cleanup(func() {
		for _, r := range w.Model.Requests() {
			if r.Refused != "" {
				t.Errorf("the model rejected a request: %s", r.Refused)
			}
		}
		for _, problem := range wiretest.Check(w.Wire()) {
			t.Error(problem)
		}
		w.checkUnwritten()
	})
	return w
}

// Asking are settings of a user whom emendo asks about each command that changes something,
// also where a sandbox holds it: the tests of questions need some.
const Asking = `{"tools": {"shell": {"ask": "always"}}, "edits": {"wait": "always"}}`

// Scratch creates a folder, whose path has no links, that is removed at the end of the
// test, once the programs in it have stopped writing.
func Scratch(t testing.TB) string {
	t.Helper()
	made, err := os.MkdirTemp("", "emendo-editor-") //nolint:usetesting // programs may still write to it when the test ends
	if err == nil {
		made, err = filepath.EvalSymlinks(made)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if !within(patience, func() bool { return os.RemoveAll(made) == nil }) {
			t.Errorf("%s is still in use", made)
		}
	})
	return made
}

// Wire returns what has gone over the wire between the editor and the server.
func (w *World) Wire() []wiretest.Message {
	w.T.Helper()
	all, err := wiretest.ReadLog(w.tapped)
	if err != nil {
		w.T.Fatal(err)
	}
	return all
}

// Served reports whether a server has a file of the editor's.
func (w *World) Served() bool {
	w.T.Helper()
	return slices.ContainsFunc(w.Wire(), func(m wiretest.Message) bool { return m.Method == "textDocument/didOpen" })
}

// Kill kills the server that runs, as the system does when memory is short.
func (w *World) Kill() {
	w.T.Helper()
	pid := 0
	for _, m := range w.Wire() {
		pid = max(m.PID, pid)
	}
	server, err := os.FindProcess(pid)
	if err == nil {
		err = server.Kill()
	}
	if err != nil {
		w.T.Fatalf("kill the server %d: %v", pid, err)
	}
}

// checkUnwritten checks that the files which the editor opened and never saved are on disk
// as they were. Chat documents are left out: they are written once they are closed.
func (w *World) checkUnwritten() {
	w.T.Helper()
	opened := map[string]string{} // texts by URI
	saved := map[string]bool{}
	for _, m := range w.Wire() {
		var p struct {
			Document struct{ URI, Text string } `json:"textDocument"`
		}
		if m.Server || json.Unmarshal(m.Params, &p) != nil {
			continue
		}
		switch m.Method {
		case "textDocument/didOpen":
			if _, again := opened[p.Document.URI]; !again {
				opened[p.Document.URI] = p.Document.Text
			}
		case "textDocument/didSave":
			saved[p.Document.URI] = true
		}
	}
	for uri, text := range opened {
		path, ok := strings.CutPrefix(uri, "file://")
		if !ok || saved[uri] || strings.HasSuffix(uri, ".emendo.md") {
			continue
		}
		if got, err := os.ReadFile(path); err == nil && string(got) != text {
			w.T.Errorf("%s, which is open, was written on disk: %q", path, got)
		}
	}
}

func (w *World) run(program string, args ...string) {
	w.T.Helper()
	cmd := exec.CommandContext(w.T.Context(), program, args...)
	cmd.Dir, cmd.Env = w.Dir, w.Env
	if out, err := cmd.CombinedOutput(); err != nil {
		w.T.Fatalf("%s %s: %v\n%s", program, strings.Join(args, " "), err, out)
	}
}

// Path returns the absolute path of a file of the project.
func (w *World) Path(name string) string { return filepath.Join(w.Dir, name) }

// Write writes a file of the project.
func (w *World) Write(name, text string) {
	w.T.Helper()
	if err := write(w.Path(name), text); err != nil {
		w.T.Fatal(err)
	}
}

// Read returns the text of a file of the project; "" if there is no such file.
func (w *World) Read(name string) string {
	w.T.Helper()
	text, err := os.ReadFile(w.Path(name))
	if err != nil && !os.IsNotExist(err) {
		w.T.Fatal(err)
	}
	return string(text)
}

// LastRequest returns the contents of the last request to the model, as JSON.
func (w *World) LastRequest() string {
	w.T.Helper()
	all := w.Model.Requests()
	if len(all) == 0 {
		return ""
	}
	text, err := json.Marshal(all[len(all)-1].Contents)
	if err != nil {
		w.T.Fatal(err)
	}
	return strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(string(text))
}

// Edit returns a call of the model that replaces a passage of a file.
func Edit(file, old, new string) geminitest.Event {
	return call("replace", map[string]string{"file_path": file, "instruction": "improve it", "old_string": old, "new_string": new})
}

// Rewrite returns a call of the model that writes a whole file.
func Rewrite(file, text string) geminitest.Event {
	return call("write_file", map[string]string{"file_path": file, "content": text})
}

// Run returns a call of the model that runs a command.
func Run(command string) geminitest.Event {
	return call("run_shell_command", map[string]string{"command": command})
}

func call(name string, args any) geminitest.Event {
	text, err := json.Marshal(args)
	if err != nil {
		panic(err) // only strings
	}
	return geminitest.Call(name, string(text))
}
