package policy

import (
	"testing"

	"github.com/emendo-dev/emendo/tools"
)

func TestListsOfTheSettings(t *testing.T) {
	npm, git := runs(part(2, "npm test")), runs(part(2, "git push"))
	for _, c := range []struct {
		name  string
		lists Lists
		e     tools.Effect
		want  string
		off   bool // the tool is not offered to the model
	}{
		{name: "a tool that is allowed", lists: Lists{Allowed: []string{shellTool}}, e: npm, want: "allow"},
		{name: "commands that are allowed", lists: Lists{Allowed: []string{"run_shell_command(npm test)"}}, e: npm, want: "allow"},
		{name: "commands that are allowed as Gemini CLI has it", lists: Lists{Allowed: []string{"ShellTool(npm test)"}}, e: npm, want: "allow"},
		{name: "other commands that are allowed", lists: Lists{Allowed: []string{"run_shell_command(npm test)"}}, e: git, want: "ask"},
		{name: "an invalid prefix", lists: Lists{Allowed: []string{"run_shell_command()", "run_shell_command('x)"}}, e: npm, want: "ask"},
		{name: "an invalid prefix, excluded", lists: Lists{Exclude: []string{"run_shell_command('rm)"}, Allowed: []string{shellTool}}, e: npm, want: "deny", off: true},
		{name: "an invalid prefix, always asked about", lists: Lists{Confirm: []string{"run_shell_command()"}, Allowed: []string{shellTool}}, e: npm, want: "ask"},
		{name: "a part of a tool that has none, excluded", lists: Lists{Exclude: []string{"read_file(a)"}}, e: tools.Reads{Paths: []string{"/project/a"}}, want: "deny", off: true},
		{name: "a tool that is excluded", lists: Lists{Exclude: []string{shellTool}, Allowed: []string{shellTool}}, e: npm, want: "deny", off: true},
		{name: "commands that are excluded", lists: Lists{Exclude: []string{"run_shell_command(git)"}, Allowed: []string{shellTool}}, e: git, want: "deny"},
		{name: "commands that are not excluded", lists: Lists{Exclude: []string{"run_shell_command(git)"}, Allowed: []string{shellTool}}, e: npm, want: "allow"},
		{name: "a tool that is always asked about", lists: Lists{Confirm: []string{shellTool}, Allowed: []string{shellTool}}, e: npm, want: "ask"},
		{name: "a tool that is among the only ones", lists: Lists{Core: []string{"read_file", shellTool}}, e: npm, want: "ask"},
		{name: "a tool that is not among the only ones", lists: Lists{Core: []string{"read_file"}}, e: npm, want: "deny", off: true},
		{name: "commands that are among the only ones", lists: Lists{Core: []string{"run_shell_command(npm test)"}}, e: npm, want: "ask"},
		{name: "commands that are not among the only ones", lists: Lists{Core: []string{"run_shell_command(npm test)"}}, e: git, want: "deny"},
		{name: "the only commands, also allowed", lists: Lists{Core: []string{"run_shell_command(npm test)"}, Allowed: []string{shellTool}}, e: npm, want: "allow"},
		{name: "reading that is always asked about", lists: Lists{Confirm: []string{"read_file"}}, e: tools.Reads{Paths: []string{"/project/a"}}, want: "ask"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := New(c.lists.Rules(), nil)
			call := callOf(c.e)
			if d := e.Decide(call); d.Kind.String() != c.want {
				t.Errorf("%s by %s, want %s", d.Kind, d.Rule, c.want)
			}
			if rule, off := e.Excluded(call); off != c.off {
				t.Errorf("switched off: %v by %s", off, rule)
			}
		})
	}
}
