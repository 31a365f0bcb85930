package policy

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// files creates files below a folder.
func files(t *testing.T, dir string, texts map[string]string) {
	t.Helper()
	for name, text := range texts {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

const denyGlob, allowMake = "[[rule]]\ntoolName = \"glob\"\ndecision = \"deny\"\n", "[[rule]]\ntoolName = \"run_shell_command\"\ncommandPrefix = \"make\"\ndecision = \"allow\"\n"

func TestChangedFilesCount(t *testing.T) {
	dir := t.TempDir()
	at := Places{User: filepath.Join(dir, "user"), Projects: []string{filepath.Join(dir, "project")}}
	decided := func(wrong string) string {
		t.Helper()
		e, problems := Read(at)
		if got := strings.Join(problems, "; "); !strings.Contains(got, wrong) || wrong == "" && got != "" {
			t.Errorf("problems %q, want %q", got, wrong)
		}
		return e.Decide(callOf(runs(part(1, "make")))).Kind.String()
	}
	if got := decided(""); got != "ask" {
		t.Errorf("without files: %s", got)
	}
	files(t, dir, map[string]string{"user/a.toml": allowMake, "user/b.txt": "no rules", "user/.hidden.toml": "no rules"})
	if got := decided(""); got != "allow" {
		t.Errorf("with a rule: %s", got)
	}
	files(t, dir, map[string]string{"project/a.toml": strings.Replace(allowMake, "allow", "deny", 1)})
	if got := decided(""); got != "deny" {
		t.Errorf("with a project's rule: %s", got)
	}
	files(t, dir, map[string]string{"project/a.toml": "[[rule]]\ntoolName = 1\n"})
	if got := decided("a.toml:2: rule 1: toolName"); got != "ask" {
		t.Errorf("with a broken rule of the project: %s", got)
	}
	if err := os.Remove(filepath.Join(dir, "project", "a.toml")); err != nil {
		t.Fatal(err)
	}
	if got := decided(""); got != "allow" {
		t.Errorf("when it is gone: %s", got)
	}
	if err := os.MkdirAll(filepath.Join(dir, "user", "c.toml"), 0o755); err != nil {
		t.Fatal(err)
	}
	at.Extra = []string{filepath.Join(dir, "user", "b.txt")}
	if got := decided("b.txt:1: no valid TOML"); got != "ask" {
		t.Errorf("with a further file that is broken: %s", got)
	}
	at.Extra = []string{filepath.Join(dir, "nowhere.toml")}
	if got := decided("nowhere.toml: no such file"); got != "ask" {
		t.Errorf("with a further file that is not there: %s", got)
	}
}

// A file that was overwritten in place can have the same size and time.
func TestFilesAreReadEachTime(t *testing.T) {
	dir := t.TempDir()
	file, was := filepath.Join(dir, "a.toml"), time.Unix(1e9, 0)
	call := callOf(runs(part(1, "make")))
	for _, want := range []string{"allow", "deny", "allow"} {
		files(t, dir, map[string]string{"a.toml": fmt.Sprintf("%-200s\n", strings.Replace(allowMake, "allow", want, 1)+"#")})
		if err := os.Chtimes(file, was, was); err != nil {
			t.Fatal(err)
		}
		if e, problems := Read(Places{User: dir}); len(problems) > 0 || e.Decide(call).Kind.String() != want {
			t.Errorf("it is %s, want %s; problems %q", e.Decide(call).Kind, want, problems)
		}
	}
}

func TestSystemPolicyMustBelongToRoot(t *testing.T) {
	dir := t.TempDir()
	admin := filepath.Join(dir, "admin")
	files(t, dir, map[string]string{"admin/a.toml": denyGlob})
	e, problems := Read(Places{Admin: admin})
	if os.Getuid() != 0 {
		if len(problems) != 1 || !strings.Contains(problems[0], "does not belong to root") || len(e.Broken()) != 1 {
			t.Errorf("for a user's folder: problems %q", problems)
		}
		return
	}
	if len(problems) > 0 {
		t.Fatalf("for root's folder: problems %q", problems)
	}
	if err := os.Chmod(filepath.Join(admin, "a.toml"), 0o666); err != nil {
		t.Fatal(err)
	}
	if e, problems = Read(Places{Admin: admin}); len(problems) != 1 || !strings.Contains(problems[0], "users other than root can write it") || len(e.Broken()) != 1 {
		t.Errorf("for a world-writable file: problems %q", problems)
	}
}
