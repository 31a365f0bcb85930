package turn_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/agenttest"
	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/slash"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/internal/sandbox/sandboxtest"
)

// ofUser writes files into the user's folder and lets the world's agent read it.
func ofUser(w *agenttest.World, files map[string]string) {
	w.T.Helper()
	dir := filepath.Join(w.State, "config")
	for name, text := range files {
		at := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o700), os.WriteFile(at, []byte(text), 0o600)); err != nil {
			w.T.Fatal(err)
		}
	}
	w.Options = func(o *state.Options) { o.UserDir = dir }
	w.Stop()
	w.Start()
}

// write writes a file into the workspace.
func write(w *agenttest.World, name, text string) {
	w.T.Helper()
	at := filepath.Join(w.Dir, filepath.FromSlash(name))
	if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o700), os.WriteFile(at, []byte(text), 0o600)); err != nil {
		w.T.Fatal(err)
	}
}

// lastAsked returns the last line of the last request.
func lastAsked(w *agenttest.World) string {
	l := strings.Split(strings.TrimSpace(agenttest.TextOf(w.LastRequest())), "\n")
	return l[len(l)-1]
}

var oneCommand = map[string]string{".gemini/commands/fix.toml": `prompt = "Fix {{args}}."`}

func TestCustomCommandsOfUserAndProject(t *testing.T) {
	user := map[string]string{"commands/fix.toml": `prompt = "Fix for me."`, "commands/mine.toml": `prompt = "Of mine."`, "commands/date.toml": `prompt = "On !{date}."`}
	for _, tt := range []struct {
		name, prompt string
		restricted   bool
		want         string // of the model's prompt
		err          error
	}{
		{name: "the project's replaces the user's", prompt: "/fix a.go", want: "Fix a.go."},
		{name: "the user's", prompt: "/mine", want: "Of mine."},
		{name: "the user's with a command line", prompt: "/date", want: "On <untrusted_context>today</untrusted_context>."},
		{name: "the user's in a restricted folder", prompt: "/fix", restricted: true, want: "Fix for me."},
		{name: "a command line in a restricted folder", prompt: "/date", restricted: true, err: transcript.ErrUntrusted},
		{name: "the project's in a restricted folder", prompt: "/only", restricted: true, err: slash.ErrUnknown},
		{name: "a path", prompt: "/fix/it is wrong", want: "/fix/it is wrong"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files := map[string]string{".gemini/commands/fix.toml": oneCommand[".gemini/commands/fix.toml"], ".emendo/commands/only.toml": `prompt = "x"`}
			agenttest.InWorld(t, files, agenttest.Answers("ok", "ok"), func(t *testing.T, w *agenttest.World) {
				w.Trusted = !tt.restricted
				ofUser(w, user)
				w.Spawn.Scripts = map[string]sandboxtest.Script{"date": sandboxtest.Print("today\n", 0)}
				s := w.Session("")
				_, err := s.Prompt(t.Context(), state.Prompt{Blocks: agenttest.Say(tt.prompt)})
				if !errors.Is(err, tt.err) {
					t.Fatalf("%v, want %v", err, tt.err)
				}
				if tt.err != nil {
					if n := len(w.Model.Requests()); n != 0 || len(w.Spawn.Started()) != 0 {
						t.Errorf("the model was asked %d times, %d commands ran", n, len(w.Spawn.Started()))
					}
					w.Prompt(s, "hello") // a prompt that was not sent is not sent later either
					if sent := agenttest.TextOf(w.LastRequest()); strings.Contains(sent, "/date") || strings.Contains(sent, "On ") {
						t.Errorf("the model got %s", sent)
					}
					return
				}
				if got := lastAsked(w); got != tt.want {
					t.Errorf("the model is asked %q, want %q", got, tt.want)
				}
				w.CheckNumbers()
			})
		})
	}
}

// The prompt is not sent if a rule denies a command line, or if the session cannot ask.
func TestCustomCommandsAreDenied(t *testing.T) {
	for name, set := range map[string]func(*agenttest.World){
		"no user to ask": func(w *agenttest.World) { w.Can = frontend.Abilities{} },
		"a setting": func(w *agenttest.World) {
			w.Options = func(o *state.Options) { o.Settings.Tools.Exclude = []string{"run_shell_command"} }
		},
	} {
		t.Run(name, func(t *testing.T) {
			agenttest.InWorld(t, map[string]string{".gemini/commands/x.toml": `prompt = "!{touch a}"`}, nil, func(t *testing.T, w *agenttest.World) {
				set(w)
				w.Stop()
				w.Start()
				end, err := w.Session("").Prompt(t.Context(), state.Prompt{Blocks: agenttest.Say("/x")})
				var denied *transcript.DeniedError
				if !errors.As(err, &denied) || !strings.Contains(err.Error(), "/x was not sent: touch a: ") || end.StopReason != transcript.StopError {
					t.Errorf("%+v, %v", end, err)
				}
				if len(w.Model.Requests()) != 0 || len(w.Spawn.Started()) != 0 {
					t.Error("it was sent")
				}
			})
		})
	}
}

