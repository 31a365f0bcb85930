package chatdoc_test

import (
	"strings"
	"testing"
	"time"

	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/lsp/lsptest"
	"github.com/emendo-dev/emendo/lsp/worldtest"
)

// deletes deletes a text from a document, as the user would.
func (w *world) deletes(uri, text string) {
	w.Helper()
	at := strings.Index(w.Editor.Text(uri), text)
	if at < 0 {
		w.Fatalf("the document has no %q:\n%s", text, w.Editor.Text(uri))
	}
	w.Editor.Type(uri, at, at+len(text), "")
	w.Advance()
}

// The editor ends in the middle of an answer. What the document lacked when it was
// saved last is added to it; what the user had deleted is not.
func TestRestOfAnInterruptedAnswerIsAdded(t *testing.T) {
	helix := lsptest.Recorded("helix")
	const question, next = front + "## You\n\nWhy?\n\n## emendo\n", "\n## You\n\nNext?\n\n## emendo\n\nNext.\n\n## You\n\n"
	for _, c := range []struct {
		name         string
		before, late func(w *world, u string) // before it is saved, and after the end of the answer
		want         string
	}{
		{name: "saved in the middle", want: "\nOne.\n\nTwo.\n\nThree.\n\nFour.\n\nFive.\n"},
		{name: "saved in the middle, and something is deleted later", want: "\nOne.\n\nTwo.\n\nThree.\n\nFour.\n\nFive.\n", late: func(w *world, u string) {
			w.deletes(u, "Four.\n") // which is not saved
		}},
		{name: "a paragraph is deleted, then it is saved in the middle", want: "\nOne.\n\nThree.\n\nFour.\n\nFive.\n\n", before: func(w *world, u string) {
			w.deletes(u, "Two.\n")
		}},
		{name: "the last paragraphs are deleted, then it is saved at the end", want: "\nOne.\n\nTwo.\n\nThree.\n\n", late: func(w *world, u string) {
			w.deletes(u, "Four.\n\nFive.\n")
			w.Editor.SaveFile(u)
			w.Settle()
		}},
		{name: "everything is deleted, then it is saved in the middle", want: "\nThree.\n\nFour.\n\nFive.\n", before: func(w *world, u string) {
			w.deletes(u, "\nOne.\n\nTwo.\n")
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			play(t, helix, nil, func(w *world) {
				hold := make(chan struct{})
				w.Model.Replies = []modeltest.Reply{{modeltest.Say("One.\n\nTwo.\n\nThr"), modeltest.Hold(hold), modeltest.Say("ee.\n\nFour.\n\nFive.")}, worldtest.Say("Next.")}
				u := w.Chat("a.emendo.md", "Why?\n")
				id, _ := w.Send(u)
				w.Settle()
				if c.before != nil {
					c.before(w, u)
				}
				w.Editor.SaveFile(u)
				w.Settle()
				close(hold)
				w.Settle()
				if c.late != nil {
					c.late(w, u)
				}
				saved := w.Read("a.emendo.md")
				w.Restart(helix)
				w.Editor.Close(u)
				w.Settle()
				w.Editor.Open(u, saved+"Next?")
				w.Send(u)
				w.Settle()
				w.shows(u, id, question+c.want+next)
			})
		})
	}
}

// An answer that had not begun when the document was saved is added below its heading.
func TestAnswerThatHadNotBegunIsAdded(t *testing.T) {
	helix := lsptest.Recorded("helix")
	play(t, helix, nil, func(w *world) {
		hold := make(chan struct{})
		w.Model.Replies = []modeltest.Reply{{modeltest.Hold(hold), modeltest.Say("One.\n\nTwo.")}, worldtest.Say("Next.")}
		u := w.Chat("a.emendo.md", "Why?\n")
		id, _ := w.Send(u)
		w.Settle()
		w.Editor.SaveFile(u)
		saved := w.Read("a.emendo.md")
		close(hold)
		w.Settle()
		w.Restart(helix)
		w.Editor.Close(u)
		w.Editor.Open(u, saved+"Next?")
		w.Send(u)
		w.Settle()
		w.shows(u, id, front+"## You\n\nWhy?\n\n## emendo\n\nOne.\n\nTwo.\n\n## You\n\nNext?\n\n## emendo\n\nNext.\n\n## You\n\n")
	})
}

// reloads replaces the text of a document by that of its file, as Helix does.
func (w *world) reloads(uri, name string) {
	w.Helper()
	w.Editor.Type(uri, 0, len(w.Editor.Text(uri)), w.Read(name))
	w.saysItChanged(uri)
}

// saves saves a document as Helix does.
func (w *world) saves(uri string) {
	w.Helper()
	w.Editor.SaveFile(uri)
	w.saysItChanged(uri)
	w.Advance()
}

// saysItChanged has the editor say that a file has changed.
func (w *world) saysItChanged(uri string) {
	w.Helper()
	if err := w.Editor.Notify("workspace/didChangeWatchedFiles", worldtest.Obj{"changes": []worldtest.Obj{{"uri": uri, "type": 2}}}); err != nil {
		w.Fatal(err)
	}
}

