package lsp_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/internal/rpc"
	"github.com/emendo-dev/emendo/lsp/lsptest"
)

func TestCommandRespondsAtOnceAndReportsItsEnd(t *testing.T) {
	play(t, lsptest.Recorded("helix"), []modeltest.Reply{{modeltest.Pause(60e9), modeltest.Say("It adds.")}}, func(w *world) {
		u := w.open()
		w.typed(u, "return 1", "return 1 // unsaved-8")
		var r struct{ SessionID, TurnID string }
		w.command("emendo.explain", obj{"uri": u, "range": w.rangeOf(u, "return 1 // unsaved-8")}, &r)
		if r.SessionID == "" || r.TurnID == "" || len(w.e.Seen().Messages) != 0 {
			t.Errorf("got %+v, messages %q", r, w.e.Seen().Messages)
		}
		if !strings.Contains(w.request(0), "unsaved-8") || !strings.Contains(w.request(0), "main.go, line 3") {
			t.Errorf("the model got %s", w.request(0))
		}
		for range 61 {
			w.advance()
		}
		if l := w.messages(); len(l) != 1 || l[0] != "It adds." {
			t.Errorf("messages %q", l)
		}
		p := w.e.Seen().Progress
		if len(p) < 2 || p[0].Value.Kind != "begin" || !p[0].Value.Cancellable || p[len(p)-1].Value.Kind != "end" {
			t.Errorf("progress %+v", p)
		}
	})
}

func TestCommandsWithoutArgumentsActOnTheFocus(t *testing.T) {
	for _, command := range []string{"explain", "fix", "edit", "test", "document", "review"} {
		t.Run(command, func(t *testing.T) {
			play(t, lsptest.Recorded("helix"), []modeltest.Reply{say("Done.")}, func(w *world) {
				w.refused(w.e.Command(w.Context(), "emendo."+command, nil, nil), rpc.RequestFailed, `"failed"`)
				u := w.open()
				w.typed(u, "return 2", "return 2 // here-5")
				w.command("emendo."+command, nil, nil)
				w.advance()
				if !strings.Contains(w.request(0), "here-5") || !strings.Contains(w.request(0), "around line 9") {
					t.Errorf("the model got %s", w.request(0))
				}
			})
		})
	}
}

// emendo.ask without a question asks nothing, and says how to ask.
func TestAskNeedsAQuestion(t *testing.T) {
	play(t, lsptest.Recorded("helix"), nil, func(w *world) {
		u := w.open()
		w.typed(u, "return 2", "return 2 // here-5")
		for _, args := range []any{nil, obj{"prompt": " \n"}, obj{"uri": u}} {
			err := w.e.Command(w.Context(), "emendo.ask", args, nil)
			w.refused(err, rpc.RequestFailed, `"failed"`)
			if err == nil || !strings.Contains(err.Error(), "Send the selected text to emendo") {
				t.Errorf("the error is %v", err)
			}
		}
		if n := len(w.model.Requests()); n != 0 {
			t.Errorf("the model got %d requests", n)
		}
	})
}

func TestCommandsListChoices(t *testing.T) {
	for _, c := range []struct{ command, want string }{
		{"setMode", "auto_edit"}, {"setModel", "emendo.setModel"}, {"trust", "is trusted"}, {"permission", "no open questions"}, {"showLog", "log"}, {"rewind", "no session"}, {"putBack", "no session"},
	} {
		t.Run(c.command, func(t *testing.T) {
			play(t, lsptest.Recorded("helix"), nil, func(w *world) {
				w.command("emendo."+c.command, nil, nil)
				if l := w.e.Seen().Messages; len(l) != 1 || !strings.Contains(l[0], c.want) {
					t.Errorf("messages %q", l)
				}
			})
		})
	}
}

