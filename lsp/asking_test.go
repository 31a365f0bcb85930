package lsp_test

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
)

// asking starts a turn that asks for permission for a command, with the cursor at
// "return 2".
func (w *world) asking(command string) (uri string) {
	w.Helper()
	w.spawn.Scripts = map[string]sandboxtest.Script{command: sandboxtest.Print("", 0)}
	u := w.open()
	w.actions(u, "return 2", nil) // moves the cursor there
	w.command("emendo.ask", obj{"prompt": "Run"}, nil)
	return u
}

// warnings returns the diagnostics of questions.
func (w *world) warnings(uri string) (l []lsptest.Diagnostic) {
	for _, d := range w.e.Seen().Diagnostics[uri] {
		if d.Severity == 2 {
			l = append(l, d)
		}
	}
	return l
}

// answers returns the titles of the actions that answer questions at a text.
func (w *world) answers(uri, text string) (titles []string) {
	w.Helper()
	for _, a := range w.actions(uri, text, nil) {
		if a.Kind == "quickfix.emendo.permission" {
			titles = append(titles, a.Title)
		}
	}
	return titles
}

// choose runs the action with that title.
func (w *world) choose(uri, text, title string) {
	w.Helper()
	for _, a := range w.actions(uri, text, nil) {
		if a.Title == title {
			w.call("workspace/executeCommand", obj{"command": a.Command.Command, "arguments": a.Command.Arguments}, nil)
			return
		}
	}
	w.Fatalf("no action %q at %q", title, text)
}

