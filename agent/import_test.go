package agent_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/emendo-dev/emendo/agent/agenttest"
	"github.com/emendo-dev/emendo/agent/geminichat"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/transcript"
)

// importFile imports a conversation of package geminichat's test data.
func importFile(t *testing.T, w *agenttest.World, name string) transcript.SessionInfo {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("geminichat", "testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	c, err := geminichat.Read(b)
	if err != nil {
		t.Fatal(err)
	}
	info, added, err := transcript.NewStore(filepath.Join(w.State, "sessions")).Import(c, transcript.Import{Cwd: w.Dir, Model: "test-model", Now: time.Now(), NewID: w.NewID})
	if err != nil || !added {
		t.Fatalf("added %t, %v", added, err)
	}
	return info
}

// TestImportedSessionContinues checks the next request, which the scripted model only
// accepts if a strict provider would.
func TestImportedSessionContinues(t *testing.T) {
	tests := []struct {
		file  string
		id    string
		title string
		turns int
		want  string
	}{
		{"editor.jsonl", "0b0cbb6e-5a44-4d0e-9d53-0a3d6d1f7a11", "Read the notes and ran the tests", 2, `
user: What is in notes.txt?
model: read_file({"file_path":"notes.txt"})
user: =a line
model: It holds a line.
user: Run the tests, and read it again.
model: run_shell_command({"command":"go test ./..."}) read_file({"file_path":"notes.txt"})
user: !exit status 1 =a line
model: The tests  fail.
user: go on`},
		{"rewound.jsonl", "rewound", "Keep this.", 2, `
user: Keep this.
model: Kept. glob({"pattern":"*"})
user: =masked
model: (The answer was interrupted.)
user: Go on.
model: Looking. glob({"pattern":"c"})
user: =c.txt (in a hurry)
model: (The answer was interrupted.)
user: go on`},
		{"old.json", "old_session_1", "Count the lines.", 2, `
user: Count the lines.
model: I count them. run_shell_command({"command":"wc -l a"}) run_shell_command({"command":"wc -l b"}) read_file({"file_path":"a.png"})
user: =3 a !The call was interrupted before it ended; what it did until then is not known. =an image+3 bytes
model: (The answer was interrupted.)
user: And? go on`},
	}
	for _, tt := range tests {
		t.Run(tt.file, func(t *testing.T) {
			agenttest.InWorld(t, nil, []modeltest.Reply{{modeltest.Say("Gladly.")}}, func(t *testing.T, w *agenttest.World) {
				info := importFile(t, w, tt.file)
				if info.ID != tt.id || info.Title != tt.title || info.Turns != tt.turns || info.Cwd != w.Dir {
					t.Errorf("imported as %+v", info)
				}
				listed, _, err := w.Agent.List(transcript.Listing{Cwd: w.Dir})
				if err != nil || len(listed) != 1 || listed[0].Title != tt.title {
					t.Errorf("listed %+v, %v", listed, err)
				}
				s, err := w.Agent.Session(t.Context(), tt.id)
				if err != nil {
					t.Fatal(err)
				}
				if err := s.Load(t.Context()); err != nil {
					t.Fatal(err)
				}
				for i, u := range w.Updates {
					if u.Seq > 1 && i > 0 && u.Seq <= w.Updates[i-1].Seq {
						t.Errorf("update %d follows %d", u.Seq, w.Updates[i-1].Seq)
					}
				}
				w.Prompt(s, "go on")
				if got := dialogue(w.Model.Requests()[0].Messages); got != strings.TrimSpace(tt.want) {
					t.Errorf("the model was sent\n%s\nwant\n%s", got, strings.TrimSpace(tt.want))
				}
			})
		})
	}
}

// dialogue returns the text of a request without what is in tags.
func dialogue(ms []model.Message) string {
	var b strings.Builder
	for _, m := range ms {
		fmt.Fprintf(&b, "%s:", m.Role)
		for _, p := range m.Parts {
			switch p := p.(type) {
			case model.Text:
				if !strings.HasPrefix(p.Text, "<") {
					fmt.Fprintf(&b, " %s", p.Text)
				}
			case model.Call:
				fmt.Fprintf(&b, " %s(%s)", p.Name, p.Args)
			case model.Result:
				sign := "="
				if p.Failed {
					sign = "!"
				}
				fmt.Fprintf(&b, " %s%s", sign, p.Output)
				for _, x := range p.Blobs {
					fmt.Fprintf(&b, "+%d bytes", len(x.Data))
				}
			case model.Thought, model.Blob:
			}
		}
		b.WriteByte('\n')
	}
	return strings.TrimSpace(b.String())
}

func TestImportOfAStoredSessionChangesNothing(t *testing.T) {
	agenttest.InWorld(t, nil, []modeltest.Reply{{modeltest.Say("Gladly.")}}, func(t *testing.T, w *agenttest.World) {
		info := importFile(t, w, "old.json")
		s, err := w.Agent.Session(t.Context(), info.ID)
		if err != nil {
			t.Fatal(err)
		}
		w.Prompt(s, "mine now")
		again, added, err := transcript.NewStore(filepath.Join(w.State, "sessions")).Import(geminichat.Chat{SessionID: "old/session:1"}, transcript.Import{Cwd: w.Dir, Now: time.Now()})
		if err != nil || added || again.Turns != info.Turns+1 {
			t.Errorf("got %+v, added %t, %v", again, added, err)
		}
	})
}

func TestEmptyConversationsAreNotImported(t *testing.T) {
	store := transcript.NewStore(t.TempDir())
	message := func(kind, text string) geminichat.Message {
		var c geminichat.Content
		if err := json.Unmarshal([]byte(fmt.Sprintf("%q", text)), &c); err != nil {
			t.Fatal(err)
		}
		return geminichat.Message{ID: kind + text, Type: kind, Content: c}
	}
	for name, c := range map[string]geminichat.Chat{
		"empty":        {SessionID: "a"},
		"only help":    {SessionID: "b", Messages: []geminichat.Message{message("user", "/help"), message("user", "?")}},
		"no prompt":    {SessionID: "c", Messages: []geminichat.Message{message("gemini", "Hello.")}},
		"a subagent's": {SessionID: "d", Kind: "subagent", Messages: []geminichat.Message{message("user", "go")}},
	} {
		if _, added, err := store.Import(c, transcript.Import{Cwd: t.TempDir(), Now: time.Now()}); added || !errors.Is(err, transcript.ErrNoSession) {
			t.Errorf("%s: added %t, %v", name, added, err)
		}
	}
}