func TestCommandsOfTheCurrentSession(t *testing.T) {
	play(t, lsptest.Recorded("helix"), []modeltest.Reply{say("One."), say("Two."), say("Three."), say("Four.")}, func(w *world) {
		type session struct {
			Session struct{ SessionID, Mode, Model string }
		}
		type start struct{ SessionID, TurnID string }
		var made, mode session
		var one, two, three, four start
		w.command("emendo.newSession", nil, &made)
		w.command("emendo.setMode", obj{"mode": "plan"}, &mode)
		if mode.Session.SessionID != made.Session.SessionID || mode.Session.Mode != "plan" {
			t.Errorf("got %+v", mode)
		}
		w.command("emendo.setModel", obj{"model": "other"}, &mode)
		if mode.Session.Model != "other" {
			t.Errorf("got %+v", mode)
		}
		w.command("emendo.ask", obj{"prompt": "a"}, &one)
		w.advance()
		w.command("emendo.ask", obj{"prompt": "b"}, &two)
		w.advance()
		w.command("emendo.newSession", nil, &made)
		w.command("emendo.ask", obj{"prompt": "c", "sessionId": one.SessionID}, &three)
		w.advance()
		w.command("emendo.newSession", nil, &made)
		u := w.open()
		w.command("emendo.explain", obj{"uri": u, "range": w.rangeOf(u, "return 1"), "sessionId": one.SessionID}, &four)
		w.advance()
		if four.SessionID != one.SessionID {
			t.Errorf("the code was explained in %+v, want %+v", four, one)
		}
		if two.SessionID != one.SessionID || three.SessionID != one.SessionID || made.Session.SessionID == one.SessionID || two.TurnID == one.TurnID {
			t.Errorf("got %+v, %+v, %+v, made %+v", one, two, three, made)
		}
	})
}

func TestProgressCancelsItsTurn(t *testing.T) {
	play(t, lsptest.Recorded("helix"), []modeltest.Reply{{forever}, say("Next.")}, func(w *world) {
		w.command("emendo.ask", obj{"prompt": "Long"}, nil)
		p := w.e.Seen().Progress
		if len(p) == 0 {
			t.Fatal("no progress")
		}
		w.notify("window/workDoneProgress/cancel", obj{"token": p[0].Token})
		if p = w.e.Seen().Progress; p[len(p)-1].Value.Kind != "end" || p[len(p)-1].Value.Message != "Cancelled" {
			t.Errorf("progress %+v", p)
		}
		w.command("emendo.ask", obj{"prompt": "Again"}, nil)
		w.advance()
		if l := w.messages(); len(l) != 1 || l[0] != "Next." {
			t.Errorf("messages %q", l)
		}
	})
}

func TestFailuresOfCommands(t *testing.T) {
	play(t, lsptest.Recorded("helix"), []modeltest.Reply{{modeltest.Fail(model.Quota)}}, func(w *world) {
		w.command("emendo.ask", obj{"prompt": "Hi"}, nil)
		w.advance()
		if l := w.e.Seen().Messages; len(l) != 1 || !strings.Contains(l[0], "quota") {
			t.Errorf("messages %q", l)
		}
		w.noKey = true
		w.refused(w.e.Command(w.Context(), "emendo.ask", obj{"prompt": "Hi"}, nil), rpc.RequestFailed, "auth_required")
		w.refused(w.e.Command(w.Context(), "emendo.ask", obj{"prompt": "Hi", "sessionId": "nope"}, nil), rpc.RequestFailed, "unknown_session")
		w.refused(w.e.Command(w.Context(), "emendo.reject", nil, nil), rpc.RequestFailed, `"failed"`)
	})
}