func TestDiagnosticAsksForPermission(t *testing.T) {
	for _, name := range []string{"helix", "eglot", "neovim", "vscode"} {
		for _, c := range []struct{ title, ran string }{
			{"Allow once", "touch a"}, {"Deny", ""}, {"Always allow exactly this command in this session", "touch a; touch a"},
		} {
			t.Run(name+", "+c.title, func(t *testing.T) {
				play(t, lsptest.Recorded(name), []modeltest.Reply{run("touch a"), run("touch a"), say("Done.")}, func(w *world) {
					w.e.Choose = func(ctx context.Context, _ string, _ []string) string {
						<-ctx.Done() // the message stays open
						return ""
					}
					u := w.asking("touch a")
					l := w.warnings(u)
					if len(l) != 1 || l[0].Source != "emendo" || l[0].Range != w.rangeOf(u, "func b() int { return 2 }") ||
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
					if w.ran() != "" {
						t.Errorf("ran %q before it was allowed", w.ran())
					}
					w.choose(u, "return 2", c.title)
					if c.title == "Allow once" { // for one call: the next is asked about again
						w.choose(u, "return 2", "Deny")
					}
					w.advance()
					if w.ran() != c.ran {
						t.Errorf("ran %q, want %q", w.ran(), c.ran)
					}
					if l := w.warnings(u); len(l) != 0 {
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
			play(t, lsptest.Recorded("neovim"), []modeltest.Reply{run("touch a"), say("Done.")}, func(w *world) {
				w.e.Choose = func(_ context.Context, _ string, titles []string) string { return c.press(titles) }
				u := w.asking("touch a")
				w.advance()
				if len(w.e.Seen().Requests) != 1 || w.ran() != "" || len(w.warnings(u)) != 1 {
					t.Errorf("ran %q, warnings %+v", w.ran(), w.warnings(u))
				}
				w.choose(u, "return 2", "Allow once")
				w.advance()
				if w.ran() != "touch a" {
					t.Errorf("ran %q", w.ran())
				}
			})
		})
	}
}

func TestDismissedMessageRefusesWithoutADiagnostic(t *testing.T) {
	play(t, lsptest.Recorded("neovim"), []modeltest.Reply{run("touch a"), say("Done.")}, func(w *world) {
		w.command("emendo.ask", obj{"prompt": "Run"}, nil)
		w.advance()
		if l := w.messages(); w.ran() != "" || len(l) != 1 || l[0] != "Done." {
			t.Errorf("ran %q, messages %q", w.ran(), l)
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
			play(t, lsptest.Recorded("neovim"), []modeltest.Reply{run("touch a"), say("Done.")}, func(w *world) {
				answer := make(chan string)
				w.e.Choose = func(ctx context.Context, _ string, _ []string) string {
					select {
					case a := <-answer:
						return a
					case <-ctx.Done():
						return "Deny" // too late
					}
				}
				u := w.asking("touch a")
				if c.chosen == "" {
					w.choose(u, "return 2", "Allow once")
				} else {
					answer <- c.chosen
				}
				w.advance()
				if w.ran() != "touch a" || len(w.warnings(u)) != 0 || w.e.Seen().Withdrawn != c.withdrawn || w.answers(u, "return 2") != nil {
					t.Errorf("ran %q, warnings %+v, %d withdrawn", w.ran(), w.warnings(u), w.e.Seen().Withdrawn)
				}
			})
		})
	}
}

func TestQuestionLocationIsReported(t *testing.T) {
	play(t, lsptest.Recorded("helix"), []modeltest.Reply{run("touch\ta"), say("Done.")}, func(w *world) {
		u := w.asking("touch\ta")
		l := w.e.Seen().Messages
		if len(l) != 1 || strings.Contains(l[0], "\n") || !strings.Contains(l[0], "main.go, line 9") || !strings.Contains(l[0], "touch a") {
			t.Errorf("messages %q", l)
		}
		if d := w.warnings(u); len(d) != 1 || strings.Contains(d[0].Message, "\t") {
			t.Errorf("asked by %+v", d)
		}
		w.command("emendo.cancel", nil, nil)
		w.advance()
		if d := w.warnings(u); w.ran() != "" || len(d) != 0 {
			t.Errorf("after cancelling: ran %q, warnings %+v", w.ran(), d)
		}
	})
}

// A question moves with its line, and never only to a closed document.
func TestQuestionFollowsItsLine(t *testing.T) {
	play(t, lsptest.Recorded("helix"), []modeltest.Reply{run("touch a"), say("Done.")}, func(w *world) {
		u := w.asking("touch a")
		w.typed(u, "package main", "// x\n// y\npackage main")
		if l := w.warnings(u); len(l) != 1 || l[0].Range != w.rangeOf(u, "func b() int { return 2 }") {
			t.Errorf("after typing above there are %+v", l)
		}
		w.write("other.go", "package main\n")
		o := w.uri("other.go")
		w.e.Open(o, "package main\n")
		synctest.Wait()
		w.e.Close(u)
		synctest.Wait()
		if a, b := w.warnings(u), w.warnings(o); len(a) != 0 || len(b) != 1 {
			t.Errorf("after closing there are %+v and %+v", a, b)
		}
		w.e.Close(o)
		synctest.Wait()
		w.e.Open(u, mainGo)
		synctest.Wait()
		if l := w.warnings(u); len(l) != 1 {
			t.Errorf("after opening again there are %+v", l)
		}
		w.choose(u, "package main", "Allow once")
		w.advance()
		if w.ran() != "touch a" {
			t.Errorf("ran %q", w.ran())
		}
	})
}

func TestPermissionCommandWithoutArguments(t *testing.T) {
	play(t, lsptest.Recorded("helix").Declaring(), []modeltest.Reply{run("touch a"), say("Done.")}, func(w *world) {
		u := w.asking("touch a")
		w.choose(u, "return 2", w.answers(u, "return 2")[0]) // by Enter
		l := w.e.Seen().Messages
		if last := l[len(l)-1]; !strings.Contains(last, "touch a") || !strings.HasPrefix(last, "emendo asks at main.go, line 9") || !strings.Contains(last, "Allow once / ") {
			t.Errorf("messages %q", last)
		}
		if l := w.e.Seen().Documents; len(l) != 1 || l[0] != u {
			t.Errorf("shown were %q", l)
		}
		if w.ran() != "" || len(w.warnings(u)) != 1 {
			t.Errorf("ran %q, warnings %+v", w.ran(), w.warnings(u))
		}
		w.refused(w.e.Command(w.Context(), "emendo.permission", obj{"sessionId": "nope", "toolCallId": "nope", "optionId": "allow_once"}, nil), rpc.InvalidParams, "")
		w.command("emendo.cancel", nil, nil)
		w.advance()
	})
}

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
			play(t, c.editor, []modeltest.Reply{say("Done.")}, func(w *world) {
				w.command("emendo.ask", obj{"prompt": "Hi"}, nil)
				w.advance()
				before := len(w.e.Seen().Messages)
				var answer struct{ URI string }
				w.command("emendo.chat", nil, &answer)
				seen := w.e.Seen()
				name := w.chatFile()
				if answer.URI != w.uri(name) {
					t.Errorf("answered %q", answer.URI)
				}
				messages, shown := strings.Join(seen.Messages[before:], ""), strings.Join(seen.Documents, "")
				if want := "The conversation is in " + name; c.messages && messages != want || !c.messages && messages != "" {
					t.Errorf("messages %q", messages)
				}
				if want := w.uri(name); c.shown && shown != want || !c.shown && shown != "" {
					t.Errorf("documents %q", shown)
				}
			})
		})
	}
}

