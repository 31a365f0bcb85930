package question_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/internal/rpc"
	"github.com/emendo-dev/emendo/internal/sandbox/sandboxtest"
	"github.com/emendo-dev/emendo/lsp/lsptest"
	"github.com/emendo-dev/emendo/lsp/worldtest"
)

// answers returns the titles of the actions that answer questions at a text.
func (w *world) answers(uri, text string) (titles []string) {
	w.Helper()
	for _, a := range w.Actions(uri, text, nil) {
		if a.Kind == "quickfix.emendo.permission" {
			titles = append(titles, a.Title)
		}
	}
	return titles
}

func TestDiagnosticAsksForPermission(t *testing.T) {
	for _, name := range []string{"helix", "eglot", "neovim", "vscode"} {
		for _, c := range []struct{ title, ran string }{
			{"Allow once", "touch a"}, {"Deny", ""}, {"Always allow exactly this command in this session", "touch a; touch a"},
		} {
			t.Run(name+", "+c.title, func(t *testing.T) {
				play(t, lsptest.Recorded(name), []modeltest.Reply{worldtest.Run("touch a"), worldtest.Run("touch a"), worldtest.Say("Done.")}, func(w *world) {
					w.Editor.Choose = func(ctx context.Context, _ string, _ []string) string {
						<-ctx.Done() // the message stays open
						return ""
					}
					u := w.Asking("touch a")
					l := w.Warnings(u)
					if len(l) != 1 || l[0].Source != "emendo" || l[0].Range != w.RangeOf(u, "func b() int { return 2 }") ||
						!strings.Contains(l[0].Message, "touch a") || !strings.Contains(l[0].Message, "Allow once / ") {
						t.Fatalf("asked by %+v", l)
					}
					if got := w.answers(u, "return 1"); got != nil {
						t.Errorf("elsewhere there are %q", got)
					}
					titles := w.answers(u, "return 2")
					if len(titles) != 4 || !strings.HasPrefix(titles[0], "Show ") || !slices.Contains(titles, c.title) {
						t.Errorf("the actions are %q", titles)
					}
					if w.Ran() != "" {
						t.Errorf("ran %q before it was allowed", w.Ran())
					}
					w.Choose(u, "return 2", c.title)
					if c.title == "Allow once" { // for one call: the next is asked about again
						w.Choose(u, "return 2", "Deny")
					}
					w.Advance()
					if w.Ran() != c.ran {
						t.Errorf("ran %q, want %q", w.Ran(), c.ran)
					}
					if l := w.Warnings(u); len(l) != 0 {
						t.Errorf("after the answer there are %+v", l)
					}
				})
			})
		}
	}
}

// An accidental Enter chooses the first action of a message, so that decides nothing.
func TestFirstActionOfAMessageDecidesNothing(t *testing.T) {
	for _, c := range []struct {
		name  string
		press func(titles []string) string
	}{
		{"the first action", func(titles []string) string { return titles[0] }},
		{"dismissed", func([]string) string { return "" }},
	} {
		t.Run(c.name, func(t *testing.T) {
			play(t, lsptest.Recorded("neovim"), []modeltest.Reply{worldtest.Run("touch a"), worldtest.Say("Done.")}, func(w *world) {
				w.Editor.Choose = func(_ context.Context, _ string, titles []string) string { return c.press(titles) }
				u := w.Asking("touch a")
				w.Advance()
				if len(w.Editor.Seen().Requests) != 1 || w.Ran() != "" || len(w.Warnings(u)) != 1 {
					t.Errorf("ran %q, warnings %+v", w.Ran(), w.Warnings(u))
				}
				w.Choose(u, "return 2", "Allow once")
				w.Advance()
				if w.Ran() != "touch a" {
					t.Errorf("ran %q", w.Ran())
				}
			})
		})
	}
}

func TestDismissedMessageRefusesWithoutADiagnostic(t *testing.T) {
	play(t, lsptest.Recorded("neovim"), []modeltest.Reply{worldtest.Run("touch a"), worldtest.Say("Done.")}, func(w *world) {
		w.Command("emendo.ask", worldtest.Obj{"prompt": "Run"}, nil)
		w.Advance()
		if l := w.Messages(); w.Ran() != "" || len(l) != 1 || l[0] != "Done." {
			t.Errorf("ran %q, messages %q", w.Ran(), l)
		}
	})
}

func TestFirstAnswerWithdrawsTheOthers(t *testing.T) {
	for _, c := range []struct {
		name      string
		chosen    string // in the message
		withdrawn int
	}{
		{"of the message", "Allow once", 0}, {"of a code action", "", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			play(t, lsptest.Recorded("neovim"), []modeltest.Reply{worldtest.Run("touch a"), worldtest.Say("Done.")}, func(w *world) {
				answer := make(chan string)
				w.Editor.Choose = func(ctx context.Context, _ string, _ []string) string {
					select {
					case a := <-answer:
						return a
					case <-ctx.Done():
						return "Deny" // too late
					}
				}
				u := w.Asking("touch a")
				if c.chosen == "" {
					w.Choose(u, "return 2", "Allow once")
				} else {
					answer <- c.chosen
				}
				w.Advance()
				if w.Ran() != "touch a" || len(w.Warnings(u)) != 0 || w.Editor.Seen().Withdrawn != c.withdrawn || w.answers(u, "return 2") != nil {
					t.Errorf("ran %q, warnings %+v, %d withdrawn", w.Ran(), w.Warnings(u), w.Editor.Seen().Withdrawn)
				}
			})
		})
	}
}

