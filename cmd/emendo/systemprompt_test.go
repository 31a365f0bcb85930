package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// TestReplacedPromptIsSentAndWritten replaces the system prompt and writes it to a file in
// one run.
func TestReplacedPromptIsSentAndWritten(t *testing.T) {
	w := newWorld(t, geminitest.Say("Yes."))
	out := filepath.Join(w.home, "out.md")
	w.put(filepath.Join(w.home, "mine.md"), "Be brief. Read with ${read_file_ToolName}.\n")
	w.write("AGENTS.md", "Whole cents.\n")
	w.env = append(w.env, "EMENDO_SYSTEM_MD="+filepath.Join(w.home, "mine.md"), "EMENDO_WRITE_SYSTEM_MD="+out)
	w.run("-p", "hi").wantCode(t, 0)
	const want = "Be brief. Read with read_file."
	if b, err := os.ReadFile(out); err != nil || string(b) != want+"\n" {
		t.Errorf("written is %q, %v", b, err)
	}
	body := string(w.model.Requests()[0].Body)
	if !strings.Contains(body, want) || !strings.Contains(body, "Whole cents.") || strings.Contains(body, "You are emendo") {
		t.Errorf("sent is %s", body)
	}
}
