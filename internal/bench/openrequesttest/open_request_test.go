package main

import (
	"flag"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Limits of what a reader has to know to follow a prompt to the request of its turn.
const (
	mostFrames   = 15 // of emendo's functions, in the stack of the open request
	mostPackages = 30 // of emendo's that run between the prompt and the request
)

// countPackages makes the test build the program with counters, which compiles all of it
// again.
var countPackages = flag.Bool("packages", false, "count the packages that run until a request is open, too")

const module = "github.com/emendo-dev/emendo/"

// TestPromptReachesItsRequest measures the prompt "hi" in a new session until its request is
// open: how deep the stack is, and with -packages how many packages have run.
func TestPromptReachesItsRequest(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	if *countPackages {
		program := filepath.Join(dir, "program")
		runProgram(t, "go", "build", "-o", program, "-cover", "-covermode=atomic", "-coverpkg="+module+"...", ".")
		runProgram(t, program, out, "packages")
	} else if err := run(out, false); err != nil {
		t.Fatal(err)
	}
	frames := framesOf(t, filepath.Join(out, "stack"))
	t.Logf("%d frames:\n%s", len(frames), strings.Join(frames, "\n"))
	if len(frames) == 0 || len(frames) > mostFrames {
		t.Errorf("the request is made %d frames deep, want at most %d", len(frames), mostFrames)
	}
	if !*countPackages {
		return
	}
	packages := packagesThatRan(t, out)
	t.Logf("%d packages:\n%s", len(packages), strings.Join(packages, "\n"))
	if len(packages) == 0 || len(packages) > mostPackages {
		t.Errorf("the prompt goes through %d packages, want at most %d", len(packages), mostPackages)
	}
}

func runProgram(t *testing.T, name string, args ...string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
}

// framesOf returns emendo's functions in a stack, the outermost first, without those of this
// package.
func framesOf(t *testing.T, file string) (frames []string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if name, ok := strings.CutPrefix(line, module); ok && !strings.HasPrefix(name, "internal/bench/openrequesttest.") {
			frames = append(frames, name[:strings.LastIndexByte(name, '(')])
		}
	}
	slices.Reverse(frames)
	return frames
}

// packagesThatRan returns emendo's packages whose counters in a folder are not all zero.
func packagesThatRan(t *testing.T, dir string) []string {
	t.Helper()
	file := filepath.Join(dir, "counts")
	runProgram(t, "go", "tool", "covdata", "textfmt", "-i="+dir, "-o="+file)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	ran := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		name, count, _ := strings.Cut(strings.TrimSpace(line), ":")
		folder := strings.TrimPrefix(path.Dir(name), module)
		if strings.HasPrefix(name, module) && !strings.HasSuffix(count, " 0") && !strings.HasSuffix(folder, "test") {
			ran[folder] = true
		}
	}
	return slices.Sorted(maps.Keys(ran))
}