func TestQuestionLocationIsReported(t *testing.T) {
	play(t, lsptest.Recorded("helix"), []modeltest.Reply{worldtest.Run("touch\ta"), worldtest.Say("Done.")}, func(w *world) {
		u := w.Asking("touch\ta")
		l := w.Editor.Seen().Messages
		if len(l) != 1 || strings.Contains(l[0], "\n") || !strings.Contains(l[0], "main.go, line 9") || !strings.Contains(l[0], "touch a") {
			t.Errorf("messages %q", l)
		}
		if d := w.Warnings(u); len(d) != 1 || strings.Contains(d[0].Message, "\t") {
			t.Errorf("asked by %+v", d)
		}
		w.Command("emendo.cancel", nil, nil)
		w.Advance()
		if d := w.Warnings(u); w.Ran() != "" || len(d) != 0 {
			t.Errorf("after cancelling: ran %q, warnings %+v", w.Ran(), d)
		}
	})
}

// A question moves with its line, and never only to a closed document.
func TestQuestionFollowsItsLine(t *testing.T) {
	play(t, lsptest.Recorded("helix"), []modeltest.Reply{worldtest.Run("touch a"), worldtest.Say("Done.")}, func(w *world) {
		u := w.Asking("touch a")
		w.Typed(u, "package main", "// x\n// y\npackage main")
		if l := w.Warnings(u); len(l) != 1 || l[0].Range != w.RangeOf(u, "func b() int { return 2 }") {
			t.Errorf("after typing above there are %+v", l)
		}
		w.Write("other.go", "package main\n")
		o := w.URI("other.go")
		w.Editor.Open(o, "package main\n")
		synctest.Wait()
		w.Editor.Close(u)
		synctest.Wait()
		if a, b := w.Warnings(u), w.Warnings(o); len(a) != 0 || len(b) != 1 {
			t.Errorf("after closing there are %+v and %+v", a, b)
		}
		w.Editor.Close(o)
		synctest.Wait()
		w.Editor.Open(u, worldtest.MainGo)
		synctest.Wait()
		if l := w.Warnings(u); len(l) != 1 {
			t.Errorf("after opening again there are %+v", l)
		}
		w.Choose(u, "package main", "Allow once")
		w.Advance()
		if w.Ran() != "touch a" {
			t.Errorf("ran %q", w.Ran())
		}
	})
}

func TestPermissionCommandWithoutArguments(t *testing.T) {
	play(t, lsptest.Recorded("helix").Declaring(), []modeltest.Reply{worldtest.Run("touch a"), worldtest.Say("Done.")}, func(w *world) {
		u := w.Asking("touch a")
		w.Choose(u, "return 2", w.answers(u, "return 2")[0]) // by Enter
		l := w.Editor.Seen().Messages
		if last := l[len(l)-1]; !strings.Contains(last, "touch a") || !strings.HasPrefix(last, "emendo asks at main.go, line 9") || !strings.Contains(last, "Allow once / ") {
			t.Errorf("messages %q", last)
		}
		if l := w.Editor.Seen().Documents; len(l) != 1 || l[0] != u {
			t.Errorf("shown were %q", l)
		}
		if w.Ran() != "" || len(w.Warnings(u)) != 1 {
			t.Errorf("ran %q, warnings %+v", w.Ran(), w.Warnings(u))
		}
		w.Refused(w.Editor.Command(w.Context(), "emendo.permission", worldtest.Obj{"sessionId": "nope", "toolCallId": "nope", "optionId": "allow_once"}, nil), rpc.InvalidParams, "")
		w.Command("emendo.cancel", nil, nil)
		w.Advance()
	})
}

// Helix shows one message at a time: the later of the answer and the progress's
// end.
func TestResponseFollowsTheEndOfTheProgress(t *testing.T) {
	play(t, lsptest.Recorded("helix"), []modeltest.Reply{worldtest.Say("Done.")}, func(w *world) {
		w.Command("emendo.ask", worldtest.Obj{"prompt": "Hi"}, nil)
		w.Advance()
		if got := strings.Join(w.Editor.Seen().Shown, ", "); !strings.HasSuffix(got, "progress end, message") {
			t.Errorf("shown: %s", got)
		}
	})
}

