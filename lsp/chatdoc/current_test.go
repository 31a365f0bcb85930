package chatdoc_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/lsp/lsptest"
	"github.com/emendo-dev/emendo/lsp/worldtest"
)

// opens runs a command that opens a chat document, and returns its name.
func (w *world) opens(command string) (name string) {
	w.Helper()
	w.Command(command, nil, nil)
	w.Settle()
	l := w.Editor.Seen().Documents
	if len(l) == 0 {
		w.Fatalf("%s shows no document; messages %q", command, w.Messages())
	}
	return filepath.Base(ide.ParseURI(l[len(l)-1]).Path())
}

// chatNames returns the names of the chat documents in their folder.
func (w *world) chatNames() (l []string) {
	w.Helper()
	found, err := filepath.Glob(filepath.Join(w.Dir, ".emendo", "chats", "*.emendo.md"))
	if err != nil {
		w.Fatal(err)
	}
	return found
}

var showing = lsptest.Recorded("helix").Declaring()

// A new editor continues the last conversation of the folder that has a document.
func TestLastConversationIsContinued(t *testing.T) {
	play(t, showing, []modeltest.Reply{worldtest.Say("One."), worldtest.Say("Two."), worldtest.Say("Three.")}, func(w *world) {
		w.Command("emendo.ask", worldtest.Obj{"prompt": "One?"}, nil)
		w.Settle()
		first := w.opens("emendo.chat")
		w.opens("emendo.newSession")
		w.Command("emendo.ask", worldtest.Obj{"prompt": "Two?"}, nil)
		w.Settle()
		second := w.opens("emendo.chat")
		if first == second {
			t.Fatal("a new session has the document of the last one")
		}
		w.Restart(showing)
		if got := w.opens("emendo.chat"); got != second {
			t.Errorf("opened %s, want %s", got, second)
		}
		u := w.URI(".emendo/chats/" + second)
		w.Editor.Open(u, w.Read(".emendo/chats/"+second)+"Three?")
		w.Send(u)
		w.Settle()
		if sent := w.Request(2); !strings.Contains(sent, "Two?") || !strings.Contains(sent, "Three?") {
			t.Errorf("sent %s", sent)
		}
		w.Restart(showing)
		w.Editor.Close(u)
		if err := os.Remove(filepath.Join(w.Dir, ".emendo", "chats", second)); err != nil { // the user has done with it
			t.Fatal(err)
		}
		if got := w.opens("emendo.chat"); got != first {
			t.Errorf("opened %s, want %s", got, first)
		}
	})
}

// A document that is open in another editor is not opened here.
func TestConversationOfAnotherEditorIsLeft(t *testing.T) {
	play(t, showing, []modeltest.Reply{worldtest.Say("One.")}, func(w *world) {
		w.Command("emendo.ask", worldtest.Obj{"prompt": "One?"}, nil)
		w.Settle()
		first := w.opens("emendo.chat")
		w.Restart(showing)
		release := w.claims()
		defer release()
		if got := w.opens("emendo.chat"); got == first {
			t.Error("the document is opened in two editors")
		}
	})
}

// A document that nothing was asked in is used for the next conversation.
func TestUnusedDocumentIsUsed(t *testing.T) {
	play(t, showing, []modeltest.Reply{worldtest.Say("One."), worldtest.Say("Two.")}, func(w *world) {
		first := w.opens("emendo.chat")
		if got := w.opens("emendo.newSession"); got != first {
			t.Errorf("opened %s, want %s", got, first)
		}
		w.Restart(showing)
		if got := w.opens("emendo.chat"); got != first {
			t.Errorf("after a restart opened %s, want %s", got, first)
		}
		u := w.URI(".emendo/chats/" + first)
		w.Editor.Open(u, w.Read(".emendo/chats/"+first)+"One?")
		w.Send(u)
		w.Settle()
		if got := w.Editor.Text(u); !strings.HasSuffix(got, "## You\n\nOne?\n\n## emendo\n\nOne.\n\n## You\n\n") {
			t.Errorf("the document is\n%s", got)
		}
		second := w.opens("emendo.newSession")
		if second == first {
			t.Error("a document that is used is used again")
		}
		w.Restart(showing)
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
		w.Write(".emendo/chats/"+first, w.Read(".emendo/chats/"+first)+"My draft")
		w.Restart(showing)
		if got := w.opens("emendo.newSession"); got == first {
			t.Error("opened the document with the draft")
		}
	})
}

// A conversation begins from the menu where there is nothing else to do.
func TestNewConversationIsOffered(t *testing.T) {
	play(t, showing, []modeltest.Reply{worldtest.Say("One.")}, func(w *world) {
		first := w.opens("emendo.chat")
		u := w.URI(".emendo/chats/" + first)
		w.Editor.Open(u, w.Read(".emendo/chats/"+first))
		w.Advance()
		if l := w.titles(u, 0); len(l) != 0 {
			t.Errorf("offered in an empty document are %q", l)
		}
		w.types(u, "One?")
		w.Send(u)
		w.Settle()
		w.chooseIn(u, 0, "Begin a new conversation")
		w.Settle()
		if l := w.chatNames(); len(l) != 2 {
			t.Errorf("the documents are %q", l)
		}
	})
}
