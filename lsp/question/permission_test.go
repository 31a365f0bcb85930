package question_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/internal/sandbox/sandboxtest"
	"github.com/emendo-dev/emendo/lsp/lsptest"
	"github.com/emendo-dev/emendo/lsp/worldtest"
)

func TestPluginIsAskedBeforeACommand(t *testing.T) {
	for _, c := range []struct {
		name string
		ask  func(context.Context, lsptest.Question) (any, error)
		ran  string
	}{
		{"allowed once", func(context.Context, lsptest.Question) (any, error) { return lsptest.Selected("allow_once"), nil }, "touch a && touch b"},
		{"refused", func(context.Context, lsptest.Question) (any, error) {
			return worldtest.Obj{"outcome": "selected", "optionId": "reject_once", "feedback": "use-b-12"}, nil
		}, ""},
		{"cancelled", func(context.Context, lsptest.Question) (any, error) {
			return worldtest.Obj{"outcome": "cancelled"}, nil
		}, ""},
		{"answered with an error", func(context.Context, lsptest.Question) (any, error) { return nil, errors.New("no") }, ""},
		{"answered with what was not offered", func(context.Context, lsptest.Question) (any, error) { return lsptest.Selected("maybe"), nil }, ""},
		{"answered with null", func(context.Context, lsptest.Question) (any, error) { return nil, nil }, ""},
		{"answered with another shape", func(context.Context, lsptest.Question) (any, error) {
			return worldtest.Obj{"outcome": worldtest.Obj{}}, nil
		}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			play(t, worldtest.Plugin, []modeltest.Reply{worldtest.Run("touch a && touch b"), worldtest.Say("Done.")}, func(w *world) {
				w.Spawn.Scripts = map[string]sandboxtest.Script{"touch a && touch b": sandboxtest.Print("made\n", 0)}
				w.Editor.Ask = c.ask
				u := w.Open()
				w.Typed(u, "one", "uno")
				if end := w.Prompt(w.Session(nil), "Run"); end.StopReason != "end_turn" {
					t.Errorf("got %+v", end)
				}
				if code := w.Editor.Seen().ExitCodes(); c.ran != "" && !slices.Equal(code, []int{0}) {
					t.Errorf("exit codes %v", code)
				}
				if w.Ran() != c.ran {
					t.Errorf("ran %q, want %q", w.Ran(), c.ran)
				}
				qs := w.Editor.Seen().Questions
				if len(qs) != 1 {
					t.Fatalf("%d questions", len(qs))
				}
				if why := qs[0].ToolCall.Meta.Emendo.Reason; why != "No rule allows the command. There is no sandbox for commands here, so each needs approval." {
					t.Errorf("asked for the reason %q", why)
				}
				if l := qs[0].Preview.Commands; len(l) != 2 || l[0].Text != "touch a" || l[0].Decision != "ask" || l[1].Text != "touch b" {
					t.Errorf("asked about the parts %+v", l)
				}
				if p := qs[0].Preview; p.Command != "touch a && touch b" || p.Cwd != w.Dir || len(p.Parsed) != 2 || len(p.Unsaved) != 1 || p.Unsaved[0] != u {
					t.Errorf("preview %+v", p)
				}
				if c.name == "refused" && !strings.Contains(w.Request(1), "use-b-12") {
					t.Error("the feedback did not reach the model")
				}
			})
		})
	}
}

func TestPlainClientIsAskedByAMessage(t *testing.T) {
	for _, c := range []struct {
		choose, ran string
	}{
		{"Allow once", "touch a"}, {"Deny", ""}, {"Always allow exactly this command in this session", "touch a; touch a"}, {"", ""},
	} {
		t.Run("choosing "+c.choose, func(t *testing.T) {
			replies := []modeltest.Reply{worldtest.Run("touch a"), worldtest.Say("Done.")}
			if strings.Contains(c.choose, "lways") {
				replies = []modeltest.Reply{worldtest.Run("touch a"), worldtest.Run("touch a"), worldtest.Say("Done.")}
			}
			play(t, lsptest.Recorded("neovim"), replies, func(w *world) {
				w.Spawn.Scripts = map[string]sandboxtest.Script{"touch a": sandboxtest.Print("", 0)}
				w.Editor.Choose = func(context.Context, string, []string) string { return c.choose }
				w.Command("emendo.ask", worldtest.Obj{"prompt": "Run"}, nil)
				w.Advance()
				if w.Ran() != c.ran {
					t.Errorf("ran %q, want %q", w.Ran(), c.ran)
				}
				if l := w.Editor.Seen().Requests; len(l) != 1 || !strings.Contains(l[0], "touch a") || !strings.Contains(l[0], w.Dir) {
					t.Errorf("asked %q", l)
				}
			})
		})
	}
}

func TestClientWithoutQuestionsGetsAMessage(t *testing.T) {
	play(t, lsptest.Recorded("helix"), []modeltest.Reply{worldtest.Run("touch a"), worldtest.Say("Done.")}, func(w *world) {
		w.Command("emendo.ask", worldtest.Obj{"prompt": "Run"}, nil)
		w.Advance()
		l := w.Messages()
		if w.Ran() != "" || len(l) != 2 || !strings.Contains(l[0], "touch a") || l[1] != "Done." {
			t.Errorf("ran %q, messages %q", w.Ran(), l)
		}
	})
}

