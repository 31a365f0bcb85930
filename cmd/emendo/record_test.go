package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// replay:FILE plays what --record writes, without a key or requests.
func TestARecordingPlaysAgain(t *testing.T) {
	w := newWorld(t, geminitest.Say("It is four."))
	file := filepath.Join(t.TempDir(), "answers.jsonl")
	first := w.run("-p", "two and two?", "--record", file)
	first.wantCode(t, exitOK)
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("the recording: %v, %v", info, err)
	}
	asked := len(w.model.Requests())
	again := w.run("-p", "two and two?", "-m", "replay:"+file)
	again.wantCode(t, exitOK)
	if again.stdout != first.stdout || len(w.model.Requests()) != asked {
		t.Errorf("the recording says %q, the model said %q, after %d more requests", again.stdout, first.stdout, len(w.model.Requests())-asked)
	}
	none := w.run("-p", "hi", "--record", filepath.Join(t.TempDir(), "none", "f"))
	none.wantCode(t, exitInput)
}
