package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/acp"
	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// chatsDir has conversations in Gemini CLI's format. It is resolved before any test
// changes the current folder.
var chatsDir, errChats = filepath.Abs(filepath.Join("..", "..", "agent", "geminichat", "testdata"))

func chats(name string) string {
	if errChats != nil {
		panic(errChats)
	}
	return filepath.Join(chatsDir, name)
}

func TestConversationsOfGeminiCLIAreImportedAndContinued(t *testing.T) {
	w := newWorld(t, geminitest.Say("I go on."), geminitest.Say("I go on too."))
	r := w.exec("sessions", "import", chats("editor.jsonl"), chats("old.json"))
	r.wantCode(t, 0)
	const id = "0b0cbb6e-5a44-4d0e-9d53-0a3d6d1f7a11"
	if !strings.Contains(r.stdout, id+"  imported  Read the notes") || !strings.Contains(r.stdout, "old_session_1  imported") {
		t.Errorf("printed %q", r.stdout)
	}
	again := w.exec("sessions", "import", chats("editor.jsonl"))
	again.wantCode(t, 0)
	if !strings.Contains(again.stdout, "already imported") {
		t.Errorf("again: %q", again.stdout)
	}
	w.run("-p", "go on", "--resume", id).wantCode(t, 0)
	w.run("-p", "go on", "--resume", "old_session_1").wantCode(t, 0)
	var all []acp.SessionInfo
	if err := json.Unmarshal([]byte(w.exec("sessions", "list", "--json").stdout), &all); err != nil || len(all) != 2 {
		t.Errorf("listed %+v, %v", all, err)
	}
	out := w.exec("sessions", "export", id)
	out.wantCode(t, 0)
	for _, words := range []string{"# Read the notes and ran the tests", "What is in notes.txt?", "It holds a line.", "I go on."} {
		if !strings.Contains(out.stdout, words) {
			t.Errorf("exported without %q:\n%s", words, out.stdout)
		}
	}
	var whole struct {
		Session acp.SessionInfo
		Updates []struct{ Seq int64 }
	}
	if err := json.Unmarshal([]byte(w.exec("sessions", "export", "--format", "json", id).stdout), &whole); err != nil || whole.Session.SessionID != id || len(whole.Updates) == 0 {
		t.Errorf("exported %+v, %v", whole.Session, err)
	}
}

func TestInvalidConversationsAreNotImported(t *testing.T) {
	w := newWorld(t)
	w.write("notes.txt", "no conversation\n")
	r := w.exec("sessions", "import", "notes.txt", "gone.json", chats("old.json"))
	r.wantCode(t, 1)
	if !strings.Contains(r.stdout, "old_session_1  imported") || !strings.Contains(r.stderr, "notes.txt") || !strings.Contains(r.stderr, "gone.json") {
		t.Errorf("printed %q and %q", r.stdout, r.stderr)
	}
	for _, args := range [][]string{{"import"}, {"export"}, {"export", "--format", "html", "x"}, {"list", "--format", "json"}, {"export", "nobody"}} {
		w.exec(append([]string{"sessions"}, args...)...).wantCode(t, exitInput)
	}
}

func TestImportedSessionBelongsToItsProject(t *testing.T) {
	w := newWorld(t)
	project := filepath.Join(filepath.Dir(w.dir), "project")
	if err := os.Mkdir(project, 0o755); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(chats("old.json"))
	if err != nil {
		t.Fatal(err)
	}
	w.put(filepath.Join(w.home, "gemini", "chats", "old.json"), string(b))
	w.put(filepath.Join(w.home, "gemini", ".project_root"), project)
	w.exec("sessions", "import", filepath.Join(w.home, "gemini", "chats", "old.json")).wantCode(t, 0)
	var all []acp.SessionInfo
	if err := json.Unmarshal([]byte(w.exec("sessions", "list", "--json").stdout), &all); err != nil || len(all) != 1 || all[0].Cwd != project {
		t.Errorf("listed %+v, %v", all, err)
	}
}
