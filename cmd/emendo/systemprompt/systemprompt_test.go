package systemprompt_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/briefing"
	"github.com/emendo-dev/emendo/cmd/emendo/systemprompt"
)

// only returns an environment with one variable.
func only(name, value string) systemprompt.Env {
	return func(n string) string {
		if n == name {
			return value
		}
		return ""
	}
}

func TestSystemPrompt(t *testing.T) {
	home, project := t.TempDir(), t.TempDir()
	for path, text := range map[string]string{
		filepath.Join(home, "own.md"):               "Mine.",
		filepath.Join(home, "empty.md"):             " \n",
		filepath.Join(project, ".emendo/system.md"): "The project's.",
		filepath.Join(project, ".gemini/system.md"): "Gemini's.",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"by-file.md": filepath.Join(project, ".emendo/system.md"), "by-folder": project} {
		if err := os.Symlink(to, filepath.Join(home, link)); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		name      string
		env       map[string]string
		untrusted bool
		nowhere   bool   // no folder is open
		want      string // the replacement, or a part of the error
	}{
		{name: "nothing said"},
		{name: "off", env: map[string]string{"EMENDO_SYSTEM_MD": "0", "GEMINI_SYSTEM_MD": "true"}},
		{name: "a file", env: map[string]string{"EMENDO_SYSTEM_MD": filepath.Join(home, "own.md")}, want: "Mine."},
		{name: "a file below home", env: map[string]string{"GEMINI_SYSTEM_MD": "~/own.md"}, untrusted: true, want: "Mine."},
		{name: "the project's", env: map[string]string{"EMENDO_SYSTEM_MD": "1"}, want: "The project's."},
		{name: "the project's of old", env: map[string]string{"GEMINI_SYSTEM_MD": "True"}, want: "Gemini's."},
		{name: "a restricted project's", env: map[string]string{"EMENDO_SYSTEM_MD": "1"}, untrusted: true, want: "restricted folder"},
		{name: "a restricted project's by a link", env: map[string]string{"EMENDO_SYSTEM_MD": "~/by-file.md"}, untrusted: true, want: "restricted folder"},
		{name: "a restricted project's by its other name", env: map[string]string{"EMENDO_SYSTEM_MD": "~/by-folder/.emendo/system.md"}, untrusted: true, want: "restricted folder"},
		{name: "a file of the user's where no folder is open", env: map[string]string{"EMENDO_SYSTEM_MD": "~/own.md"}, untrusted: true, nowhere: true, want: "Mine."},
		{name: "missing", env: map[string]string{"EMENDO_SYSTEM_MD": "~/gone.md"}, want: "read the system prompt"},
		{name: "empty", env: map[string]string{"EMENDO_SYSTEM_MD": "~/empty.md"}, want: "the file is empty"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			env := systemprompt.Env(func(name string) string {
				if name == "HOME" {
					return home
				}
				return tt.env[name]
			})
			in := project
			if tt.nowhere {
				in = ""
			}
			o, err := env.Options(in, !tt.untrusted)
			if err != nil {
				if tt.want == "" || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("error %v, want %q", err, tt.want)
				}
				return
			}
			if o.Replacement != tt.want {
				t.Errorf("got %q, want %q", o.Replacement, tt.want)
			}
		})
	}
}

func TestEveryModuleHasItsSwitch(t *testing.T) {
	for _, name := range briefing.ModuleNames() {
		for _, from := range []string{"EMENDO_", "GEMINI_"} {
			set := from + "PROMPT_" + strings.ToUpper(name)
			o, err := only(set, "0").Options(t.TempDir(), true)
			if err != nil {
				t.Fatal(err)
			}
			for _, other := range briefing.ModuleNames() {
				if o.Off(other) != (other == name) {
					t.Errorf("%s=0 leaves out %s: %t", set, other, o.Off(other))
				}
			}
		}
	}
}

// A repository may have put a link where the prompt is written.
func TestThePromptIsWrittenThroughNoLinkOfTheProject(t *testing.T) {
	for _, c := range []struct{ name, link, to string }{
		{"the file", ".emendo/system.md", "secret"},
		{"its folder", ".emendo", ""},
		{"to what is inside", ".emendo/system.md", "project/.git/hooks/pre-commit"},
	} {
		t.Run(c.name, func(t *testing.T) {
			base := t.TempDir()
			project, target := filepath.Join(base, "project"), filepath.Join(base, c.to)
			link := filepath.Join(project, c.link)
			if err := errors.Join(os.MkdirAll(filepath.Dir(link), 0o755), os.Symlink(target, link)); err != nil {
				t.Fatal(err)
			}
			write, err := only("EMENDO_WRITE_SYSTEM_MD", "1").Writer(project)
			if err != nil {
				t.Fatal(err)
			}
			if err := write("prompt"); err == nil || !strings.Contains(err.Error(), "a symbolic link") {
				t.Errorf("got %v", err)
			}
			for _, name := range []string{"secret", "system.md", "project/.git"} {
				if _, err := os.Lstat(filepath.Join(base, name)); err == nil {
					t.Errorf("%s was written", name)
				}
			}
		})
	}
}

func TestModulesAreSwitchedOff(t *testing.T) {
	env := map[string]string{"EMENDO_PROMPT_GIT": "0", "GEMINI_PROMPT_PREAMBLE": "False", "EMENDO_PROMPT_COREMANDATES": "1", "GEMINI_PROMPT_COREMANDATES": "0"}
	o, err := systemprompt.Env(func(name string) string { return env[name] }).Options(t.TempDir(), true)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"git": true, "preamble": true, "coreMandates": false, "memory": false} {
		if o.Off(name) != want {
			t.Errorf("%s is off: %v, want %v", name, !want, want)
		}
	}
}

func TestSystemPromptIsWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "prompt.md")
	write, err := only("EMENDO_WRITE_SYSTEM_MD", path).Writer("")
	if err != nil {
		t.Fatal(err)
	}
	if err := write("You are."); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(path); string(b) != "You are." || err != nil {
		t.Errorf("the file holds %q, %v", b, err)
	}
	if write, err := only("OTHER", "x").Writer(""); write != nil || err != nil {
		t.Errorf("nothing named: %v", err)
	}
}