func TestTrustLiftsTheRestriction(t *testing.T) {
	w := newWorld(t, nil)
	w.trusted = map[string]bool{}
	inBubble(t, w, func() {
		w.start(plugin)
		last := func() lsptest.Status { l := w.e.Seen().Statuses; return l[len(l)-1] }
		if s := last(); s.Kind != "restricted" || s.Command == nil || s.Command.Command != "emendo.trust" {
			t.Errorf("got %+v", s)
		}
		id := w.session(nil)
		w.refused(w.e.Call(w.Context(), "emendo/session/setMode", obj{"sessionId": id, "mode": "yolo"}, nil), rpc.RequestFailed, "untrusted_workspace")
		w.command("emendo.trust", obj{"uri": w.uri("")}, nil)
		if s := last(); s.Kind != "ready" {
			t.Errorf("got %+v", s)
		}
		w.call("emendo/session/setMode", obj{"sessionId": id, "mode": "yolo"}, nil)
		w.end()
	})
}

func TestStatusFollowsTheTurn(t *testing.T) {
	play(t, plugin, []modeltest.Reply{twoHunks(), say("Done.")}, func(w *world) {
		w.open()
		wait := w.prompting(w.Context(), w.session(nil), "Change it")
		var kinds []string
		for _, s := range w.e.Seen().Statuses {
			if len(kinds) == 0 || kinds[len(kinds)-1] != s.Kind {
				kinds = append(kinds, s.Kind)
			}
		}
		l := w.e.Seen().Statuses
		if strings.Join(kinds, " ") != "ready busy" || l[len(l)-1].PendingHunks != 2 || l[len(l)-1].Mode != "default" {
			t.Errorf("got %v, %+v", kinds, l[len(l)-1])
		}
		w.command("emendo.rejectAll", nil, nil)
		if _, err := wait(); err != nil {
			t.Error(err)
		}
		w.advance()
		if l := w.e.Seen().Statuses; l[len(l)-1].Kind != "ready" || l[len(l)-1].PendingHunks != 0 {
			t.Errorf("got %+v", l[len(l)-1])
		}
	})
}

// The status and commands without a session do not reopen a closed one.
func TestClosedSessionIsReleased(t *testing.T) {
	play(t, plugin, []modeltest.Reply{say("One."), say("Two.")}, func(w *world) {
		id := w.session(nil)
		w.prompt(id, "one")
		w.call("emendo/session/close", obj{"sessionId": id}, nil)
		l := w.e.Seen().Statuses
		if last := l[len(l)-1]; last.SessionID != "" {
			t.Errorf("the status is of %+v", last)
		}
		var r struct{ SessionID string }
		w.command("emendo.ask", obj{"prompt": "two"}, &r)
		if r.SessionID == id || r.SessionID == "" {
			t.Errorf("the command continued session %q", r.SessionID)
		}
		w.advance()
	})
}

func TestCommandsWorkAfterAnotherProcessDeletesTheSession(t *testing.T) {
	play(t, lsptest.Recorded("helix"), []modeltest.Reply{say("One."), say("Two.")}, func(w *world) {
		w.command("emendo.ask", obj{"prompt": "one"}, nil)
		w.advance()
		if err := os.RemoveAll(w.dir + "/.state"); err != nil {
			t.Fatal(err)
		}
		w.refused(w.e.Command(w.Context(), "emendo.ask", obj{"prompt": "lost"}, nil), rpc.RequestFailed, "unknown_session")
		w.command("emendo.ask", obj{"prompt": "two"}, nil)
		w.advance()
		if l := w.messages(); len(l) != 3 || !strings.Contains(l[1], "unknown session") || l[2] != "Two." {
			t.Errorf("messages %q", l)
		}
	})
}

func TestFoldersAreAddedAndRemoved(t *testing.T) {
	other := t.TempDir()
	play(t, plugin, nil, func(w *world) {
		w.notify("workspace/didChangeWorkspaceFolders", obj{"event": obj{"added": []obj{{"uri": "file://" + other, "name": "o"}}, "removed": []obj{}}})
		var r struct{ Session struct{ Roots []string } }
		w.call("emendo/session/new", nil, &r)
		if len(r.Session.Roots) != 2 {
			t.Errorf("roots %v", r.Session.Roots)
		}
		w.notify("workspace/didChangeWorkspaceFolders", obj{"event": obj{"added": []obj{}, "removed": []obj{{"uri": "file://" + other, "name": "o"}}}})
		w.call("emendo/session/new", nil, &r)
		if len(r.Session.Roots) != 1 {
			t.Errorf("roots %v", r.Session.Roots)
		}
	})
}

