package chatdoc_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/lsp/lsptest"
	"github.com/emendo-dev/emendo/lsp/worldtest"
)

// chatFile returns the only chat document in its folder.
func (w *world) chatFile() string {
	w.Helper()
	l, err := filepath.Glob(filepath.Join(w.Dir, ".emendo", "chats", "*.emendo.md"))
	if err != nil || len(l) != 1 {
		w.Fatalf("chat documents %q, %v", l, err)
	}
	return ".emendo/chats/" + filepath.Base(l[0])
}

// shows checks the text of a chat document, in which SESSION stands for an ID.
func (w *world) shows(uri, session, want string) {
	w.Helper()
	if got := strings.ReplaceAll(w.Editor.Text(uri), session, "SESSION"); got != want {
		w.Errorf("the document is\n%s\nwant\n%s", got, want)
	}
}

func TestConversationInADocument(t *testing.T) {
	replies := []modeltest.Reply{
		{modeltest.Say("I look.\n\nInto it"), modeltest.Call("read_file", `{"file_path":"main.go"}`)},
		{modeltest.Say("It adds.\n\n```go\n## You\n```\n\nDo"), modeltest.Say("ne.")},
		worldtest.Say("You are welcome."),
	}
	play(t, lsptest.Recorded("helix"), replies, func(w *world) {
		u := w.Chat("a.emendo.md", "Why?\n")
		id, turn := w.Send(u)
		if id == "" || turn == "" {
			t.Errorf("answered %q, %q", id, turn)
		}
		w.Settle()
		const first = "---\nsession: SESSION\n---\n\n## You\n\nWhy?\n\n## emendo\n\nI look.\n\nInto it\n\n- `Read main.go`: Read 9 lines from main.go\n\nIt adds.\n\n```go\n## You\n```\n\nDone.\n\n## You\n\n"
		w.shows(u, id, first)
		end := len(w.Editor.Text(u))
		w.Editor.Type(u, end, end, "Thanks!")
		if again, _ := w.Send(u); again != id {
			t.Errorf("the second question is in session %s", again)
		}
		w.Settle()
		w.shows(u, id, first+"Thanks!\n\n## emendo\n\nYou are welcome.\n\n## You\n\n")
		if l := w.Editor.Seen().Messages; len(l) > 0 {
			t.Errorf("messages %q", l)
		}
		if err := w.Editor.Command(w.Context(), "emendo.send", nil, nil); err == nil || !strings.Contains(err.Error(), "nothing to send") {
			t.Errorf("sent an empty question: %v", err)
		}
	})
}

// A change that the user rejects has not failed.
func TestARejectedChangeInADocument(t *testing.T) {
	play(t, lsptest.Recorded("helix"), []modeltest.Reply{worldtest.TwoHunks(), worldtest.Say("As you like.")}, func(w *world) {
		w.Open()
		u := w.Chat("a.emendo.md", "Change it.\n")
		w.Send(u)
		w.Settle()
		w.Command("emendo.rejectAll", nil, nil)
		w.Settle()
		if got := w.Editor.Text(u); !strings.Contains(got, "\n- `Edit main.go`: 2 rejected in main.go\n\nAs you like.") {
			t.Errorf("the document is\n%s", got)
		}
	})
}

func TestAnswerToACodeActionIsInADocument(t *testing.T) {
	play(t, lsptest.Recorded("helix"), []modeltest.Reply{worldtest.Say("It is the tariff.")}, func(w *world) {
		u := w.Open()
		w.Command("emendo.explain", worldtest.Obj{"uri": u, "range": w.RangeOf(u, "return 1")}, nil)
		w.Settle()
		if got := w.Read(w.chatFile()); !strings.Contains(got, "## You\n\nExplain the code in main.go, line 3.") || !strings.HasSuffix(got, "\n\n## emendo\n\nIt is the tariff.\n\n## You\n\n") {
			t.Errorf("the document is\n%s", got)
		}
		if _, err := os.Stat(filepath.Join(w.Dir, ".emendo", "chats", ".gitignore")); err != nil {
			t.Error(err)
		}
	})
}