// A repeated command line is asked about once, and runs each time.
func TestCustomCommandsRunEachLine(t *testing.T) {
	files := map[string]string{".gemini/commands/x.toml": `prompt = "a !{one} b !{two} c !{one}"`}
	agenttest.InWorld(t, files, agenttest.Answers("ok"), func(t *testing.T, w *agenttest.World) {
		w.Spawn.Scripts = map[string]sandboxtest.Script{"one": sandboxtest.Print("1", 0), "two": sandboxtest.Print("2", 3)}
		w.Prompt(w.Session(""), "/x")
		want := "a <untrusted_context>1</untrusted_context> b <untrusted_context>2</untrusted_context>\n[Shell command 'two' exited with code 3]\n c <untrusted_context>1</untrusted_context>"
		if got := agenttest.TextOf(w.LastRequest()); !strings.Contains(got, want) {
			t.Errorf("the model is asked %q", got)
		}
		if len(w.Questions) != 2 || len(w.Spawn.Started()) != 3 {
			t.Errorf("%d questions, %d commands", len(w.Questions), len(w.Spawn.Started()))
		}
	})
}

func TestCustomCommandIsCancelled(t *testing.T) {
	files := map[string]string{".gemini/commands/x.toml": `prompt = "!{slow}"`}
	agenttest.InWorld(t, files, agenttest.Answers("ok"), func(t *testing.T, w *agenttest.World) {
		w.Spawn.Scripts = map[string]sandboxtest.Script{"slow": {Hangs: true}}
		s := w.Session("")
		ended := w.Begin(s, "/x")
		s.Cancel("")
		if end, err := ended(); err != nil || end.StopReason != transcript.StopCancelled {
			t.Errorf("%+v, %v", end, err)
		}
		if len(w.Model.Requests()) != 0 {
			t.Error("it was sent")
		}
	})
}

// Files that may not be sent are left out, and a notice says so.
func TestCustomCommandsInsertFiles(t *testing.T) {
	files := map[string]string{
		".gemini/commands/x.toml": `prompt = "@{src} @{src/a.go} @{.env} @{../x} @{none} @{hidden.txt} @{}"`,
		"src/a.go":                "package a\n", "src/sub/b.go": "package b\n", "src/.env": "A=b", ".env": "A=b", "hidden.txt": "x", ".geminiignore": "hidden.txt\n",
	}
	agenttest.InWorld(t, files, agenttest.Answers("ok"), func(t *testing.T, w *agenttest.World) {
		w.Options = func(o *state.Options) { o.Settings.Context.FileFiltering.RespectGeminiIgnore = true }
		w.Stop()
		w.Start()
		w.Prompt(w.Session(""), "/x")
		want := "<folder path=\"src\">\na.go\nsub/\n</folder> <file path=\"src/a.go\">\npackage a\n</file> @{.env} @{../x} @{none} @{hidden.txt} @{}"
		if got := agenttest.TextOf(w.LastRequest()); !strings.Contains(got, want) {
			t.Errorf("the model is asked %q", got)
		}
		wantTold := []string{
			".env was not sent: The file looks as if it holds secrets.", "../x was not sent: It is not in the workspace.", "none was not sent: There is no such file or folder.",
			"hidden.txt was not sent: The ignore rules (.geminiignore or .emendoignore) exclude it.", " was not sent: The path is empty.",
		}
		if diff := cmp.Diff(strings.Split(w.NoticesOf(transcript.NoticeNotSent), "\n"), wantTold); diff != "" {
			t.Errorf("got -, want +:\n%s", diff)
		}
	})
}

// Commands are announced only when they change.
func TestCustomCommandsAreAnnounced(t *testing.T) {
	agenttest.InWorld(t, nil, agenttest.Answers("one", "two", "three"), func(t *testing.T, w *agenttest.World) {
		s := w.Session("")
		announced := func() (l []string) {
			for _, u := range w.Updates {
				if c, ok := u.Event.(transcript.CommandsChanged); ok {
					l = append(l, c.Commands[len(c.Commands)-1].Name)
				}
			}
			return l
		}
		w.Prompt(s, "hello")
		write(w, ".emendo/commands/zoo.toml", `prompt = "x"`)
		w.Prompt(s, "hello")
		w.Prompt(s, "hello")
		if err := os.Remove(filepath.Join(w.Dir, ".emendo/commands/zoo.toml")); err != nil {
			t.Fatal(err)
		}
		w.Prompt(s, "/commands")
		if diff := cmp.Diff(announced(), []string{"zoo", "usage"}); diff != "" {
			t.Errorf("got -, want +:\n%s", diff)
		}
	})
}