// Each further line of a message makes some editors wait for Enter.
func TestPlaceOfAConversationIsNamedOnce(t *testing.T) {
	play(t, lsptest.Recorded("helix"), []modeltest.Reply{say("One."), say("Two.")}, func(w *world) {
		for range 2 {
			w.command("emendo.ask", obj{"prompt": "Hi"}, nil)
			w.advance()
		}
		want := []string{"One. \n(The conversation is in " + w.chatFile() + ".)", "Two."}
		if got := w.e.Seen().Messages; !slices.Equal(got, want) {
			t.Errorf("messages %q, want %q", got, want)
		}
	})
}

// A session without a prompt is not stored, but its document can send the first.
func TestNewConversationIsAnEmptyDocument(t *testing.T) {
	play(t, lsptest.Recorded("helix"), []modeltest.Reply{say("Done.")}, func(w *world) {
		w.command("emendo.chat", nil, nil)
		name := w.chatFile()
		text := w.read(name)
		if !strings.HasPrefix(text, "---\nsession: ") || !strings.HasSuffix(text, "---\n\n## You\n\n") {
			t.Errorf("the document is %q", text)
		}
		w.restart(lsptest.Recorded("helix"))
		u := w.uri(name)
		w.e.Open(u, text+"Hi")
		id, _ := w.send(u)
		w.settle()
		if want := text + "Hi\n\n## emendo\n\nDone.\n\n## You\n\n"; w.e.Text(u) != want || !strings.Contains(text, id) {
			t.Errorf("the document is\n%s\nwant\n%s", w.e.Text(u), want)
		}
	})
}

// Helix shows one message at a time: the later of the answer and the progress's
// end.
func TestResponseFollowsTheEndOfTheProgress(t *testing.T) {
	play(t, lsptest.Recorded("helix"), []modeltest.Reply{say("Done.")}, func(w *world) {
		w.command("emendo.ask", obj{"prompt": "Hi"}, nil)
		w.advance()
		if got := strings.Join(w.e.Seen().Shown, ", "); !strings.HasSuffix(got, "progress end, message") {
			t.Errorf("shown: %s", got)
		}
	})
}

