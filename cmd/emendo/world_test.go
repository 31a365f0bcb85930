package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
	"github.com/emendo-dev/emendo/internal/langserver/langservertest"
)

// TestMain runs the program itself if a test starts this binary as a program.
func TestMain(m *testing.M) {
	if os.Getenv("EMENDO_TEST_SERVER") != "" {
		serveMCP()
		os.Exit(0)
	}
	if os.Getenv("EMENDO_TEST_MAIN") != "" {
		onlyLevel, onlyServer = os.Getenv(levelVariable), os.Getenv(webVariable)
		main()
	}
	os.Exit(m.Run())
}

// levelVariable sets the only sandbox level that the program uses.
const levelVariable = "EMENDO_TEST_SANDBOX"

// webVariable sets the server that replaces every host on the web.
const webVariable = "EMENDO_TEST_WEB"

// world is the environment of a command: a home, a workspace and a model.
type world struct {
	t     *testing.T
	home  string // EMENDO_HOME
	dir   string // the workspace
	model *geminitest.Server
	env   []string
	as    func(*exec.Cmd) // changes the user of started processes; nil: the test's own
}

func newWorld(t *testing.T, replies ...geminitest.Reply) *world {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, home: filepath.Join(base, "home"), dir: filepath.Join(base, "work"), model: geminitest.New(t, replies...)}
	if err := os.Mkdir(w.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	w.env = []string{
		"PATH=" + langservertest.SearchPath(t), "HOME=" + base, "EMENDO_HOME=" + w.home, "TMPDIR=" + base,
		"GORACE=" + os.Getenv("GORACE"),
		"GEMINI_API_KEY=" + w.model.Key, "GOOGLE_GEMINI_BASE_URL=" + w.model.URL,
	}
	return w
}

// write writes a file of the workspace.
func (w *world) write(name, text string) {
	w.t.Helper()
	w.put(filepath.Join(w.dir, name), text)
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

func (w *world) read(name string) string {
	w.t.Helper()
	return w.readFrom(filepath.Join(w.dir, name))
}

func (w *world) readFrom(path string) string {
	w.t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		w.t.Fatal(err)
	}
	return string(b)
}

// result is the exit status and output of a command.
type result struct {
	code           int
	stdout, stderr string
}

// exec runs a command line in this process, in the workspace.
func (w *world) exec(args ...string) result {
	w.t.Helper()
	w.t.Chdir(w.dir)
	var out, errs bytes.Buffer
	p := process{args: args, env: lookup(w.env), environ: w.env, stdout: &out, stderr: &errs, level: lookup(w.env)(levelVariable), server: lookup(w.env)(webVariable)}
	code := p.run(w.t.Context())
	return result{code, out.String(), errs.String()}
}

// run is exec of `emendo run --trust`.
func (w *world) run(args ...string) result {
	w.t.Helper()
	return w.exec(append([]string{"run", "--trust"}, args...)...)
}

// showSelf has the sandbox show the program of the tests, which is then a server of a
// project.
func (w *world) showSelf() {
	w.t.Helper()
	self, err := os.Executable()
	if err != nil {
		w.t.Fatal(err)
	}
	text, err := json.Marshal(map[string]any{"tools": map[string]any{"sandboxAllowedPaths": []string{filepath.Dir(self)}}})
	if err != nil {
		w.t.Fatal(err)
	}
	w.put(filepath.Join(w.home, "config", "settings.json"), string(text))
}

// start starts a command line as a separate process, which is killed at the end of the
// test.
func (w *world) start(ctx context.Context, args ...string) *exec.Cmd {
	w.t.Helper()
	self, err := os.Executable()
	if err != nil {
		w.t.Fatal(err)
	}
	c := exec.CommandContext(ctx, self, args...)
	c.Dir, c.Env = w.dir, append([]string{"EMENDO_TEST_MAIN=1"}, w.env...)
	if w.as != nil {
		w.as(c)
	}
	return c
}

// wantCode checks an exit status.
func (r result) wantCode(t *testing.T, want int) {
	t.Helper()
	if r.code != want {
		t.Errorf("exit %d, want %d\nstdout: %s\nstderr: %s", r.code, want, r.stdout, r.stderr)
	}
}

// wantLine checks that standard error is one line that contains the words.
func (r result) wantLine(t *testing.T, words ...string) {
	t.Helper()
	if strings.Count(r.stderr, "\n") != 1 || !strings.HasSuffix(r.stderr, "\n") {
		t.Errorf("standard error is not one line: %q", r.stderr)
	}
	for _, word := range words {
		if !strings.Contains(r.stderr, word) {
			t.Errorf("standard error lacks %q: %q", word, r.stderr)
		}
	}
}

// answer is the output of --output-format json.
type answer struct {
	SessionID string `json:"session_id"`
	Response  string
	Stats     map[string]any
	Error     *struct {
		Type    string
		Message string
		Code    int
	}
}

func (r result) answer(t *testing.T) answer {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(r.stdout))
	var a answer
	if err := d.Decode(&a); err != nil || d.More() {
		t.Fatalf("standard output is not one JSON object (%v): %q; standard error: %s", err, r.stdout, r.stderr)
	}
	wantSchema(t, "run.schema.json", []byte(r.stdout))
	return a
}

// object is a line of stream-json.
type object map[string]any

func (r result) lines(t *testing.T) []object {
	t.Helper()
	var l []object
	for line := range strings.Lines(r.stdout) {
		var o object
		if err := json.Unmarshal([]byte(line), &o); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		wantSchema(t, "run-stream.schema.json", []byte(line))
		l = append(l, o)
	}
	return l
}