func TestCustomCommandsAreListed(t *testing.T) {
	files := map[string]string{".gemini/commands/fix.toml": "description = \"Fix | it.\"\nprompt = \"x\"", ".gemini/commands/bad.toml": "x"}
	agenttest.InWorld(t, files, nil, func(t *testing.T, w *agenttest.World) {
		s := w.Session("")
		if got := w.Prompt(s, "/commands").Text; !strings.Contains(got, "| `/fix` | Fix \\| it. | project | `"+w.Dir+"/.gemini/commands/fix.toml` |") || !strings.Contains(got, "bad.toml defines no command") {
			t.Errorf("got %s", got)
		}
		if got := w.Prompt(s, "/help").Text; !strings.Contains(got, "- `/fix [ARGUMENTS]`: Fix | it.") {
			t.Errorf("got %s", got)
		}
		for prompt, want := range map[string]string{"/fx a": "unknown command /fx; did you mean /fix?", "/git:fix": "unknown command /git:fix; /help lists the commands"} {
			if _, err := s.Prompt(t.Context(), state.Prompt{Blocks: agenttest.Say(prompt)}); !errors.Is(err, slash.ErrUnknown) || err.Error() != want {
				t.Errorf("%s: %v, want %s", prompt, err, want)
			}
		}
		w.Trusted = false
		if got := w.Prompt(s, "/commands").Text; !strings.Contains(got, "No custom commands") || !strings.Contains(got, "restricted") {
			t.Errorf("got %s", got)
		}
	})
}

// A custom command sent during a turn is queued as its own turn. If it no longer exists
// when it starts, it is not sent.
func TestCustomCommandsAreQueued(t *testing.T) {
	for _, gone := range []bool{false, true} {
		agenttest.InWorld(t, oneCommand, nil, func(t *testing.T, w *agenttest.World) {
			hold := make(chan struct{})
			w.Model.Replies = []modeltest.Reply{{modeltest.Hold(hold), modeltest.Say("done")}, {modeltest.Say("fixed")}}
			s := w.Session("")
			ended := w.Begin(s, "go")
			in, err := s.Submit(t.Context(), state.Prompt{Blocks: agenttest.Say("/fix a")}, agent.Steer)
			if err != nil || in.Steers {
				t.Fatalf("%+v, %v", in, err)
			}
			if gone {
				if err := os.Remove(filepath.Join(w.Dir, ".gemini/commands/fix.toml")); err != nil {
					t.Fatal(err)
				}
			}
			synctest.Wait()
			close(hold)
			if _, err := ended(); err != nil {
				t.Fatal(err)
			}
			end, err := in.Result()
			switch {
			case gone && (!errors.Is(err, slash.ErrUnknown) || len(w.Model.Requests()) != 1):
				t.Errorf("after it was deleted: %+v, %v", end, err)
			case !gone && (err != nil || end.Text != "fixed" || lastAsked(w) != "Fix a."):
				t.Errorf("%+v, %v, asked %s", end, err, lastAsked(w))
			}
		})
	}
}

// A rejected command line is reported, and the prompt can be sent again.
func TestCustomCommandIsRejected(t *testing.T) {
	files := map[string]string{".gemini/commands/x.toml": `prompt = "Go on. !{touch a}"`}
	agenttest.InWorld(t, files, agenttest.Answers("ok"), func(t *testing.T, w *agenttest.World) {
		w.Answer = func(context.Context, frontend.Question) (frontend.Answer, error) {
			return frontend.Answer{OptionID: "reject_once"}, nil
		}
		s := w.Session("")
		if end := w.Prompt(s, "/x"); end.StopReason != transcript.StopCancelled || len(w.Model.Requests()) != 0 {
			t.Errorf("%+v", end)
		}
		if got := w.NoticesOf(transcript.NoticeNotSent); got != "The prompt was not sent: /x was not sent: touch a: you did not allow it" {
			t.Errorf("got %q", got)
		}
		w.Answer = nil
		w.Spawn.Scripts = map[string]sandboxtest.Script{"touch a": sandboxtest.Print("", 0)}
		if end := w.Prompt(s, "/x"); end.StopReason != transcript.EndTurn {
			t.Errorf("%+v", end)
		}
	})
}