func TestOpenQuestionIsWithdrawn(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(w *world, id string)
		ran  string
		stop string
	}{
		{"when the turn is cancelled", func(w *world, id string) { w.Notify("emendo/session/cancel", worldtest.Obj{"sessionId": id}) }, "", "cancelled"},
		{"when the call is cancelled", func(w *world, id string) {
			w.Notify("emendo/session/cancel", worldtest.Obj{"sessionId": id, "toolCallId": w.Editor.Seen().Questions[0].ToolCall.ToolCallID})
		}, "", "end_turn"},
		{"when a command answers it", func(w *world, id string) {
			w.Command("emendo.permission", nil, nil)
			call := w.Editor.Seen().Questions[0].ToolCall.ToolCallID
			w.Command("emendo.permission", worldtest.Obj{"sessionId": id, "toolCallId": call, "optionId": "allow_once"}, nil)
		}, "touch a", "end_turn"},
	} {
		t.Run(c.name, func(t *testing.T) {
			play(t, worldtest.Plugin, []modeltest.Reply{worldtest.Run("touch a"), worldtest.Say("Done.")}, func(w *world) {
				w.Spawn.Scripts = map[string]sandboxtest.Script{"touch a": sandboxtest.Print("", 0)}
				w.Editor.Ask = func(ctx context.Context, _ lsptest.Question) (any, error) {
					<-ctx.Done()
					return lsptest.Selected("allow_once"), nil // too late
				}
				id := w.Session(nil)
				wait := w.Prompting(w.Context(), id, "Run")
				c.do(w, id)
				if end, err := wait(); err != nil || end.StopReason != c.stop {
					t.Errorf("got %+v, %v", end, err)
				}
				if w.Ran() != c.ran || w.Editor.Seen().Withdrawn != 1 {
					t.Errorf("ran %q, %d withdrawn", w.Ran(), w.Editor.Seen().Withdrawn)
				}
			})
		})
	}
}

func TestEditNeedsApprovalWithoutReview(t *testing.T) {
	p := worldtest.Plugin.With("experimental.emendo.changes", false)
	for _, c := range []struct {
		choose string
		want   string
		mode   string
	}{
		{"allow_once", "accepted accepted", "default"}, {"reject_once", "rejected rejected", "default"}, {"allow_always", "accepted accepted", "auto_edit"},
	} {
		t.Run(c.choose, func(t *testing.T) {
			play(t, p, []modeltest.Reply{worldtest.TwoHunks(), worldtest.Say("Done.")}, func(w *world) {
				w.Editor.Ask = func(context.Context, lsptest.Question) (any, error) {
					us := w.Editor.Seen().Updates
					if last := us[len(us)-1]; !strings.Contains(string(last.Update), `"diff"`) {
						t.Errorf("the question came before the diff, after %s", last.Update)
					}
					return lsptest.Selected(c.choose), nil
				}
				w.Open()
				id := w.Session(nil)
				w.Prompt(id, "Change it")
				qs := w.Editor.Seen().Questions
				if len(qs) != 1 || qs[0].Preview.ChangeSetID == "" || !strings.Contains(string(qs[0].Raw), "return 11") {
					t.Errorf("got %+v", qs)
				}
				if got := w.States(); got != c.want {
					t.Errorf("they are %s", got)
				}
				var r struct{ Session struct{ Mode string } }
				w.Call("emendo/session/rename", worldtest.Obj{"sessionId": id, "title": "x"}, &r)
				if r.Session.Mode != c.mode {
					t.Errorf("the mode is %s", r.Session.Mode)
				}
			})
		})
	}
}

func TestFilesAreSavedBeforeACommand(t *testing.T) {
	play(t, worldtest.Plugin, []modeltest.Reply{worldtest.TwoHunks(), worldtest.Run("go test"), worldtest.Say("Done.")}, func(w *world) {
		w.Spawn.Scripts = map[string]sandboxtest.Script{"go test": sandboxtest.Print("ok\n", 0)}
		w.Write("own.txt", "mine\n")
		own := w.URI("own.txt")
		u := w.Open()
		w.Editor.Open(own, "mine\n")
		w.Typed(own, "mine", "unsaved")
		id := w.Session(worldtest.Obj{"mode": "auto_edit"})
		w.Prompt(id, "Change and test")
		if q := w.Editor.Seen().Questions; len(q) != 1 || !slices.Equal(q[0].Preview.Saves, []string{u}) || !slices.Equal(q[0].Preview.Unsaved, []string{own}) || w.Read("own.txt") != "mine\n" {
			t.Errorf("asked %+v", q)
		}
		if w.Editor.Seen().Saves != 1 || !strings.Contains(w.Read("main.go"), "return 11") || w.Ran() != "go test" {
			t.Errorf("%d saves; ran %q", w.Editor.Seen().Saves, w.Ran())
		}
	})
}

func TestIdenticalQuestionsAreAskedInOrder(t *testing.T) {
	reply := modeltest.Reply{modeltest.Call("read_file", `{"file_path":".env"}`), modeltest.Call("read_file", `{"file_path":".env"}`)}
	play(t, worldtest.Plugin, []modeltest.Reply{reply, worldtest.Say("Done.")}, func(w *world) {
		w.Write(".env", "KEY=1\n")
		asked := make(chan struct{})
		w.Editor.Ask = func(context.Context, lsptest.Question) (any, error) {
			<-asked
			return lsptest.Selected("allow_once"), nil
		}
		wait := w.Prompting(w.Context(), w.Session(nil), "Read")
		for n := range 2 {
			if got := len(w.Editor.Seen().Questions); got != n+1 {
				t.Errorf("%d questions after %d answers", got, n)
			}
			asked <- struct{}{}
			synctest.Wait()
		}
		if _, err := wait(); err != nil {
			t.Error(err)
		}
	})
}
