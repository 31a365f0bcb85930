package chatdoc_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/idetest"
	"github.com/emendo-dev/emendo/lsp/lsptest"
	"github.com/emendo-dev/emendo/lsp/worldtest"
)

// An editor that reports edits long after it has made them gets each of them once.
func TestEditThatIsReportedLateIsNotSentAgain(t *testing.T) {
	for _, late := range []time.Duration{4500 * time.Millisecond, 40 * time.Second, 5 * time.Minute} {
		t.Run(late.String(), func(t *testing.T) {
			play(t, lsptest.Recorded("helix"), []modeltest.Reply{worldtest.Say("One.\n\nTwo.")}, func(w *world) {
				w.Editor.OnEdit = func(int, ide.Edit) idetest.Answer { return idetest.Answer{Echo: late} }
				u := w.Chat("a.emendo.md", "Why?\n")
				id, _ := w.Send(u)
				<-time.After(3*late + time.Minute)
				w.shows(u, id, front+"## You\n\nWhy?\n\n## emendo\n\nOne.\n\nTwo.\n\n## You\n\n")
				if n := len(w.Editor.Edits()); n > 3 {
					w.Errorf("%d edits were sent", n)
				}
			})
		})
	}
}

// Edits of chat documents insert nothing behind the last line. They have a label, but where the
// client would print each.
func TestEditsOfChatDocumentsAreOnLines(t *testing.T) {
	checkEdits(t, lsptest.Recorded("helix"), "emendo: conversation")
	for _, name := range []string{"Neovim", "vim-lsp", "Vim"} {
		checkEdits(t, lsptest.Recorded("helix").Of(name), "")
	}
}

func checkEdits(t *testing.T, p lsptest.Profile, label string) {
	t.Helper()
	play(t, p, []modeltest.Reply{worldtest.Say("One."), worldtest.Say("Two.")}, func(w *world) {
		u := w.Chat("a.emendo.md", "Why?\n")
		w.Send(u)
		w.Settle()
		w.types(u, "And?\n")
		w.Send(u)
		w.Settle()
		for _, e := range w.Editor.Edits() {
			if e.Label != label {
				w.Errorf("an edit has the label %q, want %q", e.Label, label)
			}
			for _, f := range e.Files {
				text := f.Document.Text
				for _, s := range f.Splices {
					if s.A == text.Len() && strings.HasSuffix(text.String(), "\n") {
						w.Errorf("%q is inserted behind the last line", s.Text)
					}
				}
			}
		}
	})
}

// kateClient makes edits for two seconds after a command.
func (w *world) kateClient() {
	var last time.Time
	w.Editor.OnEdit = func(int, ide.Edit) idetest.Answer {
		if time.Since(last) >= 2*time.Second {
			return idetest.Answer{Refuse: ide.ErrRefused}
		}
		return idetest.Answer{}
	}
	w.OnCommand = func() { last = time.Now() }
}

// Kate does not declare that it makes edits, and does so only right after a command. The
// rest of an answer comes with the next one.
func TestKateGetsTheRestOfAnAnswerWithACommand(t *testing.T) {
	reply := modeltest.Reply{modeltest.Say("One.\n\nTw\n"), modeltest.Pause(10 * time.Second), modeltest.Say("o.\n\nThree.")}
	play(t, lsptest.Recorded("kate"), []modeltest.Reply{reply, worldtest.Say("Four.")}, func(w *world) {
		w.kateClient()
		u := w.Chat("a.emendo.md", "Why?\n")
		id, _ := w.Send(u)
		<-time.After(time.Minute)
		w.shows(u, id, front+"## You\n\nWhy?\n\n## emendo\n\nOne.\n\n## You\n\n")
		if l := w.titles(u, 0); !slices.Contains(l, "Show more of the answer") {
			w.Fatalf("offered are %q", l)
		}
		if l := strings.Join(w.Editor.Seen().Messages, "\n"); !strings.Contains(l, "Three.") || !strings.Contains(l, "Show more of the answer") {
			w.Errorf("messages %q", l)
		}
		messages := len(w.Editor.Seen().Messages)
		w.chooseIn(u, 0, "Show more of the answer")
		w.Settle()
		w.shows(u, id, front+"## You\n\nWhy?\n\n## emendo\n\nOne.\n\nTw\no.\n\nThree.\n\n## You\n\n")
		if l := w.Editor.Seen().Messages; len(l) > messages {
			w.Errorf("messages %q", l[messages:])
		}
		if l := w.titles(u, 0); slices.Contains(l, "Show more of the answer") {
			w.Errorf("offered are %q", l)
		}
	})
}

// A change is accepted in Kate.
func TestKateAcceptsAChange(t *testing.T) {
	play(t, lsptest.Recorded("kate"), []modeltest.Reply{worldtest.TwoHunks(), worldtest.Say("Done.")}, func(w *world) {
		w.kateClient()
		u := w.Open()
		w.Command("emendo.ask", worldtest.Obj{"prompt": "Change it"}, nil)
		<-time.After(10 * time.Second)
		for line, title := range map[string]string{
			"return 1": "Accept: replace 1 line with 1 line: + func a() int { return 11 }",
			"return 2": "Accept: replace 1 line with 1 line: + func b() int { return 22 }",
		} {
			w.chooseIn(u, lineOf(w.Editor.Text(u), line), title)
			w.Settle()
		}
		if got := w.Editor.Text(u); !strings.Contains(got, "return 11 }") || !strings.Contains(got, "return 22 }") {
			w.Errorf("the file is\n%s", got)
		}
	})
}

