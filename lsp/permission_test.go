package lsp_test

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
)

// ran returns the commands that ran.
func (w *world) ran() string {
	var l []string
	for _, c := range w.spawn.Started() {
		l = append(l, c.Argv[len(c.Argv)-1])
	}
	return strings.Join(l, "; ")
}

func TestPluginIsAskedBeforeACommand(t *testing.T) {
	for _, c := range []struct {
		name string
		ask  func(context.Context, lsptest.Question) (any, error)
		ran  string
	}{
		{"allowed once", func(context.Context, lsptest.Question) (any, error) { return lsptest.Selected("allow_once"), nil }, "touch a && touch b"},
		{"refused", func(context.Context, lsptest.Question) (any, error) {
			return obj{"outcome": "selected", "optionId": "reject_once", "feedback": "use-b-12"}, nil
		}, ""},
		{"cancelled", func(context.Context, lsptest.Question) (any, error) { return obj{"outcome": "cancelled"}, nil }, ""},
		{"answered with an error", func(context.Context, lsptest.Question) (any, error) { return nil, errors.New("no") }, ""},
		{"answered with what was not offered", func(context.Context, lsptest.Question) (any, error) { return lsptest.Selected("maybe"), nil }, ""},
		{"answered with null", func(context.Context, lsptest.Question) (any, error) { return nil, nil }, ""},
		{"answered with another shape", func(context.Context, lsptest.Question) (any, error) { return obj{"outcome": obj{}}, nil }, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			play(t, plugin, []modeltest.Reply{run("touch a && touch b"), say("Done.")}, func(w *world) {
				w.spawn.Scripts = map[string]sandboxtest.Script{"touch a && touch b": sandboxtest.Print("made\n", 0)}
				w.e.Ask = c.ask
				u := w.open()
				w.typed(u, "one", "uno")
				if end := w.prompt(w.session(nil), "Run"); end.StopReason != "end_turn" {
					t.Errorf("got %+v", end)
				}
				if code := w.e.Seen().ExitCodes(); c.ran != "" && !slices.Equal(code, []int{0}) {
					t.Errorf("exit codes %v", code)
				}
				if w.ran() != c.ran {
					t.Errorf("ran %q, want %q", w.ran(), c.ran)
				}
				qs := w.e.Seen().Questions
				if len(qs) != 1 {
					t.Fatalf("%d questions", len(qs))
				}
				if why := qs[0].ToolCall.Meta.Emendo.Reason; why != "No rule allows the command. There is no sandbox for commands here, so each needs approval." {
					t.Errorf("asked for the reason %q", why)
				}
				if l := qs[0].Preview.Commands; len(l) != 2 || l[0].Text != "touch a" || l[0].Decision != "ask" || l[1].Text != "touch b" {
					t.Errorf("asked about the parts %+v", l)
				}
				if p := qs[0].Preview; p.Command != "touch a && touch b" || p.Cwd != w.dir || len(p.Parsed) != 2 || len(p.Unsaved) != 1 || p.Unsaved[0] != u {
					t.Errorf("preview %+v", p)
				}
				if c.name == "refused" && !strings.Contains(w.request(1), "use-b-12") {
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
			replies := []modeltest.Reply{run("touch a"), say("Done.")}
			if strings.Contains(c.choose, "lways") {
				replies = []modeltest.Reply{run("touch a"), run("touch a"), say("Done.")}
			}
			play(t, lsptest.Recorded("neovim"), replies, func(w *world) {
				w.spawn.Scripts = map[string]sandboxtest.Script{"touch a": sandboxtest.Print("", 0)}
				w.e.Choose = func(context.Context, string, []string) string { return c.choose }
				w.command("emendo.ask", obj{"prompt": "Run"}, nil)
				w.advance()
				if w.ran() != c.ran {
					t.Errorf("ran %q, want %q", w.ran(), c.ran)
				}
				if l := w.e.Seen().Requests; len(l) != 1 || !strings.Contains(l[0], "touch a") || !strings.Contains(l[0], w.dir) {
					t.Errorf("asked %q", l)
				}
			})
		})
	}
}

func TestClientWithoutQuestionsGetsAMessage(t *testing.T) {
	play(t, lsptest.Recorded("helix"), []modeltest.Reply{run("touch a"), say("Done.")}, func(w *world) {
		w.command("emendo.ask", obj{"prompt": "Run"}, nil)
		w.advance()
		l := w.messages()
		if w.ran() != "" || len(l) != 2 || !strings.Contains(l[0], "touch a") || l[1] != "Done." {
			t.Errorf("ran %q, messages %q", w.ran(), l)
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
		{"when the turn is cancelled", func(w *world, id string) { w.notify("emendo/session/cancel", obj{"sessionId": id}) }, "", "cancelled"},
		{"when the call is cancelled", func(w *world, id string) {
			w.notify("emendo/session/cancel", obj{"sessionId": id, "toolCallId": w.e.Seen().Questions[0].ToolCall.ToolCallID})
		}, "", "end_turn"},
		{"when a command answers it", func(w *world, id string) {
			w.command("emendo.permission", nil, nil)
			call := w.e.Seen().Questions[0].ToolCall.ToolCallID
			w.command("emendo.permission", obj{"sessionId": id, "toolCallId": call, "optionId": "allow_once"}, nil)
		}, "touch a", "end_turn"},
	} {
		t.Run(c.name, func(t *testing.T) {
			play(t, plugin, []modeltest.Reply{run("touch a"), say("Done.")}, func(w *world) {
				w.spawn.Scripts = map[string]sandboxtest.Script{"touch a": sandboxtest.Print("", 0)}
				w.e.Ask = func(ctx context.Context, _ lsptest.Question) (any, error) {
					<-ctx.Done()
					return lsptest.Selected("allow_once"), nil // too late
				}
				id := w.session(nil)
				wait := w.prompting(w.Context(), id, "Run")
				c.do(w, id)
				if end, err := wait(); err != nil || end.StopReason != c.stop {
					t.Errorf("got %+v, %v", end, err)
				}
				if w.ran() != c.ran || w.e.Seen().Withdrawn != 1 {
					t.Errorf("ran %q, %d withdrawn", w.ran(), w.e.Seen().Withdrawn)
				}
			})
		})
	}
}

func TestEditNeedsApprovalWithoutReview(t *testing.T) {
	p := plugin.With("experimental.emendo.changes", false)
	for _, c := range []struct {
		choose string
		want   string
		mode   string
	}{
		{"allow_once", "accepted accepted", "default"}, {"reject_once", "rejected rejected", "default"}, {"allow_always", "accepted accepted", "auto_edit"},
	} {
		t.Run(c.choose, func(t *testing.T) {
			play(t, p, []modeltest.Reply{twoHunks(), say("Done.")}, func(w *world) {
				w.e.Ask = func(context.Context, lsptest.Question) (any, error) {
					us := w.e.Seen().Updates
					if last := us[len(us)-1]; !strings.Contains(string(last.Update), `"diff"`) {
						t.Errorf("the question came before the diff, after %s", last.Update)
					}
					return lsptest.Selected(c.choose), nil
				}
				w.open()
				id := w.session(nil)
				w.prompt(id, "Change it")
				qs := w.e.Seen().Questions
				if len(qs) != 1 || qs[0].Preview.ChangeSetID == "" || !strings.Contains(string(qs[0].Raw), "return 11") {
					t.Errorf("got %+v", qs)
				}
				if got := w.states(); got != c.want {
					t.Errorf("they are %s", got)
				}
				var r struct{ Session struct{ Mode string } }
				w.call("emendo/session/rename", obj{"sessionId": id, "title": "x"}, &r)
				if r.Session.Mode != c.mode {
					t.Errorf("the mode is %s", r.Session.Mode)
				}
			})
		})
	}
}

func TestFilesAreSavedBeforeACommand(t *testing.T) {
	play(t, plugin, []modeltest.Reply{twoHunks(), run("go test"), say("Done.")}, func(w *world) {
		w.spawn.Scripts = map[string]sandboxtest.Script{"go test": sandboxtest.Print("ok\n", 0)}
		w.write("own.txt", "mine\n")
		own := w.uri("own.txt")
		u := w.open()
		w.e.Open(own, "mine\n")
		w.typed(own, "mine", "unsaved")
		id := w.session(obj{"mode": "auto_edit"})
		w.prompt(id, "Change and test")
		if q := w.e.Seen().Questions; len(q) != 1 || !slices.Equal(q[0].Preview.Saves, []string{u}) || !slices.Equal(q[0].Preview.Unsaved, []string{own}) || w.read("own.txt") != "mine\n" {
			t.Errorf("asked %+v", q)
		}
		if w.e.Seen().Saves != 1 || !strings.Contains(w.read("main.go"), "return 11") || w.ran() != "go test" {
			t.Errorf("%d saves; ran %q", w.e.Seen().Saves, w.ran())
		}
	})
}

func TestIdenticalQuestionsAreAskedInOrder(t *testing.T) {
	reply := modeltest.Reply{modeltest.Call("read_file", `{"file_path":".env"}`), modeltest.Call("read_file", `{"file_path":".env"}`)}
	play(t, plugin, []modeltest.Reply{reply, say("Done.")}, func(w *world) {
		w.write(".env", "KEY=1\n")
		asked := make(chan struct{})
		w.e.Ask = func(context.Context, lsptest.Question) (any, error) {
			<-asked
			return lsptest.Selected("allow_once"), nil
		}
		wait := w.prompting(w.Context(), w.session(nil), "Read")
		for n := range 2 {
			if got := len(w.e.Seen().Questions); got != n+1 {
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