// Helix does not let the cursor go past the last line.
func TestLinesAddedAtTheEndAreDecidedAtTheLastLine(t *testing.T) {
	edit := modeltest.Reply{modeltest.Call("replace", `{"file_path":"main.go","old_string":"func b() int { return 2 }\n","new_string":"func b() int { return 2 }\n\nfunc c() {}\n"}`)}
	play(t, lsptest.Recorded("helix"), []modeltest.Reply{edit, say("Done.")}, func(w *world) {
		u := w.open()
		w.command("emendo.ask", obj{"prompt": "Add c"}, nil)
		if l := w.e.Seen().Diagnostics[u]; len(l) != 1 || l[0].Range != w.rangeOf(u, "func b() int { return 2 }") {
			t.Errorf("shown by %+v", l)
		}
		w.runAction(u, "return 2", "quickfix.emendo.accept")
		w.advance()
		if want := mainGo + "\nfunc c() {}\n"; w.e.Text(u) != want {
			t.Errorf("accepted it is %q", w.e.Text(u))
		}
	})
}

// Emacs only shows the first line of a diagnostic.
func TestQuestionBeginsWithAOneLineCommand(t *testing.T) {
	for _, c := range []struct{ command, first string }{
		{"touch a", "emendo wants to run this command: touch a"}, {"touch a\ntouch b", "emendo wants to run this command:"},
	} {
		play(t, lsptest.Recorded("eglot"), []modeltest.Reply{run(c.command)}, func(w *world) {
			l := w.warnings(w.asking(c.command))
			if len(l) != 1 || !strings.HasPrefix(l[0].Message, c.first+"\n") || !strings.Contains(l[0].Message, c.command) {
				t.Errorf("asked by %+v", l)
			}
			w.command("emendo.cancel", nil, nil)
			w.advance()
		})
	}
}

// Helix does not let the cursor go past the last line.
func TestQuestionAfterTheLastLineIsAtThatLine(t *testing.T) {
	play(t, lsptest.Recorded("helix"), []modeltest.Reply{run("touch a"), say("Done.")}, func(w *world) {
		w.spawn.Scripts = map[string]sandboxtest.Script{"touch a": sandboxtest.Print("", 0)}
		u := w.open()
		end := obj{"line": strings.Count(mainGo, "\n"), "character": 0}
		w.call("textDocument/codeAction", obj{"textDocument": obj{"uri": u}, "range": obj{"start": end, "end": end}, "context": obj{"diagnostics": []any{}}}, nil)
		w.command("emendo.ask", obj{"prompt": "Run"}, nil)
		if l := w.warnings(u); len(l) != 1 || l[0].Range != w.rangeOf(u, "func b() int { return 2 }") {
			t.Fatalf("asked by %+v", l)
		}
		var there []codeAction // where other editors put the cursor
		w.call("textDocument/codeAction", obj{"textDocument": obj{"uri": u}, "range": obj{"start": end, "end": end}, "context": obj{"diagnostics": []any{}}}, &there)
		if len(there) == 0 || there[0].Kind != "quickfix.emendo.permission" {
			t.Errorf("behind the line there are %+v", there)
		}
		w.choose(u, "return 2", "Allow once")
		w.advance()
		if w.ran() != "touch a" {
			t.Errorf("ran %q", w.ran())
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
	play(t, lsptest.Recorded("helix"), []modeltest.Reply{ask, say("Done.")}, func(w *world) {
		u := w.asking("Delete the old file?")
		var stale codeAction
		for _, a := range w.actions(u, "return 2", nil) {
			if a.Title == "Yes" {
				stale = a
			}
		}
		w.choose(u, "return 2", "Yes")
		w.advance()
		w.refused(w.e.Call(w.Context(), "workspace/executeCommand", obj{"command": stale.Command.Command, "arguments": stale.Command.Arguments}, nil), rpc.InvalidParams, "")
		if l := w.warnings(u); len(l) != 1 || !strings.Contains(l[0].Message, "Delete the new one?") {
			t.Fatalf("the second question is shown as %+v", l)
		}
		w.choose(u, "return 2", "Decide later") // an option of the model's question
		w.advance()
		l := w.model.Requests()
		last := l[len(l)-1].Messages
		r, ok := last[len(last)-1].Parts[0].(model.Result)
		if !ok || !strings.Contains(r.Output, `"0":"Yes","1":"Decide later"`) {
			t.Errorf("the model got %+v", last[len(last)-1])
		}
	})
}
