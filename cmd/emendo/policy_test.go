package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// decision is the output of `emendo policy check`.
type decision struct {
	Decision string
	Rule     string
	Reason   string
	Commands []struct{ Text, Decision string }
}

// checked runs `emendo policy check` and parses its output.
func (w *world) checked(args ...string) (decision, result) {
	w.t.Helper()
	r := w.exec(append([]string{"policy", "check"}, args...)...)
	var d decision
	if r.stdout != "" {
		if err := json.Unmarshal([]byte(r.stdout), &d); err != nil || strings.Count(r.stdout, "\n") != 1 {
			w.t.Fatalf("printed %q: %v", r.stdout, err)
		}
	}
	want := map[string]int{"allow": exitOK, "ask": exitAsk, "deny": exitDeny}
	if code, ok := want[d.Decision]; ok && code != r.code {
		w.t.Errorf("%s has the exit status %d", d.Decision, r.code)
	}
	return d, r
}

const noPush = `
[[rule]]
name = "no push"
toolName = "run_shell_command"
commandPrefix = "git push"
decision = "deny"
priority = 100
denyMessage = "Pushing is for people."

[[rule]]
toolName = "run_shell_command"
commandPrefix = ["git fetch", "npm test"]
decision = "allow"
priority = 100

[[rule]]
toolName = "write_file"
argsPattern = '"file_path":"[^"]*\.md"'
decision = "allow"
priority = 100
`

