package turn_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/agenttest"
	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/hooks"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/internal/settings"
)

// A patch changes, makes, deletes and moves files, open or not.
func TestAPatchChangesSeveralFiles(t *testing.T) {
	const patch = `*** Begin Patch
*** Update File: a.txt
@@
 one
-two
+zwei
*** Add File: new/b.txt
+new
*** Delete File: c.txt
*** Update File: d.txt
*** Move to: e.txt
@@
-four
+vier
*** End Patch`
	files := map[string]string{"a.txt": "one\ntwo\n", "c.txt": "three\n", "d.txt": "four\nfive\n"}
	after := map[string]string{"a.txt": "one\nzwei\n", "new/b.txt": "new\n", "c.txt": "", "d.txt": "", "e.txt": "vier\nfive\n"}
	for _, open := range []bool{true, false} {
		t.Run(fmt.Sprintf("open %t", open), func(t *testing.T) {
			agenttest.InWorld(t, files, []modeltest.Reply{{agenttest.Call("apply_patch", map[string]any{"patch": patch})}, agenttest.Done()}, func(t *testing.T, w *agenttest.World) {
				if open {
					w.Editor.Open(w.URI("a.txt"), files["a.txt"])
					w.Editor.Open(w.URI("d.txt"), files["d.txt"])
				}
				if err := os.Chmod(filepath.Join(w.Dir, "d.txt"), 0o755); err != nil {
					t.Fatal(err)
				}
				w.Prompt(w.Session(policy.AutoEdit), "translate")
				text := agenttest.TextOf(w.LastRequest())
				for _, want := range []string{"zwei", "file created", "file deleted"} {
					if !strings.Contains(text, want) {
						t.Errorf("%q is not in what the model got:\n%s", want, text)
					}
				}
				if info, err := os.Stat(filepath.Join(w.Dir, "e.txt")); err != nil || info.Mode().Perm() != 0o755 {
					t.Errorf("the moved file: %v, %v", info, err)
				}
				for name, want := range after {
					got, _ := os.ReadFile(filepath.Join(w.Dir, name))
					if w.Editor.IsOpen(w.URI(name)) {
						got = []byte(w.Editor.Text(w.URI(name)))
					}
					if string(got) != want {
						t.Errorf("%s has %q, want %q", name, got, want)
					}
				}
			})
		})
	}
}

// Hooks that are about the tools for single changes run for each file of a patch, and one
// that is about patches too runs once.
func TestHooksAboutSingleEditsRunForPatches(t *testing.T) {
	const patch = "*** Update File: a.txt\n-one\n+two\n*** Add File: b.txt\n+key\n"
	for _, tt := range []struct {
		name, matcher string
		want          string // the tools that the hook is told of
		says          string // about write_file
		applied       bool
	}{
		{"about both", "write_file|replace", "replace write_file", "", true},
		{"about one", "write_file", "write_file", "", true},
		{"about everything", "", "apply_patch", "", true},
		{"about another tool", "move_file", "", "", true},
		{"refuses one", "write_file", "write_file", `{"decision":"deny","reason":"no keys"}`, false},
		{"changes one", "write_file", "write_file", `{"hookSpecificOutput":{"tool_input":{"content":"x"}}}`, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			agenttest.InWorld(t, map[string]string{"a.txt": "one\n"}, []modeltest.Reply{{agenttest.Call("apply_patch", map[string]any{"patch": patch})}, agenttest.Done()}, func(t *testing.T, w *agenttest.World) {
				var told []string
				p := &agenttest.PlayedHooks{Say: agenttest.HookLines{"hook": func(input map[string]any) string {
					name, _ := input["tool_name"].(string)
					args, _ := input["tool_input"].(map[string]any)
					if told = append(told, name); name == "write_file" {
						if args["file_path"] != "b.txt" || args["content"] != "key\n" {
							t.Errorf("the hook is told %v", args)
						}
						return tt.says
					}
					return ""
				}}}
				w.Stop()
				w.Options = func(o *state.Options) {
					o.HookRunner, o.Hooks = p, hooks.Config{Hooks: []hooks.Hook{{Event: hooks.BeforeTool, Source: settings.OfUser, Command: "hook", Matcher: tt.matcher}}}
				}
				w.Start()
				w.Prompt(w.Session(policy.AutoEdit), "go")
				if got := strings.Join(told, " "); got != tt.want {
					t.Errorf("the hook ran for %q, want %q", got, tt.want)
				}
				if applied := w.ReadFile("a.txt") == "two\n"; applied != tt.applied {
					t.Errorf("applied %v: %s", applied, agenttest.Results(w.LastRequest())[0].Output)
				}
			})
		})
	}
}

// A patch is asked about as the tools for its single changes are.
func TestAPatchThatMovesASecretIsAskedAbout(t *testing.T) {
	const patch = "*** Update File: .env\n*** Move to: notes.txt\n-KEY=hunter2\n+KEY=hunter3\n"
	agenttest.InWorld(t, map[string]string{".env": "KEY=hunter2\n"}, []modeltest.Reply{{agenttest.Call("apply_patch", map[string]any{"patch": patch})}, agenttest.Done()}, func(t *testing.T, w *agenttest.World) {
		asked := ""
		w.Can = frontend.Abilities{Asks: true}
		w.Answer = func(_ context.Context, q frontend.Question) (frontend.Answer, error) {
			asked = q.Reason
			return frontend.Answer{OptionID: "reject_once"}, nil
		}
		w.Prompt(w.Session(policy.AutoEdit), "go")
		if !strings.Contains(asked, "secrets") || strings.Contains(agenttest.TextOf(w.LastRequest()), "hunter2\n") {
			t.Errorf("asked %q, and the model got\n%s", asked, agenttest.TextOf(w.LastRequest()))
		}
	})
}

// The tool costs tokens in every request, so it is offered only to models that are trained
// on it, or if the user wants it. Any model may call it.
func TestWhoIsOfferedPatches(t *testing.T) {
	for _, tt := range []struct {
		name, model string
		mode        policy.Mode
		always      bool
		without     []string
		want        bool
	}{
		{name: "a model trained on patches", model: "gpt-6.2-sol", want: true},
		{name: "another model", model: "gemini-3.5-flash"},
		{name: "an unknown model", model: "mine"},
		{name: "an unknown model of a user who wants it", model: "mine", always: true, want: true},
		{name: "in plan mode", model: "gpt-6.2-sol", mode: policy.Plan},
		{name: "where the tool for single changes is excluded", model: "gpt-6.2-sol", without: []string{"replace"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			agenttest.InWorld(t, nil, []modeltest.Reply{agenttest.Done()}, func(t *testing.T, w *agenttest.World) {
				w.Stop()
				w.Options = func(o *state.Options) {
					o.Settings.Tools.ApplyPatch, o.Settings.Tools.Exclude = tt.always, tt.without
					generator := o.Generator
					o.Generator = func(name string) (model.Generator, string, error) {
						g, _, err := generator(name)
						return g, tt.model, err
					}
				}
				w.Start()
				w.Prompt(w.Session(tt.mode), "go")
				offered := slices.ContainsFunc(w.Model.Requests()[0].Tools, func(m model.Tool) bool { return m.Name == "apply_patch" })
				if offered != tt.want {
					t.Errorf("offered: %v", offered)
				}
			})
		})
	}
}
