package main

import (
	"crypto/sha256"
	"encoding/json"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
	"github.com/emendo-dev/emendo/internal/settings"
)

// The next start restores the old text of a file that was being written in place,
// before the model reads it, and says so.
func TestStartRecoversAnInterruptedWrite(t *testing.T) {
	w := newWorld(t, geminitest.Say("Done."))
	paths, err := settings.FindPaths(runtime.GOOS, lookup(w.env))
	if err != nil {
		t.Fatal(err)
	}
	w.write("a.txt", "new text")
	const was, will = "old text", "new word"
	w.write("a.txt", "new text")
	sum := sha256.Sum256([]byte(was + will))
	head, err := json.Marshal(map[string]any{"Path": filepath.Join(w.dir, "a.txt"), "Old": len(was), "New": len(will), "Sum": sum[:]})
	if err != nil {
		t.Fatal(err)
	}
	w.put(filepath.Join(copiesFolder(paths.State), "x.copy"), string(head)+"\n"+was+will)
	r := w.run("-p", "Read @a.txt")
	r.wantCode(t, exitOK)
	if got := w.read("a.txt"); got != was {
		t.Errorf("a.txt holds %q", got)
	}
	if !strings.Contains(r.stderr, "a.txt was being written when emendo ended; it has its old text again") {
		t.Errorf("it said %q", r.stderr)
	}
}