// Helix does not let the cursor go past the last line.
func TestLinesAddedAtTheEndAreDecidedAtTheLastLine(t *testing.T) {
	edit := modeltest.Reply{modeltest.Call("replace", `{"file_path":"main.go","old_string":"func b() int { return 2 }\n","new_string":"func b() int { return 2 }\n\nfunc c() {}\n"}`)}
	play(t, lsptest.Recorded("helix"), []modeltest.Reply{edit, worldtest.Say("Done.")}, func(w *world) {
		u := w.Open()
		w.Command("emendo.ask", worldtest.Obj{"prompt": "Add c"}, nil)
		if l := w.Editor.Seen().Diagnostics[u]; len(l) != 1 || l[0].Range != w.RangeOf(u, "func b() int { return 2 }") {
			t.Errorf("shown by %+v", l)
		}
		w.RunAction(u, "return 2", "quickfix.emendo.accept")
		w.Advance()
		if want := worldtest.MainGo + "\nfunc c() {}\n"; w.Editor.Text(u) != want {
			t.Errorf("accepted it is %q", w.Editor.Text(u))
		}
	})
}

// Emacs only shows the first line of a diagnostic.
func TestQuestionBeginsWithAOneLineCommand(t *testing.T) {
	for _, c := range []struct{ command, first string }{
		{"touch a", "Run this command? touch a"}, {"touch a\ntouch b", "Run this command?"},
	} {
		play(t, lsptest.Recorded("eglot"), []modeltest.Reply{worldtest.Run(c.command)}, func(w *world) {
			l := w.Warnings(w.Asking(c.command))
			if len(l) != 1 || !strings.HasPrefix(l[0].Message, c.first+"\n") || !strings.Contains(l[0].Message, c.command) {
				t.Errorf("asked by %+v", l)
			}
			w.Command("emendo.cancel", nil, nil)
			w.Advance()
		})
	}
}

// Helix does not let the cursor go past the last line.
func TestQuestionAfterTheLastLineIsAtThatLine(t *testing.T) {
	play(t, lsptest.Recorded("helix"), []modeltest.Reply{worldtest.Run("touch a"), worldtest.Say("Done.")}, func(w *world) {
		w.Spawn.Scripts = map[string]sandboxtest.Script{"touch a": sandboxtest.Print("", 0)}
		u := w.Open()
		end := worldtest.Obj{"line": strings.Count(worldtest.MainGo, "\n"), "character": 0}
		w.Call("textDocument/codeAction", worldtest.Obj{"textDocument": worldtest.Obj{"uri": u}, "range": worldtest.Obj{"start": end, "end": end}, "context": worldtest.Obj{"diagnostics": []any{}}}, nil)
		w.Command("emendo.ask", worldtest.Obj{"prompt": "Run"}, nil)
		if l := w.Warnings(u); len(l) != 1 || l[0].Range != w.RangeOf(u, "func b() int { return 2 }") {
			t.Fatalf("asked by %+v", l)
		}
		var there []worldtest.CodeAction // where other editors put the cursor
		w.Call("textDocument/codeAction", worldtest.Obj{"textDocument": worldtest.Obj{"uri": u}, "range": worldtest.Obj{"start": end, "end": end}, "context": worldtest.Obj{"diagnostics": []any{}}}, &there)
		if len(there) == 0 || there[0].Kind != "quickfix.emendo.permission" {
			t.Errorf("behind the line there are %+v", there)
		}
		w.Choose(u, "return 2", "Allow once")
		w.Advance()
		if w.Ran() != "touch a" {
			t.Errorf("ran %q", w.Ran())
		}
	})
}

// A stale code action for one question does not answer the next question of the same
// call.
func TestAnswerCoversOneQuestionOfACall(t *testing.T) {
	ask := modeltest.Reply{modeltest.Call("ask_user", `{"questions": [
		{"header": "Delete", "question": "Delete the old file?", "type": "choice", "options": [{"label": "Yes", "description": ""}, {"label": "No", "description": ""}]},
		{"header": "Keep", "question": "Delete the new one?", "type": "choice", "options": [{"label": "Decide later", "description": ""}, {"label": "Yes", "description": ""}]}
	]}`)}
	play(t, lsptest.Recorded("helix"), []modeltest.Reply{ask, worldtest.Say("Done.")}, func(w *world) {
		u := w.Asking("Delete the old file?")
		var stale worldtest.CodeAction
		for _, a := range w.Actions(u, "return 2", nil) {
			if a.Title == "Yes" {
				stale = a
			}
		}
		w.Choose(u, "return 2", "Yes")
		w.Advance()
		w.Refused(w.Editor.Call(w.Context(), "workspace/executeCommand", worldtest.Obj{"command": stale.Command.Command, "arguments": stale.Command.Arguments}, nil), rpc.InvalidParams, "")
		if l := w.Warnings(u); len(l) != 1 || !strings.Contains(l[0].Message, "Delete the new one?") {
			t.Fatalf("the second question is shown as %+v", l)
		}
		w.Choose(u, "return 2", "Decide later") // an option of the model's question
		w.Advance()
		l := w.Model.Requests()
		last := l[len(l)-1].Messages
		r, ok := last[len(last)-1].Parts[0].(model.Result)
		if !ok || !strings.Contains(r.Output, `"0":"Yes","1":"Decide later"`) {
			t.Errorf("the model got %+v", last[len(last)-1])
		}
	})
}
