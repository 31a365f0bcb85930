package turn_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/agenttest"
	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/internal/shellcmd"
	"github.com/emendo-dev/emendo/tools"
)

// writing is a command that writes files.
type writing struct {
	dir   *string
	files map[string]string // by path in dir; an empty text removes the file
}

func (writing) Spec() tools.Spec {
	return tools.Spec{Name: "run", Display: "run", Kind: tools.Execute, Schema: json.RawMessage(`{"type":"object"}`)}
}

func (x writing) Prepare(context.Context, tools.Env, json.RawMessage) (tools.Action, error) {
	run := func(tools.Access) func(context.Context, func(tools.Progress)) tools.Result {
		return func(context.Context, func(tools.Progress)) tools.Result {
			for name, text := range x.files {
				path := filepath.Join(*x.dir, name)
				err := os.WriteFile(path, []byte(text), 0o644)
				if text == "" {
					err = os.Remove(path)
				}
				if err != nil {
					return tools.Result{Err: tools.Errorf(tools.Unhandled, "%v", err)}
				}
			}
			return tools.Result{Output: "written"}
		}
	}
	part := shellcmd.Part{Text: "run", Words: []string{"run"}, Known: true}
	return tools.Action{Title: "run", Effect: tools.Runs{Analysis: shellcmd.Analysis{Command: "run", Dir: *x.dir, Parts: []shellcmd.Part{part}, Known: true}}, Run: run(tools.Access{}), WithAccess: run}, nil
}

// In mode yolo what a command changes of the files that tools run by themselves stays, and is
// named first in a notice.
func TestChangedBuildFilesAreToldInYolo(t *testing.T) {
	for _, after := range []bool{false, true} {
		replies := []modeltest.Reply{agenttest.Calls("run"), agenttest.Done()}
		if after {
			replies = append([]modeltest.Reply{agenttest.Calls("page")}, replies...)
		}
		agenttest.InWorld(t, map[string]string{"Makefile": "all:\n", "a.txt": "one\n"}, replies, func(t *testing.T, w *agenttest.World) {
			w.Options = func(o *state.Options) {
				o.Tools = append(o.Tools, writing{&w.Dir, map[string]string{"Makefile": "all:\n\tevil\n", "a.txt": "two\n"}}, outside{"page", tools.OfWeb, tools.Reads{}})
			}
			w.Stop()
			w.Start()
			w.Prompt(w.Session(policy.Yolo), "look")
			if got := w.ReadFile("Makefile"); got != "all:\n\tevil\n" {
				t.Errorf("the file has %q", got)
			}
			want := ""
			if after {
				want = "A command changed files that tools run by themselves: Makefile: Content from the network (by page)"
			}
			if got := w.NoticesOf(transcript.NoticeOutside); !strings.HasPrefix(got, want) || (got == "") == after {
				t.Errorf("the notices are %q", got)
			}
		})
	}
}

// What a command that nobody allowed changes of the files that tools run by themselves, after
// content from outside, is put back and proposed to a user who reviews edits. Others get it
// named in the result. Other files stay as the command left them.
func TestChangedBuildFilesArePutBack(t *testing.T) {
	const makefile, manifest = "all:\n", "{\"scripts\": {\"test\": \"true\"}}\n"
	changes := map[string]string{"Makefile": "all:\n\tevil\n", "conftest.py": "evil\n", "build.rs": "", "package.json": "{\"version\": \"2\", \"scripts\": {\"test\": \"true\"}}\n", "a.txt": "two\n"}
	for _, tt := range []struct {
		name      string
		outside   bool
		abilities frontend.Abilities
		mode      policy.Mode
		allowed   bool
		proposed  int // files
		back      bool
	}{
		{name: "before such content", abilities: frontend.Abilities{Asks: true, Reviews: true}, mode: policy.Default},
		{name: "to a user who reviews", outside: true, abilities: frontend.Abilities{Asks: true, Reviews: true}, mode: policy.Default, proposed: 3, back: true},
		{name: "in auto_edit", outside: true, abilities: frontend.Abilities{Asks: true, Reviews: true}, mode: policy.AutoEdit, proposed: 3, back: true},
		{name: "to a user who reviews nothing", outside: true, abilities: frontend.Abilities{Asks: true}, mode: policy.Default, back: true},
		{name: "with nobody there", outside: true, mode: policy.AutoEdit, back: true},
		{name: "by a command that the user allows", outside: true, abilities: frontend.Abilities{Asks: true, Reviews: true}, mode: policy.AutoEdit, allowed: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			replies := []modeltest.Reply{agenttest.Calls("run"), agenttest.Done()}
			if tt.outside {
				replies = append([]modeltest.Reply{agenttest.Calls("page")}, replies...)
			}
			files := map[string]string{"Makefile": makefile, "build.rs": "fn main() {}\n", "package.json": manifest, "a.txt": "one\n"}
			agenttest.InWorld(t, files, replies, func(t *testing.T, w *agenttest.World) {
				w.Options = func(o *state.Options) {
					o.Sandbox = &agenttest.SandboxOf{Level: sandbox.Isolated}
					o.Tools = append(o.Tools, writing{&w.Dir, changes}, outside{"page", tools.OfWeb, tools.Reads{}})
					if tt.allowed {
						o.Settings.Tools.Shell.Ask = string(policy.AskAlways)
					}
				}
				w.Can = tt.abilities
				w.Stop()
				w.Start()
				s := w.Session(tt.mode)
				w.Prompt(s, "look")
				if len(w.Questions) > 0 != tt.allowed {
					t.Fatalf("asked about %v", w.Questions)
				}
				for name, text := range changes {
					want := text
					if name != "a.txt" && name != "package.json" && tt.back {
						want = files[name]
					}
					if got := w.ReadFile(name); strings.HasPrefix(got, "!") != (want == "") || want != "" && got != want {
						t.Errorf("%s has %q, want %q", name, got, want)
					}
				}
				n := 0
				for _, cs := range pending(w) {
					for _, f := range cs.Files {
						if n++; !f.Runs || cs.Origin != ledger.OfCommand || cs.CallID == "" {
							t.Errorf("%s of %+v", f.Path, cs)
						}
					}
				}
				if n != tt.proposed {
					t.Errorf("%d files are proposed, want %d", n, tt.proposed)
				}
				if got := agenttest.Results(w.LastRequest())[0].Output; strings.Contains(got, "it was put back") != tt.back || tt.back && !strings.Contains(got, "Makefile") {
					t.Errorf("the result is %q", got)
				}
				if tt.proposed == 0 {
					return
				}
				if _, err := w.Agent.Resolve(t.Context(), []ledger.Decision{{ChangeSetID: pending(w)[0].ID, Action: ledger.Accept}}, ""); err != nil {
					t.Fatal(err)
				}
				if got := w.ReadFile("Makefile") + w.ReadFile("conftest.py"); got != changes["Makefile"]+changes["conftest.py"] {
					t.Errorf("once it was accepted the files have %q", got)
				}
			})
		})
	}
}