func TestPolicyCheckDecides(t *testing.T) {
	w := newWorld(t)
	w.put(filepath.Join(w.home, "config", "policies", "mine.toml"), noPush)
	w.write("a.txt", "one\n")
	w.write(".env", "KEY=1\n")
	w.write(".emendo/policies/ours.toml", "[[rule]]\nname = \"ours\"\ntoolName = \"run_shell_command\"\ncommandPrefix = \"npm test\"\ndecision = \"ask_user\"\n"+
		"[[rule]]\ntoolName = \"run_shell_command\"\ndecision = \"allow\"\npriority = 999\nmodes = [\"autoEdit\"]\n")
	extra := filepath.Join(w.dir, "..", "extra.toml")
	w.put(extra, "[[rule]]\ntoolName = \"run_shell_command\"\ncommandPrefix = \"make\"\ndecision = \"allow\"\npriority = 1\n")
	more := filepath.Join(w.dir, "..", "more.toml")
	w.put(more, "[[rule]]\ntoolName = \"run_shell_command\"\ncommandPrefix = \"make clean\"\ndecision = \"deny\"\npriority = 2\n")
	for _, c := range []struct {
		name string
		args []string
		want string
		rule string
		says string
	}{
		{name: "a command that reads", args: []string{"--trusted", "--command", "ls"}, want: "allow", rule: "only read"},
		{name: "the same without a sandbox", args: []string{"--trusted", "--no-sandbox", "--command", "ls"}, want: "ask"},
		{name: "the same in plan mode", args: []string{"--trusted", "--mode", "plan", "--command", "ls"}, want: "deny", rule: "mode plan"},
		{name: "the same in a restricted folder", args: []string{"--command", "ls"}, want: "deny", rule: "untrusted_workspace"},
		{name: "a restricted folder in mode yolo", args: []string{"--mode", "yolo", "--command", "ls"}, want: "deny", rule: "untrusted_workspace"},
		{name: "a command that nobody allows", args: []string{"--trusted", "--command", "make"}, want: "allow", rule: "the sandbox"},
		{name: "the same at level C", args: []string{"--trusted", "--level", "c", "--command", "make"}, want: "ask", rule: "commands"},
		{name: "one that cannot be undone", args: []string{"--trusted", "--command", "git commit -m x"}, want: "ask", rule: "version control"},
		{name: "one that a further file allows", args: []string{"--trusted", "--policy", extra, "--command", "make all"}, want: "allow", rule: "extra.toml:1"},
		{name: "one that another further file denies", args: []string{"--trusted", "--policy", extra, "--policy", more, "--command", "make clean"}, want: "deny", rule: "more.toml:1"},
		{name: "one that the user allows", args: []string{"--trusted", "--command", "git fetch origin"}, want: "allow", rule: "mine.toml:10"},
		{name: "one that a project asks about", args: []string{"--trusted", "--command", "npm test"}, want: "ask", rule: "ours"},
		{name: "one that a project would allow", args: []string{"--trusted", "--mode", "auto_edit", "--command", "git tag v1"}, want: "ask"},
		{name: "one that the user denies", args: []string{"--trusted", "--command", "git push"}, want: "deny", rule: "no push", says: "Pushing is for people."},
		{name: "the same in mode yolo", args: []string{"--trusted", "--mode", "yolo", "--command", "ls && /usr/bin/git push --force"}, want: "deny", rule: "no push"},
		{name: "a part of it", args: []string{"--trusted", "--command", "ls; env git push"}, want: "deny", rule: "no push"},
		{name: "anything in mode yolo", args: []string{"--trusted", "--mode", "yolo", "--command", "make"}, want: "allow"},
		{name: "what destroys, in mode yolo without a sandbox", args: []string{"--trusted", "--mode", "yolo", "--no-sandbox", "--command", "rm -rf src"}, want: "ask"},
		{name: "what destroys, in mode yolo with a sandbox", args: []string{"--trusted", "--mode", "yolo", "--command", "rm -rf src"}, want: "allow"},
		{name: "a protected path in mode yolo", args: []string{"--trusted", "--mode", "yolo", "--command", "echo x > .vscode/settings.json"}, want: "ask", rule: "protected path"},
		{name: "a file outside in mode yolo", args: []string{"--trusted", "--mode", "yolo", "--command", "echo x > ../other"}, want: "ask", rule: "outside"},
		{name: "no UTF-8", args: []string{"--trusted", "--command", "ls \xff"}, want: "ask"},
		{name: "reading a file", args: []string{"--tool", "read_file", "--args", `{"file_path":"a.txt"}`}, want: "allow"},
		{name: "reading a file that is not there", args: []string{"--tool", "read_file", "--args", `{"file_path":"b.txt"}`}, want: "allow"},
		{name: "reading a secret", args: []string{"--trusted", "--tool", "read_file", "--args", `{"file_path":".env"}`}, want: "ask", rule: "secret"},
		{name: "reading outside", args: []string{"--trusted", "--mode", "yolo", "--tool", "read_file", "--args", `{"file_path":"/etc/hostname"}`}, want: "deny", says: "outside"},
		{name: "an argument twice", args: []string{"--tool", "read_file", "--args", `{"file_path":"a.txt","file_path":"a.txt"}`}, want: "deny", says: "twice"},
		{name: "an argument that there is not", args: []string{"--tool", "read_file", "--args", `{"file_path":"a.txt","trusted":true}`}, want: "deny", says: "trusted"},
		{name: "an edit", args: []string{"--trusted", "--tool", "replace", "--args", `{"file_path":"a.txt","old_string":"one","new_string":"two"}`}, want: "ask"},
		{name: "an edit in mode auto_edit", args: []string{"--trusted", "--mode", "auto_edit", "--tool", "replace", "--args", `{"file_path":"a.txt","old_string":"one","new_string":"two"}`}, want: "allow"},
		{name: "an edit of a text that is not there", args: []string{"--trusted", "--mode", "auto_edit", "--tool", "replace", "--args", `{"file_path":"a.txt","old_string":"three","new_string":"two"}`}, want: "allow"},
		{name: "a new file that a rule allows", args: []string{"--trusted", "--tool", "write_file", "--args", `{"file_path":"a.md","content":"x"}`}, want: "allow", rule: "mine.toml:16"},
		{name: "the same in a restricted folder", args: []string{"--tool", "write_file", "--args", `{"file_path":"a.md","content":"x"}`}, want: "ask"},
		{name: "a new file that no rule allows", args: []string{"--trusted", "--tool", "write_file", "--args", `{"file_path":"a.go","content":"x"}`}, want: "ask"},
		{name: "what decides what may run", args: []string{"--trusted", "--mode", "yolo", "--tool", "write_file", "--args", `{"file_path":".git/config","content":"x"}`}, want: "deny", rule: "protected path"},
		{name: "what makes others run", args: []string{"--trusted", "--mode", "yolo", "--tool", "write_file", "--args", `{"file_path":".vscode/tasks.json","content":"x"}`}, want: "ask", rule: "protected path"},
		{name: "a tool that is not known", args: []string{"--trusted", "--tool", "mcp_db_query", "--args", `{}`}, want: "ask", rule: "no rule"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w.t = t
			d, r := w.checked(c.args...)
			if d.Decision != c.want || !strings.Contains(d.Rule, c.rule) || !strings.Contains(d.Reason, c.says) || r.stderr != "" {
				t.Errorf("got %+v, want %s by %q that says %q; %s", d, c.want, c.rule, c.says, r.stderr)
			}
		})
	}
}

