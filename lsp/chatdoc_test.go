package lsp_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/lsp/lsptest"
)

// chat opens a chat document with a text.
func (w *world) chat(name, text string) (uri string) {
	w.Helper()
	uri = w.uri(name)
	if err := os.MkdirAll(filepath.Dir(filepath.Join(w.dir, name)), 0o755); err != nil {
		w.Fatal(err)
	}
	w.write(name, text)
	w.e.Open(uri, text)
	w.advance()
	return uri
}

// send sends the question of a chat document.
func (w *world) send(uri string) (session, turn string) {
	w.Helper()
	var r struct{ SessionID, TurnID string }
	w.command("emendo.send", obj{"uri": uri}, &r)
	return r.SessionID, r.TurnID
}

// chatFile returns the only chat document in its folder.
func (w *world) chatFile() string {
	w.Helper()
	l, err := filepath.Glob(filepath.Join(w.dir, ".emendo", "chats", "*.emendo.md"))
	if err != nil || len(l) != 1 {
		w.Fatalf("chat documents %q, %v", l, err)
	}
	return ".emendo/chats/" + filepath.Base(l[0])
}

// messages returns the messages of the server, without where the conversation is.
func (w *world) messages() []string {
	l := w.e.Seen().Messages
	for i := range l {
		l[i], _, _ = strings.Cut(l[i], " \n(The conversation is in ")
	}
	return l
}

// restart ends the server and connects the editor to another one.
func (w *world) restart(p lsptest.Profile) {
	w.Helper()
	if err := w.e.End(); err != nil {
		w.Fatal(err)
	}
	if err := w.e.Reconnect(p, w.dir, w.serve); err != nil {
		w.Fatal(err)
	}
	synctest.Wait()
}

// settle waits until everything is written.
func (w *world) settle() {
	for range 5 {
		w.advance()
	}
}

// shows checks the text of a chat document, in which SESSION stands for an ID.
func (w *world) shows(uri, session, want string) {
	w.Helper()
	if got := strings.ReplaceAll(w.e.Text(uri), session, "SESSION"); got != want {
		w.Errorf("the document is\n%s\nwant\n%s", got, want)
	}
}

func TestConversationInADocument(t *testing.T) {
	replies := []modeltest.Reply{
		{modeltest.Say("I look.\n\nInto it"), modeltest.Call("read_file", `{"file_path":"main.go"}`)},
		{modeltest.Say("It adds.\n\n```go\n## You\n```\n\nDo"), modeltest.Say("ne.")},
		say("You are welcome."),
	}
	play(t, lsptest.Recorded("helix"), replies, func(w *world) {
		u := w.chat("a.emendo.md", "Why?\n")
		id, turn := w.send(u)
		if id == "" || turn == "" {
			t.Errorf("answered %q, %q", id, turn)
		}
		w.settle()
		const first = "---\nsession: SESSION\n---\n\n## You\n\nWhy?\n\n## emendo\n\nI look.\n\nInto it\n\n- `Read main.go`: Read 9 lines from main.go\n\nIt adds.\n\n```go\n## You\n```\n\nDone.\n\n## You\n\n"
		w.shows(u, id, first)
		end := len(w.e.Text(u))
		w.e.Type(u, end, end, "Thanks!")
		if again, _ := w.send(u); again != id {
			t.Errorf("the second question is in session %s", again)
		}
		w.settle()
		w.shows(u, id, first+"Thanks!\n\n## emendo\n\nYou are welcome.\n\n## You\n\n")
		if l := w.e.Seen().Messages; len(l) > 0 {
			t.Errorf("messages %q", l)
		}
		if err := w.e.Command(w.Context(), "emendo.send", nil, nil); err == nil || !strings.Contains(err.Error(), "nothing to send") {
			t.Errorf("sent an empty question: %v", err)
		}
	})
}

// A change that the user rejects has not failed.
func TestARejectedChangeInADocument(t *testing.T) {
	play(t, lsptest.Recorded("helix"), []modeltest.Reply{twoHunks(), say("As you like.")}, func(w *world) {
		w.open()
		u := w.chat("a.emendo.md", "Change it.\n")
		w.send(u)
		w.settle()
		w.command("emendo.rejectAll", nil, nil)
		w.settle()
		if got := w.e.Text(u); !strings.Contains(got, "\n- `Edit main.go`: 2 rejected in main.go\n\nAs you like.") {
			t.Errorf("the document is\n%s", got)
		}
	})
}

func TestAnswerToACodeActionIsInADocument(t *testing.T) {
	play(t, lsptest.Recorded("helix"), []modeltest.Reply{say("It is the tariff.")}, func(w *world) {
		u := w.open()
		w.command("emendo.explain", obj{"uri": u, "range": w.rangeOf(u, "return 1")}, nil)
		w.settle()
		if got := w.read(w.chatFile()); !strings.Contains(got, "## You\n\nExplain the code in main.go, line 3.") || !strings.HasSuffix(got, "\n\n## emendo\n\nIt is the tariff.\n\n## You\n\n") {
			t.Errorf("the document is\n%s", got)
		}
		if _, err := os.Stat(filepath.Join(w.dir, ".emendo", "chats", ".gitignore")); err != nil {
			t.Error(err)
		}
	})
}
