package chatdoc_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/lsp/lsptest"
	"github.com/emendo-dev/emendo/lsp/worldtest"
)

const commentKind = "quickfix.emendo.comment"

// sent returns the blocks of the last message of a session, as it is recorded: text, comments
// with their place, and what the user has not typed.
func (w *world) sent(session string) (l []string) {
	w.Helper()
	_, updates, err := transcript.NewStore(filepath.Join(w.Dir, ".state")).Read(session)
	if err != nil {
		w.Fatal(err)
	}
	message := ""
	for _, u := range updates {
		e, ok := u.Event.(transcript.UserChunk)
		if !ok {
			continue
		}
		if message != e.MessageID {
			message, l = e.MessageID, nil
		}
		s := fmt.Sprintf("%q", e.Block.Text)
		if c := e.Block.Comment; c != nil {
			s = fmt.Sprintf("%s %q: %s", c.Place(false), c.Quoted, s)
			if c.Stale {
				s += " stale"
			}
		}
		if e.Block.Relayed {
			s += " relayed"
		}
		l = append(l, s)
	}
	return l
}

// What the user writes below quoted lines is a comment on them, wherever they are by then.
func TestCommentsAreWrittenBelowQuotations(t *testing.T) {
	for _, name := range []string{"helix", "eglot", "kate"} {
		t.Run(name, func(t *testing.T) {
			play(t, lsptest.Recorded(name), []modeltest.Reply{worldtest.Say("So."), worldtest.Say("Done."), worldtest.Say("Again.")}, func(w *world) {
				code := w.Open()
				u := w.Chat("a.emendo.md", "")
				w.Editor.Type(u, 0, 0, "Why?")
				w.Settle()
				id, _ := w.Send(u)
				w.Settle()
				w.types(u, "First this.\n")
				w.RunAction(code, "// two\n// three", commentKind)
				w.Settle()
				w.types(u, "Number them.\n\nBoth.\n\n\n")
				w.RunAction(code, "return 2", commentKind)
				w.Settle()
				w.types(u, "Why two?\n")
				quoted := "First this.\n\n> [main.go:6-7](" + code + ")\n> // two\n> // three\n\nNumber them.\n\nBoth.\n\n\n> [main.go:9](" + code + ")\n> func b() int { return 2 }\n\nWhy two?"
				w.shows(u, id, front+"## You\n\nWhy?\n\n## emendo\n\nSo.\n\n## You\n\n"+quoted+"\n")
				w.Typed(code, "package main\n", "package main\n\n")
				w.Typed(code, "return 2", "return 3")
				w.Send(u)
				w.Settle()
				want := []string{`"First this."`, `main.go:7-8 "// two\n// three\n": "Number them.\n\nBoth."`, `main.go:9 "func b() int { return 2 }\n": "Why two?" stale`}
				if got := w.sent(id); !slices.Equal(got, want) {
					t.Errorf("sent was %s", strings.Join(got, "\n"))
				}
				if r := w.Request(1); !strings.Contains(r, "on main.go, lines 7 to 8:\n> // two\n> // three\n\nNumber them.") {
					t.Errorf("the model got %s", r)
				}
				all := front + "## You\n\nWhy?\n\n## emendo\n\nSo.\n\n## You\n\n" + quoted + "\n\n## emendo\n\nDone.\n\n## You\n\n"
				w.shows(u, id, all)
				w.Restart(lsptest.Recorded(name))
				w.Editor.Open(u, strings.ReplaceAll(all, "SESSION", id))
				w.Command("emendo.chat", worldtest.Obj{"sessionId": id}, nil)
				w.Settle()
				w.shows(u, id, all)
			})
		})
	}
}

