package command_test

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
	"github.com/emendo-dev/emendo/lsp/worldtest"
)

func TestCommandRespondsAtOnceAndReportsItsEnd(t *testing.T) {
	play(t, lsptest.Recorded("helix"), []modeltest.Reply{{modeltest.Pause(60e9), modeltest.Say("It adds.")}}, func(w *world) {
		u := w.Open()
		w.Typed(u, "return 1", "return 1 // unsaved-8")
		var r struct{ SessionID, TurnID string }
		w.Command("emendo.explain", worldtest.Obj{"uri": u, "range": w.RangeOf(u, "return 1 // unsaved-8")}, &r)
		if r.SessionID == "" || r.TurnID == "" || len(w.Editor.Seen().Messages) != 0 {
			t.Errorf("got %+v, messages %q", r, w.Editor.Seen().Messages)
		}
		if !strings.Contains(w.Request(0), "unsaved-8") || !strings.Contains(w.Request(0), "main.go, line 3") {
			t.Errorf("the model got %s", w.Request(0))
		}
		for range 61 {
			w.Advance()
		}
		if l := w.Messages(); len(l) != 1 || l[0] != "It adds." {
			t.Errorf("messages %q", l)
		}
		p := w.Editor.Seen().Progress
		if len(p) < 2 || p[0].Value.Kind != "begin" || !p[0].Value.Cancellable || p[len(p)-1].Value.Kind != "end" {
			t.Errorf("progress %+v", p)
		}
	})
}

func TestCommandsWithoutArgumentsActOnTheFocus(t *testing.T) {
	for _, command := range []string{"explain", "fix", "edit", "test", "document", "review"} {
		t.Run(command, func(t *testing.T) {
			play(t, lsptest.Recorded("helix"), []modeltest.Reply{worldtest.Say("Done.")}, func(w *world) {
				w.Refused(w.Editor.Command(w.Context(), "emendo."+command, nil, nil), rpc.RequestFailed, `"failed"`)
				u := w.Open()
				w.Typed(u, "return 2", "return 2 // here-5")
				w.Command("emendo."+command, nil, nil)
				w.Advance()
				if !strings.Contains(w.Request(0), "here-5") || !strings.Contains(w.Request(0), "around line 9") {
					t.Errorf("the model got %s", w.Request(0))
				}
			})
		})
	}
}

// emendo.ask without a question asks nothing, and says how to ask.
func TestAskNeedsAQuestion(t *testing.T) {
	play(t, lsptest.Recorded("helix"), nil, func(w *world) {
		u := w.Open()
		w.Typed(u, "return 2", "return 2 // here-5")
		for _, args := range []any{nil, worldtest.Obj{"prompt": " \n"}, worldtest.Obj{"uri": u}} {
			err := w.Editor.Command(w.Context(), "emendo.ask", args, nil)
			w.Refused(err, rpc.RequestFailed, `"failed"`)
			if err == nil || !strings.Contains(err.Error(), "Send the selected text to emendo") {
				t.Errorf("the error is %v", err)
			}
		}
		if n := len(w.Model.Requests()); n != 0 {
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
				w.Command("emendo."+c.command, nil, nil)
				if l := w.Editor.Seen().Messages; len(l) != 1 || !strings.Contains(l[0], c.want) {
					t.Errorf("messages %q", l)
				}
			})
		})
	}
}

