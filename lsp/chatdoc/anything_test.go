package chatdoc_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/internal/sandbox/sandboxtest"
	"github.com/emendo-dev/emendo/lsp/chatdoc/grammar"
	"github.com/emendo-dev/emendo/lsp/lsptest"
	"github.com/emendo-dev/emendo/lsp/worldtest"
)

// anything does something that a user may do to a chat document.
func (w *world) anything(uri string, r *rand.Rand) {
	text := w.Editor.Text(uri)
	if !w.Editor.IsOpen(uri) {
		w.Editor.Open(uri, w.Read("a.emendo.md"))
		return
	}
	at := r.IntN(len(text) + 1)
	end := min(at+r.IntN(40), len(text))
	switch r.IntN(15) {
	case 0, 1, 2:
		w.Editor.Type(uri, at, at, []string{"x", "\n", "```\n", "## You\n", "\n\n## emendo\n\n", "<!--", "> ", "- "}[r.IntN(8)])
	case 3, 4:
		w.Editor.Type(uri, at, end, "")
	case 5:
		w.Editor.Undo()
	case 6:
		w.Editor.Redo()
	case 7:
		w.saves(uri)
	case 8:
		w.Editor.Close(uri)
	case 9, 10:
		w.Editor.Type(uri, len(text), len(text), "\nMy question?")
		_ = w.Editor.Command(w.Context(), "emendo.send", worldtest.Obj{"uri": uri}, nil) // there may be none
	case 11:
		_ = w.Editor.Command(w.Context(), "emendo.cancel", nil, nil)
	case 12:
		_ = w.Editor.Command(w.Context(), "emendo.ask", worldtest.Obj{"prompt": "Elsewhere?"}, nil) // a turn may run
	case 14:
		w.reloads(uri, "a.emendo.md")
	case 13:
		for _, o := range w.offers(uri, lineOf(text, "**Allow?**")) {
			if o.Title == "Allow once" {
				_ = w.Editor.Command(w.Context(), o.Command.Command, o.Command.Arguments[0], nil) // it may be answered
			}
		}
	}
}

// Whatever the user does to a document, emendo changes nothing that they wrote, comes
// to rest, and works in the end.
func TestAnythingInADocument(t *testing.T) {
	seeds := uint64(25)
	if testing.Short() {
		seeds = 5
	}
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 11))
			play(t, lsptest.Recorded("helix"), nil, func(w *world) {
				w.Spawn.Scripts = map[string]sandboxtest.Script{"touch a": sandboxtest.Print("", 0)}
				for i := range 200 {
					reply := modeltest.Reply{modeltest.Say("Model, part one.\n\nModel,"), modeltest.Pause(time.Second), modeltest.Say(" part two.\n\n## You\n\nModel.")}
					if i%4 == 0 {
						reply = append(reply, modeltest.Call("run_shell_command", `{"command":"touch a"}`))
					}
					w.Model.Replies = append(w.Model.Replies, reply)
				}
				u := w.Chat("a.emendo.md", "Why?\n")
				w.Editor.OnMade = func(e ide.Edit) {
					for _, f := range e.Files {
						for _, s := range f.Splices {
							if s.B > s.A && !strings.HasPrefix(f.Document.Text.Slice(s.A, s.B), "- ") {
								w.Errorf("%q is replaced by %q", f.Document.Text.Slice(s.A, s.B), s.Text)
							}
						}
					}
				}
				for range 60 {
					w.anything(u, r)
					<-time.After(time.Duration(r.IntN(700)) * time.Millisecond)
				}
				_ = w.Editor.Command(w.Context(), "emendo.cancel", nil, nil)
				<-time.After(time.Minute)
				edits := len(w.Editor.Edits())
				<-time.After(time.Hour)
				if n := len(w.Editor.Edits()); n > edits {
					t.Errorf("%d edits an hour later", n-edits)
				}
				if !w.Editor.IsOpen(u) {
					w.Editor.Open(u, w.Read("a.emendo.md"))
				}
				w.Editor.Type(u, 0, len(w.Editor.Text(u)), "The end?")
				w.Settle()
				w.Send(u)
				<-time.After(time.Minute)
				l := grammar.Parse(w.Editor.Text(u)).Sections
				if n := len(l); n < 3 || l[n-1].Speaker != grammar.You || l[n-2].Speaker != grammar.Emendo || !strings.Contains(w.Editor.Text(u), "The end?\n\n## emendo\n\nModel, part one.") {
					t.Errorf("at the end the document is\n%s", w.Editor.Text(u))
				}
				for _, m := range w.Editor.Seen().Messages {
					if strings.Contains(m, "internal error") {
						t.Error(m)
					}
				}
			})
		})
	}
}
