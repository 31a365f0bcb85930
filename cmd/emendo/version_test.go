package main

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
)

func TestVersionOfTheModule(t *testing.T) {
	for recorded, want := range map[string]string{"": "0.1.0-dev", "(devel)": "0.1.0-dev", "v1.2.3": "1.2.3", "v0.0.0-20260102030405-0123456789ab": "0.0.0-20260102030405-0123456789ab"} {
		if got := versionOf(&debug.BuildInfo{Main: debug.Module{Version: recorded}}); got != want {
			t.Errorf("recorded as %q: %q, want %q", recorded, got, want)
		}
	}
	if got := versionOf(nil); got != "0.1.0-dev" {
		t.Errorf("without a record: %q", got)
	}
}

// go install with a version rejects modules whose go.mod has replace or exclude
// directives.
func TestTheModuleCanBeInstalled(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("..", "..", "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		if word, _, _ := strings.Cut(strings.TrimSpace(line), " "); word == "replace" || word == "exclude" {
			t.Errorf("go.mod has %s", line)
		}
	}
}
