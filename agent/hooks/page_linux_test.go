package hooks_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/emendo-dev/emendo/agent/hooks"
	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/internal/secret"
	"github.com/emendo-dev/emendo/internal/settings"
	"github.com/emendo-dev/emendo/internal/shellcmd"
	"github.com/emendo-dev/emendo/internal/trust"
	"github.com/emendo-dev/emendo/tools/reach"
)

// fence matches a code block of the page and its destination: settings, or a
// file.
var fence = regexp.MustCompile("(?ms)^```(?:json|bash|python) (\\S+)\n(.*?)^```$")

// page makes a project from the users' page, with its scripts and settings.
func page(t *testing.T) (place, hooks.Config) {
	t.Helper()
	for _, program := range []string{"bash", "python3", "make", "git"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Fatalf("the page's hooks need %s: install it", program)
		}
	}
	text, err := os.ReadFile("../../docs/hooks.md")
	if err != nil {
		t.Fatal(err)
	}
	p := newPlace(t)
	var all hooks.Config
	for _, m := range fence.FindAllSubmatch(text, -1) {
		name, code := string(m[1]), string(m[2])
		if name != "settings" {
			p.write(name, code, 0o700)
			continue
		}
		p.write(".gemini/settings.json", code, 0o600)
		s, warnings, err := settings.Load(settings.Options{ProjectDir: p.dir, Trusted: true})
		if err != nil || len(warnings) > 0 {
			t.Fatalf("the settings %s: %v %v", code, warnings, err)
		}
		all.Hooks = append(all.Hooks, hooks.Configured(s).Hooks...)
	}
	return p, all
}

