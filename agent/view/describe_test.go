package view_test

import (
	"encoding/json"
	"testing"

	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/tools"
)

// What editors without a form of their own show: everything that the decision depends on.
func TestDescribe(t *testing.T) {
	for _, c := range []struct {
		name string
		q    frontend.Question
		want string
	}{
		{
			name: "a command that does not see unsaved text", q: frontend.Question{Reason: "It leaves the sandbox.", Preview: frontend.Preview{
				Command: "make test", Cwd: "/w", Sandbox: "B", Saves: []ide.URI{"file:///w/a.go"}, Unsaved: []ide.URI{"file:///w/b.go", "untitled:c"},
			}},
			want: "Run this command? make test\n\nIt leaves the sandbox.\n\nRuns in: /w\nSandbox: Partly: it writes the workspace alone and has no network, but could change metadata of other files\nSaves first: /w/a.go\nDoes not see the unsaved text of: /w/b.go, untitled:c",
		},
		{name: "a command of several lines, without a sandbox", q: frontend.Question{Preview: frontend.Preview{Command: "a\nb", Cwd: "/w", Sandbox: "C"}}, want: "Run this command?\n\nCommand:\na\nb\n\nRuns in: /w\nSandbox: None: it can do whatever you can"},
		{name: "hidden characters in a command", q: frontend.Question{Preview: frontend.Preview{Command: "a\u202eb", Cwd: "/w"}}, want: "Run this command? a\\u{202E}b\n\nRuns in: /w"},
		{
			name: "a hook of a folder", q: frontend.Question{Preview: frontend.Preview{Executable: &frontend.Executable{Kind: "hook", Name: "check", Command: "./check", Env: []frontend.Setting{{Name: "A", Value: "1"}, {Name: "KEY"}}}}},
			want: "Start the hook check of this folder? ./check\n\nSets: A=1, KEY (not shown)",
		},
		{
			name: "a server at an address", q: frontend.Question{Preview: frontend.Preview{Executable: &frontend.Executable{Kind: "mcp", Name: "db", Command: "https://db", Headers: []frontend.Setting{{Name: "X", Value: "y"}}}}},
			want: "Start the MCP server db of this folder? https://db\n\nSends the headers: X=y",
		},
		{name: "a call that waits for edits", q: frontend.Question{Call: frontend.CallInfo{Title: "Run tests"}, Preview: frontend.Preview{Waits: []string{"s"}}}, want: "Go on before you decide on the edits? Run tests"},
		{
			name: "parts of a command, one of them denied", q: frontend.Question{Rule: "deny rm", Preview: frontend.Preview{Command: "ls && rm -rf x", Cwd: "/w", Commands: []frontend.CommandPart{
				{Text: "ls", Decision: "allow"}, {Text: "rm -rf x", Decision: "deny", Reason: "a rule denies it", Rule: "deny rm", Danger: "it removes x"},
			}}},
			want: "Run this command? ls && rm -rf x\n\nRule: deny rm\nDenied: rm -rf x\nIt could destroy something: it removes x\nBecause: a rule denies it\nRule: deny rm\nRuns in: /w\nAllowed: ls",
		},
		{
			name: "a program that has changed", q: frontend.Question{Preview: frontend.Preview{Executable: &frontend.Executable{Kind: "mcp", Name: "db", Command: "sh db.sh", Changed: true, Scripts: []string{"/w/db.sh"}, Hosts: []string{"example.com"}}}},
			want: "Start the MCP server db of this folder? sh db.sh\n\nIt has changed since it was approved.\nReaches: example.com\nFiles that it runs: /w/db.sh",
		},
		{name: "a plan", q: frontend.Question{Preview: frontend.Preview{PlanURI: "file:///p.md"}}, want: "Carry out this plan?\n\nPlan: /p.md"},
		{name: "a task for a remote agent", q: frontend.Question{Preview: frontend.Preview{URLs: []string{"https://a"}, Text: "do it"}}, want: "Send this task to the remote agent? https://a do it"},
		{name: "a question of a remote agent", q: frontend.Question{Preview: frontend.Preview{Text: "Which one?"}}, want: "Allow a remote agent to do this? Which one?"},
		{name: "addresses", q: frontend.Question{Preview: frontend.Preview{URLs: []string{"https://a", "https://b"}}}, want: "Reach these addresses? https://a, https://b"},
		{name: "a request of a server for the model", q: frontend.Question{Preview: frontend.Preview{ServerName: "db", ToolName: tools.Sampling, Args: json.RawMessage(`{"a":1}`)}}, want: "Let the MCP server db ask the model?\n\nArguments:\n{\n  \"a\": 1\n}"},
		{name: "a tool of a server", q: frontend.Question{Preview: frontend.Preview{ServerName: "db", ToolName: "drop", Args: json.RawMessage(`{"a":1}`)}}, want: "Use the tool drop of the MCP server db?\n\nArguments:\n{\n  \"a\": 1\n}"},
		{name: "a skill", q: frontend.Question{Preview: frontend.Preview{Skill: "pdf", Paths: []string{"/s/pdf"}}}, want: "Use the skill pdf?\n\nFile: /s/pdf"},
		{name: "files", q: frontend.Question{Preview: frontend.Preview{Paths: []string{"/a", "/b"}}}, want: "Read these files? /a, /b"},
		{name: "an edit", q: frontend.Question{Call: frontend.CallInfo{Title: "Edit a.go"}}, want: "Allow this: Edit a.go?"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := view.Describe(c.q); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// Clients without forms get a field as text: with which answers it takes, its default and its
// choices.
func TestDescribeField(t *testing.T) {
	for _, tt := range []struct {
		q    tools.Question
		want string
	}{
		{tools.Question{Question: "Which?", Type: tools.TextQuestion}, "Which?"},
		{tools.Question{Question: "How many?", Type: tools.IntegerQuestion, Expected: tools.Expected{Required: true, Default: "5", Minimum: new(1.0), Maximum: new(9.0)}}, "How many? (A whole number; From 1 to 9; Required; By default 5)"},
		{tools.Question{Question: "Where?", Type: tools.URLQuestion}, "Where? (A web address)"},
		{tools.Question{Question: "Name\u202e?", Type: tools.TextQuestion, Expected: tools.Expected{Format: "e\u202email", MaxLength: new(3)}}, `Name\u{202E}? (In the format e\u{202E}mail; At most 3 characters)`},
		{tools.Question{Question: "Which?", Type: tools.ChoiceQuestion, MultiSelect: true, Options: []tools.Choice{{Label: "a", Value: "x", Description: "one"}, {Label: "b", Value: "y"}}, Expected: tools.Expected{Default: []string{"x"}, MinItems: new(1)}}, "Which? (At least 1 of these; By default a)\n- a: one\n- b"},
		{tools.Question{Question: "Sure?", Type: tools.YesNoQuestion}, "Sure?"},
	} {
		if got := view.FieldOf(tt.q, "q1").Describe(); got != tt.want {
			t.Errorf("got\n%s\nwant\n%s", got, tt.want)
		}
	}
}