// A tool strips the "@" before a path; rules match the stripped path.
func TestPolicyCheckReadsAMarkedPathAsTheToolDoes(t *testing.T) {
	w := newWorld(t)
	w.put(filepath.Join(w.home, "config", "policies", "mine.toml"), `[[rule]]
toolName = "*"
argsPattern = '"(file_path|dir_path|include_pattern|pattern)":"secret[/"]'
decision = "deny"
priority = 1

[[rule]]
toolName = "write_file"
argsPattern = '"file_path":"docs/'
decision = "allow"
priority = 1

[[rule]]
toolName = "write_file"
argsPattern = '"file_path":"@'
decision = "allow"
priority = 1
`)
	w.write("secret/x", "one\n")
	w.write("@named/x", "one\n")
	for _, c := range []struct{ tool, args, want string }{
		{"read_file", `{"file_path":"@secret/x"}`, "deny"},
		{"read_file", `{"file_path":"\u0040secret/x"}`, "deny"},
		{"read_file", `{"path":"@@secret/new"}`, "deny"},
		{"write_file", `{"file_path":"@secret/new","content":"x"}`, "deny"},
		{"replace", `{"file_path":"@secret/x","old_string":"one","new_string":"two"}`, "deny"},
		{"grep_search", `{"pattern":"one","dir_path":"@secret"}`, "deny"},
		{"grep_search", `{"pattern":"one","include_pattern":"@secret/*"}`, "deny"},
		{"grep_search", `{"pattern":"one","include_pattern":"./secret/*"}`, "deny"},
		{"glob", `{"pattern":"@secret/*"}`, "deny"},
		{"glob", `{"pattern":"*","dir_path":"@secret"}`, "deny"},
		{"list_directory", `{"dir_path":"@secret"}`, "deny"},
		{"run_shell_command", `{"command":"ls","dir_path":"@secret"}`, "deny"},
		{"write_file", `{"file_path":"@docs/a","content":"x"}`, "allow"},
		{"write_file", `{"file_path":"@main.go","content":"x"}`, "ask"},
		{"write_file", `{"file_path":"@named/y","content":"x"}`, "allow"},
		{"read_file", `{"file_path":"@named/x"}`, "allow"},
	} {
		if d, r := w.checked("--trusted", "--tool", c.tool, "--args", c.args); d.Decision != c.want {
			t.Errorf("%s %s: got %+v, want %s; %s", c.tool, c.args, d, c.want, r.stderr)
		}
	}
}

// The workspace includes the folders of the settings, as in a session.
func TestPolicyCheckUsesIncludedFolders(t *testing.T) {
	w := newWorld(t)
	further := t.TempDir()
	args := []string{"--trusted", "--mode", "auto_edit", "--tool", "write_file", "--args", `{"file_path":` + strconv.Quote(filepath.Join(further, "a.txt")) + `,"content":"x"}`}
	if d, _ := w.checked(args...); d.Decision != "deny" {
		t.Errorf("outside it is %+v", d)
	}
	w.put(filepath.Join(w.home, "config", "settings.json"), `{"context": {"includeDirectories": [`+strconv.Quote(further)+`]}}`)
	if d, r := w.checked(args...); d.Decision != "allow" {
		t.Errorf("inside it is %+v, %s", d, r.stderr)
	}
}

