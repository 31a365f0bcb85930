package bench

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/emendo-dev/emendo/internal/langserver/langservertest"
)

// scratch holds programs built for the tests, and is removed after them.
var scratch string

func TestMain(m *testing.M) {
	code := func() int {
		dir, err := os.MkdirTemp("", "emendo-bench")
		if err != nil {
			fmt.Fprintln(os.Stderr, "making a folder for the measured programs:", err)
			return 1
		}
		defer os.RemoveAll(dir)
		scratch = dir
		return m.Run()
	}()
	os.Exit(code)
}

// The programs under test: emendo, and what it is measured against.
var (
	emendo = sync.OnceValues(func() (string, error) { return build("emendo", "../../cmd/emendo") })
	floor  = sync.OnceValues(func() (string, error) { return build("floor", "./testdata/floor") })
)

// build builds a program as for a release.
func build(name, from string) (string, error) {
	path := filepath.Join(scratch, name)
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	cmd := exec.Command("go", "build", "-trimpath", "-tags", "testhooks", "-o", path, from)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("building %s: %w\n%s", from, err, out)
	}
	return path, nil
}

// A program is one of the two with its environment.
type program struct {
	path string
	args []string // those that make it a language server
	home string   // where it keeps its files
	work string   // the folder that it works in
	env  []string

	trust string // of its folder, as the editor's option; empty means trusted
}

func newEmendo(tb testing.TB, m *modelServer) program { return newProgram(tb, emendo, m, "lsp") }
func newFloor(tb testing.TB, m *modelServer) program  { return newProgram(tb, floor, m) }

// newProgram returns a program with a new home, an empty folder and the model.
func newProgram(tb testing.TB, built func() (string, error), m *modelServer, args ...string) program {
	tb.Helper()
	path, err := built()
	if err != nil {
		tb.Fatal(err)
	}
	p := program{path: path, args: args, home: tb.TempDir(), work: tb.TempDir()}
	p.env = []string{"EMENDO_HOME=" + p.home, "HOME=" + p.home, "PATH=" + langservertest.SearchPath(tb), "EMENDO_TEST_LOOK=1", "GEMINI_API_KEY=k", "GOOGLE_GEMINI_BASE_URL=" + m.url}
	return p
}

// configure writes the user's settings.
func (p program) configure(tb testing.TB, settings string) {
	tb.Helper()
	dir := filepath.Join(p.home, "config")
	if err := errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(filepath.Join(dir, "settings.json"), []byte(settings), 0o600)); err != nil {
		tb.Fatal(err)
	}
}

// file writes a file into the program's folder and returns its path.
func (p program) file(tb testing.TB, name, text string) string {
	tb.Helper()
	path := filepath.Join(p.work, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		tb.Fatal(err)
	}
	return path
}