func TestCommandsOfTheCurrentSession(t *testing.T) {
	play(t, lsptest.Recorded("helix"), []modeltest.Reply{worldtest.Say("One."), worldtest.Say("Two."), worldtest.Say("Three."), worldtest.Say("Four.")}, func(w *world) {
		type session struct {
			Session struct{ SessionID, Mode, Model string }
		}
		type start struct{ SessionID, TurnID string }
		var made, mode session
		var one, two, three, four start
		w.Command("emendo.newSession", nil, &made)
		w.Command("emendo.setMode", worldtest.Obj{"mode": "plan"}, &mode)
		if mode.Session.SessionID != made.Session.SessionID || mode.Session.Mode != "plan" {
			t.Errorf("got %+v", mode)
		}
		w.Command("emendo.setModel", worldtest.Obj{"model": "other"}, &mode)
		if mode.Session.Model != "other" {
			t.Errorf("got %+v", mode)
		}
		w.Command("emendo.ask", worldtest.Obj{"prompt": "a"}, &one)
		w.Advance()
		w.Command("emendo.ask", worldtest.Obj{"prompt": "b"}, &two)
		w.Advance()
		w.Command("emendo.newSession", nil, &made)
		w.Command("emendo.ask", worldtest.Obj{"prompt": "c", "sessionId": one.SessionID}, &three)
		w.Advance()
		w.Command("emendo.newSession", nil, &made)
		u := w.Open()
		w.Command("emendo.explain", worldtest.Obj{"uri": u, "range": w.RangeOf(u, "return 1"), "sessionId": one.SessionID}, &four)
		w.Advance()
		if four.SessionID != one.SessionID {
			t.Errorf("the code was explained in %+v, want %+v", four, one)
		}
		if two.SessionID != one.SessionID || three.SessionID != one.SessionID || made.Session.SessionID == one.SessionID || two.TurnID == one.TurnID {
			t.Errorf("got %+v, %+v, %+v, made %+v", one, two, three, made)
		}
	})
}

func TestProgressCancelsItsTurn(t *testing.T) {
	play(t, lsptest.Recorded("helix"), []modeltest.Reply{{worldtest.Forever}, worldtest.Say("Next.")}, func(w *world) {
		w.Command("emendo.ask", worldtest.Obj{"prompt": "Long"}, nil)
		p := w.Editor.Seen().Progress
		if len(p) == 0 {
			t.Fatal("no progress")
		}
		w.Notify("window/workDoneProgress/cancel", worldtest.Obj{"token": p[0].Token})
		if p = w.Editor.Seen().Progress; p[len(p)-1].Value.Kind != "end" || p[len(p)-1].Value.Message != "Cancelled" {
			t.Errorf("progress %+v", p)
		}
		w.Command("emendo.ask", worldtest.Obj{"prompt": "Again"}, nil)
		w.Advance()
		if l := w.Messages(); len(l) != 1 || l[0] != "Next." {
			t.Errorf("messages %q", l)
		}
	})
}

func TestFailuresOfCommands(t *testing.T) {
	play(t, lsptest.Recorded("helix"), []modeltest.Reply{{modeltest.Fail(model.Quota)}}, func(w *world) {
		w.Command("emendo.ask", worldtest.Obj{"prompt": "Hi"}, nil)
		w.Advance()
		if l := w.Editor.Seen().Messages; len(l) != 1 || !strings.Contains(l[0], "quota") {
			t.Errorf("messages %q", l)
		}
		w.NoKey = true
		w.Refused(w.Editor.Command(w.Context(), "emendo.ask", worldtest.Obj{"prompt": "Hi"}, nil), rpc.RequestFailed, "auth_required")
		w.Refused(w.Editor.Command(w.Context(), "emendo.ask", worldtest.Obj{"prompt": "Hi", "sessionId": "nope"}, nil), rpc.RequestFailed, "unknown_session")
		w.Refused(w.Editor.Command(w.Context(), "emendo.reject", nil, nil), rpc.RequestFailed, `"failed"`)
	})
}