// approved permits a project's hooks in their current version only.
func approved(t *testing.T, p place, c hooks.Config) func(hooks.Hook) (trust.Cleared, bool) {
	t.Helper()
	run := trust.Open(filepath.Join(t.TempDir(), "state")).ForRun()
	look := func(h hooks.Hook) trust.Look {
		l, err := run.Approved(p.dir, trust.Entry{Kind: trust.Hook, Name: h.Name, On: string(h.Event), Command: h.Command, Env: h.Env})
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	for _, h := range c.Hooks {
		if err := run.Approve(p.dir, look(h)); err != nil {
			t.Fatal(err)
		}
	}
	return func(h hooks.Hook) (trust.Cleared, bool) {
		l := look(h)
		if l.State != trust.Approved {
			t.Errorf("%s is not what was approved any more", h.Name)
		}
		return l.Clear(p.dir), l.State == trust.Approved
	}
}

// sandboxed runs hooks at the strictest level of this machine.
func sandboxed(t *testing.T, dir string) hooks.Runner {
	t.Helper()
	place := reach.New(reach.Options{
		Folders: []string{dir}, Home: t.TempDir(), Environ: os.Environ(), Temp: t.TempDir(), Cache: t.TempDir(), Secret: secret.Named,
	})
	return hooks.Shell{
		Environ: os.Environ(), Sandbox: workspace{sandbox.NewGuard(sandbox.Options{}), place, t.TempDir()},
	}
}

// workspace is the sandbox of the hooks of one workspace.
type workspace struct {
	sandbox.Spawner
	place  *reach.Workspace
	copies string
}

func (w workspace) Reach(_ []string, extra reach.Extra) (*reach.Profile, error) {
	return w.place.Profile(extra), nil
}

func (w workspace) Copies() (string, error) { return os.MkdirTemp(w.copies, "") }

// The examples of the users' page do what it says.
func TestDocumentedExamples(t *testing.T) {
	p, config := page(t)
	p.write("notes/README.md", "What hooks write.\n", 0o600)
	p.write("Makefile", "test:\n\t@echo 1 of 2 failed; exit 1\n", 0o600)
	permit, used, held := approved(t, p, config), map[string]bool{}, sandboxed(t, p.dir)
	fire := func(in hooks.Input) hooks.Outcome {
		t.Helper()
		e := hooks.Engine{Config: config, Runner: held}
		o := e.Fire(t.Context(), hooks.Scene{SessionID: "s", Cwd: p.dir, Project: p.dir, At: time.Now()}, in, permit)
		for _, r := range o.Runs {
			used[r.Hook.Name] = true
			if r.Err != nil {
				t.Errorf("%s failed: %v", r.Hook.Name, r.Err)
			}
		}
		return o
	}
	call := func(tool, args string) hooks.ToolInput {
		return hooks.ToolInput{Tool: tool, Args: json.RawMessage(args)}
	}
	request := json.RawMessage(`{"model":"m","messages":[{"role":"user","content":"ping"}],"config":{}}`)
	key := "AKIA" + strings.Repeat("A", 16)
	for _, tt := range []struct {
		name string
		in   hooks.Input
		ok   func(hooks.Outcome) bool
	}{
		{"a folder is not deleted", call("run_shell_command", `{"command":"cd /tmp && rm -rf x"}`), func(o hooks.Outcome) bool { return o.Blocks() && strings.HasPrefix(o.Why(), "Deleting folders") }},
		{"a file is", call("run_shell_command", `{"command":"rm x"}`), func(o hooks.Outcome) bool { return !o.Blocks() }},
		{"a key is not written", call("write_file", `{"file_path":"a","content":"`+key+`"}`), func(o hooks.Outcome) bool { return o.Blocks() }},
		{"a text is", call("replace", `{"file_path":"a","new_string":"key"}`), func(o hooks.Outcome) bool { return o.Ran() && !o.Blocks() }},
		{"no commits", hooks.PromptInput{Prompt: "go"}, func(o hooks.Outcome) bool { return o.Context() == "Last commits:\nnone" }},
		{"addresses are hidden", hooks.ToolOutcome{ToolInput: call("read_file", `{}`), Response: hooks.ToolResponse{Content: "to a.b@example.org."}}, func(o hooks.Outcome) bool {
			text, ok := o.ToolOutput()
			return ok && text == "to [address]" && o.Context() == "Addresses are left out of this."
		}},
		{"nothing is hidden", hooks.ToolOutcome{ToolInput: call("read_file", `{}`), Response: hooks.ToolResponse{Content: "to all"}}, func(o hooks.Outcome) bool { _, ok := o.ToolOutput(); return !ok }},
		{"the first session", hooks.StartInput{Source: "startup"}, func(o hooks.Outcome) bool {
			return o.Context() == "This is session 1 here." && o.Message() == "Welcome back."
		}},
		{"it ends", hooks.EndInput{Reason: "exit"}, func(o hooks.Outcome) bool { return o.Ran() && strings.HasPrefix(p.read("notes/sessions.txt"), "20") }},
		{"the second one", hooks.StartInput{Source: "startup"}, func(o hooks.Outcome) bool { return o.Context() == "This is session 2 here." }},
		{"another kind of beginning", hooks.StartInput{Source: "resume"}, func(o hooks.Outcome) bool { return !o.Ran() }},
		{"ping", hooks.RequestInput{Request: request}, func(o hooks.Outcome) bool { r, ok := o.Response(); return ok && r.Text == "pong" }},
		{"all tools", hooks.SelectionInput{Request: request}, func(o hooks.Outcome) bool { _, ok := o.ToolConfig(); return !ok }},
		{"a name is replaced", hooks.ResponseInput{Request: request, Response: json.RawMessage(`{"text":"for Initech","candidates":[]}`)}, func(o hooks.Outcome) bool {
			r, ok := o.Response()
			return ok && r.Text == "for the customer"
		}},
		{"the tests fail", hooks.AnswerInput{Prompt: "go"}, func(o hooks.Outcome) bool { return o.Blocks() && strings.Contains(o.Why(), "1 of 2 failed") }},
		{"once", hooks.AnswerInput{Prompt: "go", Active: true}, func(o hooks.Outcome) bool { return !o.Blocks() }},
		{"a question", hooks.NotificationInput{Type: "ToolPermission", Message: "m"}, func(o hooks.Outcome) bool { return strings.Contains(p.read("notes/journal.jsonl"), "ToolPermission") }},
		{"a summary", hooks.CompressInput{Trigger: "auto"}, func(o hooks.Outcome) bool { return strings.Count(p.read("notes/journal.jsonl"), "\n") == 2 }},
	} {
		if o := fire(tt.in); !tt.ok(o) {
			t.Errorf("%s: it came to %+v %+v", tt.name, o.Output, o.Runs)
		}
	}
	p.write("FREEZE", "", 0o600)
	if c, ok := fire(hooks.SelectionInput{Request: request}).ToolConfig(); !ok || c.Mode != hooks.ModeAuto || len(c.Allowed) != 4 {
		t.Errorf("with a freeze the tools are %+v", c)
	}
	git := exec.Command("bash", "-c", `git init -q . && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m 'say "hi"' && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m second`)
	git.Dir, git.Env = p.dir, append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null") // a user's settings could sign, or run hooks
	if out, err := git.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if got := fire(hooks.PromptInput{Prompt: "go"}).Context(); got != "Last commits:\nsecond\nsay hi\n" {
		t.Errorf("the commits are %q", got)
	}
	for _, h := range config.Hooks {
		if why := shellcmd.Indirect(h.Command, p.dir, h.Env); why != "" {
			t.Errorf("the example %s would be asked about in each session: %s", h.Name, why)
		}
		if !used[h.Name] {
			t.Errorf("the example %s was not tried", h.Name)
		}
	}
	if _, err := os.Stat(filepath.Join(p.dir, ".gemini")); err != nil {
		t.Error(err)
	}
}