// A document is opened at the place for the question, and an old one too.
func TestDocumentIsOpenedAtTheInput(t *testing.T) {
	play(t, showing, []modeltest.Reply{worldtest.Say("One.")}, func(w *world) {
		place := func() (line, character uint32, lines int) {
			w.Helper()
			var at ide.Position
			w.Editor.ShowDocument = func(raw json.RawMessage) {
				var p struct{ Selection ide.Range }
				if err := json.Unmarshal(raw, &p); err != nil {
					w.Error(err)
				}
				at = p.Selection.Start
			}
			name := w.opens("emendo.chat")
			return at.Line, at.Character, strings.Count(w.Read(".emendo/chats/"+name), "\n")
		}
		if line, character, lines := place(); int(line) != lines || character != 0 || lines != 6 {
			w.Errorf("a new document of %d lines is opened at %d:%d", lines, line, character)
		}
		w.Command("emendo.ask", worldtest.Obj{"prompt": "One?"}, nil)
		w.Settle()
		if line, _, lines := place(); int(line) >= lines {
			w.Errorf("a document with an answer that is new, of %d lines, is opened at line %d", lines, line)
		}
		if line, character, lines := place(); int(line) != lines || character != 0 {
			w.Errorf("an old document of %d lines is opened at %d:%d", lines, line, character)
		}
	})
}

// An editor that was told to open a document opens it as it was then. Some ask their user
// what counts if the file has changed meanwhile.
func TestFileStaysWhileTheEditorOpensIt(t *testing.T) {
	play(t, showing, []modeltest.Reply{worldtest.Say("One."), worldtest.Say("Two.")}, func(w *world) {
		w.Command("emendo.chat", nil, nil)
		before := w.Read(w.chatFile())
		w.Command("emendo.ask", worldtest.Obj{"prompt": "One?"}, nil)
		w.Advance()
		if got := w.Read(w.chatFile()); got != before {
			w.Errorf("the file of the document that opens was changed to\n%s", got)
		}
		w.Editor.Open(w.URI(w.chatFile()), before)
		w.Settle()
		if got := w.Editor.Text(w.URI(w.chatFile())); strings.Count(got, "One.") != 1 {
			w.Errorf("the document is\n%s", got)
		}
	})
	play(t, showing, []modeltest.Reply{worldtest.Say("One.")}, func(w *world) {
		w.Command("emendo.chat", nil, nil)
		w.Command("emendo.ask", worldtest.Obj{"prompt": "One?"}, nil)
		w.Settle()
		w.Advance()
		if got := w.Read(w.chatFile()); strings.Count(got, "One.") != 1 {
			w.Errorf("the file of the document that was not opened is\n%s", got)
		}
	})
}

// A question that joins the heading is sent.
func TestQuestionOnItsHeadingIsSent(t *testing.T) {
	play(t, lsptest.Recorded("helix"), []modeltest.Reply{worldtest.Say("One."), worldtest.Say("Two.")}, func(w *world) {
		u := w.Chat("a.emendo.md", "Why?\n")
		id, _ := w.Send(u)
		w.Settle()
		at := strings.LastIndex(w.Editor.Text(u), "## You") + len("## You")
		w.Editor.Type(u, at, at, " And how?")
		w.Advance()
		w.Send(u)
		w.Settle()
		w.shows(u, id, front+"## You\n\nWhy?\n\n## emendo\n\nOne.\n\n## You \n\nAnd how?\n\n## emendo\n\nTwo.\n\n## You\n\n")
		if sent := w.Request(1); !strings.Contains(sent, "And how?") {
			w.Errorf("sent %s", sent)
		}
	})
}

// A region that ends where a change begins is on it, unless it is on another one.
func TestRegionThatEndsWhereAChangeBegins(t *testing.T) {
	play(t, lsptest.Recorded("eglot"), []modeltest.Reply{worldtest.TwoHunks()}, func(w *world) {
		u := w.Open()
		w.Command("emendo.ask", worldtest.Obj{"prompt": "Change it"}, nil)
		w.Advance()
		offered := func(from, to int) (n int) {
			var l []offered
			r := worldtest.Obj{"start": worldtest.Obj{"line": from, "character": 0}, "end": worldtest.Obj{"line": to, "character": 0}}
			w.Call("textDocument/codeAction", worldtest.Obj{"textDocument": worldtest.Obj{"uri": u}, "range": r, "context": worldtest.Obj{"diagnostics": []any{}}}, &l)
			for _, o := range l {
				if strings.HasPrefix(o.Title, "Accept") {
					n++
				}
			}
			return n
		}
		if n := offered(0, 2); n != 1 {
			w.Errorf("%d changes are offered for the lines before one", n)
		}
		if n := offered(2, 8); n != 1 {
			w.Errorf("%d changes are offered for the lines of one up to the next", n)
		}
		if n := offered(3, 7); n != 0 {
			w.Errorf("%d changes are offered for lines between them", n)
		}
	})
}

// Qt Creator draws no information.
func TestChangesAreWarningsWhereHintsAreNotDrawn(t *testing.T) {
	for name, want := range map[string]int{"Qt Creator": 2, "other": 3} {
		p := lsptest.Profile{Name: name, Initialize: `{"rootUri": "ROOT", "clientInfo": {"name": "` + name + `"}, "capabilities": {"textDocument": {"publishDiagnostics": {}}}}`}
		play(t, p, []modeltest.Reply{worldtest.TwoHunks()}, func(w *world) {
			u := w.Open()
			w.Command("emendo.ask", worldtest.Obj{"prompt": "Change it"}, nil)
			w.Advance()
			l := w.Editor.Seen().Diagnostics[u]
			if len(l) != 2 || l[0].Severity != want {
				w.Errorf("%s: diagnostics %+v", name, l)
			}
		})
	}
}