func TestTrustLiftsTheRestriction(t *testing.T) {
	w := newWorld(t, nil)
	w.Trusted = map[string]bool{}
	inBubble(t, w, func() {
		w.Start(worldtest.Plugin)
		last := func() lsptest.Status { l := w.Editor.Seen().Statuses; return l[len(l)-1] }
		if s := last(); s.Kind != "restricted" || s.Command == nil || s.Command.Command != "emendo.trust" {
			t.Errorf("got %+v", s)
		}
		id := w.Session(nil)
		w.Refused(w.Editor.Call(w.Context(), "emendo/session/setMode", worldtest.Obj{"sessionId": id, "mode": "yolo"}, nil), rpc.RequestFailed, "untrusted_workspace")
		w.Command("emendo.trust", worldtest.Obj{"uri": w.URI("")}, nil)
		if s := last(); s.Kind != "ready" {
			t.Errorf("got %+v", s)
		}
		w.Call("emendo/session/setMode", worldtest.Obj{"sessionId": id, "mode": "yolo"}, nil)
		w.End()
	})
}

func TestStatusFollowsTheTurn(t *testing.T) {
	play(t, worldtest.Plugin, []modeltest.Reply{worldtest.TwoHunks(), worldtest.Say("Done.")}, func(w *world) {
		w.Open()
		wait := w.Prompting(w.Context(), w.Session(nil), "Change it")
		var kinds []string
		for _, s := range w.Editor.Seen().Statuses {
			if len(kinds) == 0 || kinds[len(kinds)-1] != s.Kind {
				kinds = append(kinds, s.Kind)
			}
		}
		l := w.Editor.Seen().Statuses
		if strings.Join(kinds, " ") != "ready busy" || l[len(l)-1].PendingHunks != 2 || l[len(l)-1].Mode != "default" {
			t.Errorf("got %v, %+v", kinds, l[len(l)-1])
		}
		w.Command("emendo.rejectAll", nil, nil)
		if _, err := wait(); err != nil {
			t.Error(err)
		}
		w.Advance()
		if l := w.Editor.Seen().Statuses; l[len(l)-1].Kind != "ready" || l[len(l)-1].PendingHunks != 0 {
			t.Errorf("got %+v", l[len(l)-1])
		}
	})
}

// The status and commands without a session do not reopen a closed one.
func TestClosedSessionIsReleased(t *testing.T) {
	play(t, worldtest.Plugin, []modeltest.Reply{worldtest.Say("One."), worldtest.Say("Two.")}, func(w *world) {
		id := w.Session(nil)
		w.Prompt(id, "one")
		w.Call("emendo/session/close", worldtest.Obj{"sessionId": id}, nil)
		l := w.Editor.Seen().Statuses
		if last := l[len(l)-1]; last.SessionID != "" {
			t.Errorf("the status is of %+v", last)
		}
		var r struct{ SessionID string }
		w.Command("emendo.ask", worldtest.Obj{"prompt": "two"}, &r)
		if r.SessionID == id || r.SessionID == "" {
			t.Errorf("the command continued session %q", r.SessionID)
		}
		w.Advance()
	})
}

func TestCommandsWorkAfterAnotherProcessDeletesTheSession(t *testing.T) {
	play(t, lsptest.Recorded("helix"), []modeltest.Reply{worldtest.Say("One."), worldtest.Say("Two.")}, func(w *world) {
		w.Command("emendo.ask", worldtest.Obj{"prompt": "one"}, nil)
		w.Advance()
		if err := os.RemoveAll(w.Dir + "/.state"); err != nil {
			t.Fatal(err)
		}
		w.Refused(w.Editor.Command(w.Context(), "emendo.ask", worldtest.Obj{"prompt": "lost"}, nil), rpc.RequestFailed, "unknown_session")
		w.Command("emendo.ask", worldtest.Obj{"prompt": "two"}, nil)
		w.Advance()
		if l := w.Messages(); len(l) != 3 || !strings.Contains(l[1], "unknown session") || l[2] != "Two." {
			t.Errorf("messages %q", l)
		}
	})
}

