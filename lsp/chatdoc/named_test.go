package chatdoc_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/lsp/lsptest"
	"github.com/emendo-dev/emendo/lsp/worldtest"
)

func TestConversationCanBeRead(t *testing.T) {
	for _, c := range []struct {
		editor          lsptest.Profile
		messages, shown bool
	}{
		{lsptest.Recorded("helix"), true, false},
		{lsptest.Recorded("helix").Declaring(), false, true},
		{lsptest.Recorded("eglot"), false, true},
	} {
		t.Run(c.editor.Name, func(t *testing.T) {
			play(t, c.editor, []modeltest.Reply{worldtest.Say("Done.")}, func(w *world) {
				w.Command("emendo.ask", worldtest.Obj{"prompt": "Hi"}, nil)
				w.Advance()
				before := len(w.Editor.Seen().Messages)
				var answer struct{ URI string }
				w.Command("emendo.chat", nil, &answer)
				seen := w.Editor.Seen()
				name := w.chatFile()
				if answer.URI != w.URI(name) {
					t.Errorf("answered %q", answer.URI)
				}
				messages, shown := strings.Join(seen.Messages[before:], ""), strings.Join(seen.Documents, "")
				if want := "The conversation is in " + name; c.messages && messages != want || !c.messages && messages != "" {
					t.Errorf("messages %q", messages)
				}
				if want := w.URI(name); c.shown && shown != want || !c.shown && shown != "" {
					t.Errorf("documents %q", shown)
				}
			})
		})
	}
}

// Each further line of a message makes some editors wait for Enter.
func TestPlaceOfAConversationIsNamedOnce(t *testing.T) {
	play(t, lsptest.Recorded("helix"), []modeltest.Reply{worldtest.Say("One."), worldtest.Say("Two.")}, func(w *world) {
		for range 2 {
			w.Command("emendo.ask", worldtest.Obj{"prompt": "Hi"}, nil)
			w.Advance()
		}
		want := []string{"One. \n(The conversation is in " + w.chatFile() + ".)", "Two."}
		if got := w.Editor.Seen().Messages; !slices.Equal(got, want) {
			t.Errorf("messages %q, want %q", got, want)
		}
	})
}

// A session without a prompt is not stored, but its document can send the first.
func TestNewConversationIsAnEmptyDocument(t *testing.T) {
	play(t, lsptest.Recorded("helix"), []modeltest.Reply{worldtest.Say("Done.")}, func(w *world) {
		w.Command("emendo.chat", nil, nil)
		name := w.chatFile()
		text := w.Read(name)
		if !strings.HasPrefix(text, "---\nsession: ") || !strings.HasSuffix(text, "---\n\n## You\n\n") {
			t.Errorf("the document is %q", text)
		}
		w.Restart(lsptest.Recorded("helix"))
		u := w.URI(name)
		w.Editor.Open(u, text+"Hi")
		id, _ := w.Send(u)
		w.Settle()
		if want := text + "Hi\n\n## emendo\n\nDone.\n\n## You\n\n"; w.Editor.Text(u) != want || !strings.Contains(text, id) {
			t.Errorf("the document is\n%s\nwant\n%s", w.Editor.Text(u), want)
		}
	})
}