func TestAddedFolderJoinsTheSession(t *testing.T) {
	other, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	play(t, plugin, []modeltest.Reply{say("One."), say("Two.")}, func(w *world) {
		w.trusted[other] = true
		var r struct {
			Session struct {
				SessionID string
				Roots     []string
			}
		}
		w.call("emendo/session/new", nil, &r)
		ask := obj{"sessionId": r.Session.SessionID, "prompt": []obj{{"type": "text", "text": "look"}}}
		w.call("emendo/session/prompt", ask, nil)
		w.notify("workspace/didChangeWorkspaceFolders", obj{"event": obj{"added": []obj{{"uri": "file://" + other, "name": "o"}}, "removed": []obj{}}})
		w.call("emendo/session/prompt", ask, nil)
		rs := w.model.Requests()
		if text := fmt.Sprint(rs[len(rs)-1].Messages); !strings.Contains(text, "Workspace folders: "+r.Session.Roots[0]+", "+other) {
			t.Errorf("the model got %s", text)
		}
	})
}

// Helix 25.01 passes no arguments to commands: the user writes a question into the
// file and selects it.
func TestSelectedTextIsThePrompt(t *testing.T) {
	play(t, lsptest.Recorded("helix"), []modeltest.Reply{say("It counts.")}, func(w *world) {
		w.write("ask.go", "package main\n\n// Why is this 2?\n")
		u := w.uri("ask.go")
		w.e.Open(u, "package main\n\n// Why is this 2?\n")
		synctest.Wait()
		w.runAction(u, "// Why is this 2?\n", "source.emendo.ask")
		w.advance()
		if asked := w.request(0); !strings.Contains(asked, "// Why is this 2?") || !strings.Contains(asked, "ask.go") {
			t.Errorf("the model got %s", asked)
		}
		w.refused(w.e.Command(w.Context(), "emendo.ask", obj{"selected": true}, nil), rpc.InvalidParams, "")
	})
}

// vim-lsp shows no information messages unless its user asks for them, so answers and
// where the conversation is are warnings there.
func TestAnswersAreShownWhereTheEditorShowsWarningsAlone(t *testing.T) {
	plain := lsptest.Recorded("helix")
	for name, want := range map[string][]int{"vim-lsp": {2, 2}, "another": {3, 3}} {
		play(t, plain.Of(name), []modeltest.Reply{say("Because.")}, func(w *world) {
			w.command("emendo.ask", obj{"prompt": "Why?"}, nil)
			w.advance()
			w.command("emendo.chat", nil, nil)
			w.advance()
			seen := w.e.Seen()
			if !slices.Equal(seen.Severities, want) || !strings.HasPrefix(seen.Messages[0], "Because.") || !strings.HasPrefix(seen.Messages[1], "The conversation is in ") {
				t.Errorf("%s: severities %v, want %v; messages %q", name, seen.Severities, want, seen.Messages)
			}
		})
	}
}

// Helix writes the errors of commands to its log, where nobody looks.
func TestErrorsOfCommandsAreShownWhereTheEditorHidesThem(t *testing.T) {
	for name, want := range map[string]string{"helix": "emendo: no chat document is open: emendo.chat opens one", "eglot": ""} {
		play(t, lsptest.Recorded(name), nil, func(w *world) {
			w.open()
			if err := w.e.Command(w.Context(), "emendo.send", nil, nil); err == nil {
				t.Error("it is no error")
			}
			w.advance()
			if got := strings.Join(w.e.Seen().Messages, "\n"); got != want {
				t.Errorf("%s: messages %q, want %q", name, got, want)
			}
		})
	}
}