func TestFoldersAreAddedAndRemoved(t *testing.T) {
	other := t.TempDir()
	play(t, worldtest.Plugin, nil, func(w *world) {
		w.Notify("workspace/didChangeWorkspaceFolders", worldtest.Obj{"event": worldtest.Obj{"added": []worldtest.Obj{{"uri": "file://" + other, "name": "o"}}, "removed": []worldtest.Obj{}}})
		var r struct{ Session struct{ Roots []string } }
		w.Call("emendo/session/new", nil, &r)
		if len(r.Session.Roots) != 2 {
			t.Errorf("roots %v", r.Session.Roots)
		}
		w.Notify("workspace/didChangeWorkspaceFolders", worldtest.Obj{"event": worldtest.Obj{"added": []worldtest.Obj{}, "removed": []worldtest.Obj{{"uri": "file://" + other, "name": "o"}}}})
		w.Call("emendo/session/new", nil, &r)
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
	play(t, worldtest.Plugin, []modeltest.Reply{worldtest.Say("One."), worldtest.Say("Two.")}, func(w *world) {
		w.Trusted[other] = true
		var r struct {
			Session struct {
				SessionID string
				Roots     []string
			}
		}
		w.Call("emendo/session/new", nil, &r)
		ask := worldtest.Obj{"sessionId": r.Session.SessionID, "prompt": []worldtest.Obj{{"type": "text", "text": "look"}}}
		w.Call("emendo/session/prompt", ask, nil)
		w.Notify("workspace/didChangeWorkspaceFolders", worldtest.Obj{"event": worldtest.Obj{"added": []worldtest.Obj{{"uri": "file://" + other, "name": "o"}}, "removed": []worldtest.Obj{}}})
		w.Call("emendo/session/prompt", ask, nil)
		rs := w.Model.Requests()
		if text := fmt.Sprint(rs[len(rs)-1].Messages); !strings.Contains(text, "Workspace folders: "+r.Session.Roots[0]+", "+other) {
			t.Errorf("the model got %s", text)
		}
	})
}

// Helix 25.01 passes no arguments to commands: the user writes a question into the
// file and selects it.
func TestSelectedTextIsThePrompt(t *testing.T) {
	play(t, lsptest.Recorded("helix"), []modeltest.Reply{worldtest.Say("It counts.")}, func(w *world) {
		w.Write("ask.go", "package main\n\n// Why is this 2?\n")
		u := w.URI("ask.go")
		w.Editor.Open(u, "package main\n\n// Why is this 2?\n")
		synctest.Wait()
		w.RunAction(u, "// Why is this 2?\n", "source.emendo.ask")
		w.Advance()
		if asked := w.Request(0); !strings.Contains(asked, "// Why is this 2?") || !strings.Contains(asked, "ask.go") {
			t.Errorf("the model got %s", asked)
		}
		w.Refused(w.Editor.Command(w.Context(), "emendo.ask", worldtest.Obj{"selected": true}, nil), rpc.InvalidParams, "")
	})
}

// vim-lsp shows no information messages unless its user asks for them, so answers and
// where the conversation is are warnings there.
func TestAnswersAreShownWhereTheEditorShowsWarningsAlone(t *testing.T) {
	plain := lsptest.Recorded("helix")
	for name, want := range map[string][]int{"vim-lsp": {2, 2}, "another": {3, 3}} {
		play(t, plain.Of(name), []modeltest.Reply{worldtest.Say("Because.")}, func(w *world) {
			w.Command("emendo.ask", worldtest.Obj{"prompt": "Why?"}, nil)
			w.Advance()
			w.Command("emendo.chat", nil, nil)
			w.Advance()
			seen := w.Editor.Seen()
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
			w.Open()
			if err := w.Editor.Command(w.Context(), "emendo.send", nil, nil); err == nil {
				t.Error("it is no error")
			}
			w.Advance()
			if got := strings.Join(w.Editor.Seen().Messages, "\n"); got != want {
				t.Errorf("%s: messages %q, want %q", name, got, want)
			}
		})
	}
}