// A document that is reloaded lacks what was not saved, which comes back. What the user
// has deleted or undone does not.
func TestDocumentIsReloadedDuringATurn(t *testing.T) {
	const asked, all = front + "## You\n\nWhy?\n\n## emendo\n", "\nOne.\n\nTwo.\n\nThree.\n\nFour.\n"
	for _, c := range []struct {
		name string
		do   func(w *world, u string) // when there are three paragraphs, of which one is saved
		want string
	}{
		{"reloaded", func(w *world, u string) { w.reloads(u, "a.emendo.md") }, asked + all + "\n## You\n\n"},
		{"reloaded, in the other order", func(w *world, u string) {
			w.saysItChanged(u)
			w.Editor.Type(u, 0, len(w.Editor.Text(u)), w.Read("a.emendo.md"))
		}, asked + all + "\n## You\n\n"},
		{"reloaded twice", func(w *world, u string) {
			w.reloads(u, "a.emendo.md")
			w.Advance()
			w.reloads(u, "a.emendo.md")
		}, asked + all + "\n## You\n\n"},
		{"undone", func(w *world, _ string) {
			w.Editor.Undo()
			w.Editor.Undo()
		}, asked + "\nOne.\n\nFour.\n\n## You\n\n"},
		{"deleted and saved", func(w *world, u string) {
			w.deletes(u, "\nTwo.\n\nThree.\n")
			w.saves(u)
		}, asked + "\nOne.\n\nFour.\n\n## You\n\n"},
		{"deleted, then reloaded", func(w *world, u string) {
			w.deletes(u, "One.\n")
			w.saves(u)
			w.deletes(u, "Two.\n")
			w.reloads(u, "a.emendo.md")
		}, asked + "\n\nTwo.\n\nThree.\n\nFour.\n\n## You\n\n"},
		{"never saved", func(w *world, u string) {
			w.Write("a.emendo.md", "Why?\n")
			w.Editor.Close(u)
			w.Editor.Open(u, "Why?\n")
			w.Settle()
			w.reloads(u, "a.emendo.md")
		}, asked + all + "\n## You\n\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			play(t, lsptest.Recorded("helix"), nil, func(w *world) {
				one, two, three := make(chan struct{}), make(chan struct{}), make(chan struct{})
				w.Model.Replies = []modeltest.Reply{{
					modeltest.Say("One.\n\nT"), modeltest.Hold(one), modeltest.Say("wo.\n\nT"), modeltest.Hold(two), modeltest.Say("hree.\n\nF"), modeltest.Hold(three), modeltest.Say("our."),
				}}
				u := w.Chat("a.emendo.md", "Why?\n")
				id, _ := w.Send(u)
				w.Settle()
				w.saves(u)
				for _, hold := range []chan struct{}{one, two} {
					close(hold)
					w.Settle()
				}
				c.do(w, u)
				w.Settle()
				close(three)
				w.Settle()
				w.shows(u, id, c.want)
			})
		})
	}
}

// Most editors close a document and open it again when it is reloaded. The file is not
// written in between.
func TestFileIsNotWrittenDuringAReload(t *testing.T) {
	play(t, lsptest.Recorded("eglot"), nil, func(w *world) {
		hold := make(chan struct{})
		w.Model.Replies = []modeltest.Reply{{modeltest.Say("One.\n\nTwo.\n\nT"), modeltest.Hold(hold), modeltest.Say("hree.")}}
		u := w.Chat("a.emendo.md", "Why?\n")
		id, _ := w.Send(u)
		w.Settle()
		w.Editor.Close(u)
		<-time.After(50 * time.Millisecond)
		w.Editor.Open(u, w.Read("a.emendo.md"))
		w.Settle()
		close(hold)
		w.Settle()
		w.shows(u, id, front+"## You\n\nWhy?\n\n## emendo\n\nOne.\n\nTwo.\n\nThree.\n\n## You\n\n")
		if got := w.Read("a.emendo.md"); got != "Why?\n" {
			t.Errorf("the file is\n%s", got)
		}
	})
}

// A reload takes whole questions that were not saved, too.
func TestQuestionsComeBackAfterAReload(t *testing.T) {
	play(t, lsptest.Recorded("helix"), []modeltest.Reply{worldtest.Say("One."), worldtest.Say("Two."), worldtest.Say("Three.")}, func(w *world) {
		u := w.Chat("a.emendo.md", "One?\n")
		id, _ := w.Send(u)
		w.Settle()
		w.saves(u)
		for _, q := range []string{"Two?", "Three?"} {
			w.types(u, q)
			w.Send(u)
			w.Settle()
		}
		whole := strings.ReplaceAll(w.Editor.Text(u), id, "SESSION")
		w.reloads(u, "a.emendo.md")
		w.Settle()
		w.shows(u, id, whole)
	})
}