func TestPolicyCheckListsEachCommand(t *testing.T) {
	w := newWorld(t)
	d, _ := w.checked("--trusted", "--command", "ls | wc -l && git commit -m x 2>/dev/null")
	var got []string
	for _, c := range d.Commands {
		got = append(got, c.Text+": "+c.Decision)
	}
	if want := "ls: allow; wc -l: allow; git commit -m x 2>/dev/null: ask"; strings.Join(got, "; ") != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if d, r := w.checked("--trusted", "--tool", "glob", "--args", `{"pattern":"*"}`); d.Commands == nil || !strings.Contains(r.stdout, `"commands":[]`) {
		t.Errorf("a tool has the commands %s", r.stdout)
	}
}

func TestPolicyCheckReadsACommand(t *testing.T) {
	w := newWorld(t)
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := out.WriteString("ls\n# a remark\ngit stash\n"); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	var printed strings.Builder
	p := process{args: []string{"policy", "check", "--trusted", "--cwd", w.dir, "--command", "-"}, env: lookup(w.env), environ: w.env, stdin: in, stdout: &printed, stderr: &printed}
	if code := p.run(t.Context()); code != exitAsk || !strings.Contains(printed.String(), `{"text":"git stash","decision":"ask"`) {
		t.Errorf("exit %d: %s", code, printed.String())
	}
}

func TestBadPolicyFiles(t *testing.T) {
	for _, c := range []struct {
		name string
		text string
		says []string
	}{
		{"no TOML", "[[rule]\n", []string{"bad.toml:1: ", "TOML"}},
		{"an unknown field", "[[rule]]\ntoolName = \"glob\"\ndecision = \"deny\"\ncommandPrefx = \"x\"\n", []string{"bad.toml:4: rule 1", "commandPrefx", `"commandPrefix"`}},
		{"another decision", "\n[[rule]]\nname = \"mine\"\ntoolName = \"glob\"\ndecision = \"perhaps\"\n", []string{"bad.toml:5: mine", "perhaps"}},
		{"a bad expression", "[[rule]]\ntoolName = \"glob\"\ndecision = \"deny\"\nargsPattern = \"(\"\n", []string{"bad.toml:4: rule 1", "argsPattern"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			bad := filepath.Join(w.home, "bad.toml")
			w.put(bad, c.text)
			r := w.exec("policy", "check", "--trusted", "--mode", "yolo", "--policy", bad, "--command", "ls")
			r.wantCode(t, exitConfig)
			r.wantLine(t, c.says...)
			if r.stdout != "" {
				t.Errorf("printed %s", r.stdout)
			}
			w.put(filepath.Join(w.home, "config", "policies", "bad.toml"), c.text)
			r = w.run("-p", "hi")
			r.wantCode(t, exitConfig)
			r.wantLine(t, c.says...)
			if len(w.model.Requests()) > 0 {
				t.Error("the model was asked")
			}
		})
	}
}

func TestPolicyCheckRefusesBadInput(t *testing.T) {
	w := newWorld(t)
	for _, args := range [][]string{
		{},
		{"check"},
		{"look", "--command", "ls"},
		{"check", "--command", "ls", "--tool", "glob"},
		{"check", "--command", ""},
		{"check", "--command", "ls", "--args", "{}"},
		{"check", "--tool", "glob"},
		{"check", "--tool", "glob", "--args", "{"},
		{"check", "--tool", "mcp_a_b", "--args", "[]"},
		{"check", "--mode", "fast", "--command", "ls"},
		{"check", "--cwd", "/nowhere", "--command", "ls"},
	} {
		r := w.exec(append([]string{"policy"}, args...)...)
		r.wantCode(t, exitInput)
		r.wantLine(t)
	}
	if r := w.exec("policy", "check", "--policy", "/nowhere.toml", "--command", "ls"); r.code != exitConfig {
		t.Errorf("a file that is not there: exit %d, %s", r.code, r.stderr)
	}
}
