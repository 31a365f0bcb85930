package lsp_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/lsp/lsptest"
)

// opens runs a command that opens a chat document, and returns its name.
func (w *world) opens(command string) (name string) {
	w.Helper()
	w.command(command, nil, nil)
	w.settle()
	l := w.e.Seen().Documents
	if len(l) == 0 {
		w.Fatalf("%s shows no document; messages %q", command, w.messages())
	}
	return filepath.Base(ide.ParseURI(l[len(l)-1]).Path())
}

// chatNames returns the names of the chat documents in their folder.
func (w *world) chatNames() (l []string) {
	w.Helper()
	found, err := filepath.Glob(filepath.Join(w.dir, ".emendo", "chats", "*.emendo.md"))
	if err != nil {
		w.Fatal(err)
	}
	return found
}

var showing = lsptest.Recorded("helix").Declaring()

// A new editor continues the last conversation of the folder that has a document.
func TestLastConversationIsContinued(t *testing.T) {
	play(t, showing, []modeltest.Reply{say("One."), say("Two."), say("Three.")}, func(w *world) {
		w.command("emendo.ask", obj{"prompt": "One?"}, nil)
		w.settle()
		first := w.opens("emendo.chat")
		w.opens("emendo.newSession")
		w.command("emendo.ask", obj{"prompt": "Two?"}, nil)
		w.settle()
		second := w.opens("emendo.chat")
		if first == second {
			t.Fatal("a new session has the document of the last one")
		}
		w.restart(showing)
		if got := w.opens("emendo.chat"); got != second {
			t.Errorf("opened %s, want %s", got, second)
		}
		u := w.uri(".emendo/chats/" + second)
		w.e.Open(u, w.read(".emendo/chats/"+second)+"Three?")
		w.send(u)
		w.settle()
		if sent := w.request(2); !strings.Contains(sent, "Two?") || !strings.Contains(sent, "Three?") {
			t.Errorf("sent %s", sent)
		}
		w.restart(showing)
		w.e.Close(u)
		if err := os.Remove(filepath.Join(w.dir, ".emendo", "chats", second)); err != nil { // the user has done with it
			t.Fatal(err)
		}
		if got := w.opens("emendo.chat"); got != first {
			t.Errorf("opened %s, want %s", got, first)
		}
	})
}

// A document that is open in another editor is not opened here.
func TestConversationOfAnotherEditorIsLeft(t *testing.T) {
	play(t, showing, []modeltest.Reply{say("One.")}, func(w *world) {
		w.command("emendo.ask", obj{"prompt": "One?"}, nil)
		w.settle()
		first := w.opens("emendo.chat")
		w.restart(showing)
		release := w.claims()
		defer release()
		if got := w.opens("emendo.chat"); got == first {
			t.Error("the document is opened in two editors")
		}
	})
}

// A document that nothing was asked in is used for the next conversation.
func TestUnusedDocumentIsUsed(t *testing.T) {
	play(t, showing, []modeltest.Reply{say("One."), say("Two.")}, func(w *world) {
		first := w.opens("emendo.chat")
		if got := w.opens("emendo.newSession"); got != first {
			t.Errorf("opened %s, want %s", got, first)
		}
		w.restart(showing)
		if got := w.opens("emendo.chat"); got != first {
			t.Errorf("after a restart opened %s, want %s", got, first)
		}
		u := w.uri(".emendo/chats/" + first)
		w.e.Open(u, w.read(".emendo/chats/"+first)+"One?")
		w.send(u)
		w.settle()
		if got := w.e.Text(u); !strings.HasSuffix(got, "## You\n\nOne?\n\n## emendo\n\nOne.\n\n## You\n\n") {
			t.Errorf("the document is\n%s", got)
		}
		second := w.opens("emendo.newSession")
		if second == first {
			t.Error("a document that is used is used again")
		}
		w.restart(showing)
		if got := w.opens("emendo.newSession"); got != second {
			t.Errorf("opened %s, want %s", got, second)
		}
		if l := w.chatNames(); len(l) != 2 {
			t.Errorf("the documents are %q", l)
		}
	})
}

// What the user has written in a document is not the beginning of another conversation.
func TestDocumentWithADraftIsNotUnused(t *testing.T) {
	play(t, showing, nil, func(w *world) {
		first := w.opens("emendo.chat")
		w.write(".emendo/chats/"+first, w.read(".emendo/chats/"+first)+"My draft")
		w.restart(showing)
		if got := w.opens("emendo.newSession"); got == first {
			t.Error("opened the document with the draft")
		}
	})
}

// A conversation begins from the menu where there is nothing else to do.
func TestNewConversationIsOffered(t *testing.T) {
	play(t, showing, []modeltest.Reply{say("One.")}, func(w *world) {
		first := w.opens("emendo.chat")
		u := w.uri(".emendo/chats/" + first)
		w.e.Open(u, w.read(".emendo/chats/"+first))
		w.advance()
		if l := w.titles(u, 0); len(l) != 0 {
			t.Errorf("offered in an empty document are %q", l)
		}
		w.types(u, "One?")
		w.send(u)
		w.settle()
		w.chooseIn(u, 0, "Begin a new conversation")
		w.settle()
		if l := w.chatNames(); len(l) != 2 {
			t.Errorf("the documents are %q", l)
		}
	})
}