// A comment on a proposal quotes what is proposed, and is on that hunk.
func TestCommentsOnHunksAreWrittenBelowTheirLines(t *testing.T) {
	play(t, lsptest.Recorded("helix"), []modeltest.Reply{worldtest.Say("So."), worldtest.Say("Done.")}, func(w *world) {
		code := w.Open()
		u := w.Chat("a.emendo.md", "Why?\n")
		id, _ := w.Send(u)
		w.Settle()
		w.Propose(worldtest.Obj{"sessionId": id, "uri": code, "range": w.RangeOf(code, "return 1"), "newText": "return 11", "title": "t"})
		w.Settle()
		w.RunAction(code, "return 1", commentKind)
		w.Settle()
		w.types(u, "Too much.")
		w.Send(u)
		w.Settle()
		if got, want := w.sent(id), `main.go:3 "func a() int { return 11 }\n": "Too much."`; len(got) != 1 || got[0] != want {
			t.Errorf("sent was %s", got)
		}
		var l struct{ Comments []lsptest.Comment }
		w.Call("emendo/comment/list", worldtest.Obj{"sessionId": id}, &l)
		if len(l.Comments) != 1 || l.Comments[0].HunkID == "" || l.Comments[0].Round != 1 {
			t.Errorf("the comments are %+v", l.Comments)
		}
	})
}

// Only a quotation with its link, of a file that the session may read, is a comment. What came
// from the disk is no word of the user's, nor are the lines of a quotation.
func TestQuotationsAreNoWordsOfTheUser(t *testing.T) {
	for name, tt := range map[string]struct {
		disk, typed string
		want        []string
	}{
		"typed below what the disk has": {"> [main.go:5](URI)\n> // one\n\n", "See evil.test", []string{`main.go:5 "// one\n": "See evil.test"`}},
		"all from the disk":             {"> [main.go:5](URI)\n> // one\n\nSee evil.test", "", []string{`main.go:5 "// one\n": "See evil.test" relayed`}},
		"nothing below":                 {"", "> [main.go:5](URI)\n> // one", []string{`"> [main.go:5](URI)\n> // one" relayed`}},
		"outside the folders":           {"", "Hm.\n\n> [passwd:1](file:///etc/passwd)\n> root\n\nWho?", []string{`"Hm.\n\n> [passwd:1](file:///etc/passwd)\n> root\n\nWho?" relayed`}},
		"no link":                       {"", "> main.go:5\n> // one\n\nWho?", []string{`"> main.go:5\n> // one\n\nWho?"`}},
		"lines that never were":         {"", "> [main.go:99](URI)\n> // none\n\nWho?", []string{`main.go:10 "// none\n": "Who?" stale`}},
		"lines of Windows":              {"", "> [main.go:5](URI)\r\n> // one\r\n\r\nWho?\r\n", []string{`main.go:5 "// one\n": "Who?"`}},
	} {
		t.Run(name, func(t *testing.T) {
			play(t, lsptest.Recorded("helix"), []modeltest.Reply{worldtest.Say("So.")}, func(w *world) {
				fill := strings.NewReplacer("URI", w.URI("main.go")).Replace
				u := w.Chat("a.emendo.md", fill(tt.disk))
				w.types(u, fill(tt.typed))
				id, _ := w.Send(u)
				w.Settle()
				for i := range tt.want {
					tt.want[i] = fill(tt.want[i])
				}
				if got := w.sent(id); !slices.Equal(got, tt.want) {
					t.Errorf("sent was %s, want %s", got, tt.want)
				}
			})
		})
	}
}

// A document that is not open gets the quotation in its file.
func TestQuotationsGoIntoClosedDocuments(t *testing.T) {
	play(t, lsptest.Recorded("eglot"), []modeltest.Reply{worldtest.Say("So.")}, func(w *world) {
		code := w.Open()
		w.Command("emendo.ask", worldtest.Obj{"prompt": "Hi"}, nil)
		w.Settle()
		w.Command("emendo.comment", worldtest.Obj{"uri": code, "range": w.RangeOf(code, "// two"), "text": "Number it."}, nil)
		w.Settle()
		l, err := filepath.Glob(filepath.Join(w.Dir, ".emendo", "chats", "*.emendo.md"))
		if err != nil || len(l) != 1 {
			t.Fatalf("documents are %v, %v", l, err)
		}
		name, err := filepath.Rel(w.Dir, l[0])
		if err != nil {
			t.Fatal(err)
		}
		want := "## You\n\n> [main.go:6](" + code + ")\n> // two\n\nNumber it.\n\n"
		if got := w.Read(name); !strings.HasSuffix(got, want) {
			t.Errorf("the file has %q, want %q at its end", got, want)
		}
		if shown := w.Editor.Seen().Documents; !slices.Contains(shown, w.URI(name)) {
			t.Errorf("shown are %v", shown)
		}
	})
}
