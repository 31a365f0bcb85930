package frontend

import (
	"encoding/json"
	"testing"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/tools"
)

// What editors without a form of their own show: everything that the decision depends on.
func TestDescribe(t *testing.T) {
	for _, c := range []struct {
		name string
		q    Question
		want string
	}{
		{
			name: "a command that does not see unsaved text", q: Question{Reason: "It leaves the sandbox.", Preview: Preview{
				Command: "make test", Cwd: "/w", Sandbox: "B", Saves: []ide.URI{"file:///w/a.go"}, Unsaved: []ide.URI{"file:///w/b.go", "untitled:c"},
			}},
			want: "emendo wants to run this command: make test\n\nFolder: /w\n\nIt would run in a sandbox of level B.\n\nIt leaves the sandbox.\n\nThe editor saves these files first:\n- /w/a.go\n\nUnsaved files; the command sees their text on disk:\n- /w/b.go\n- untitled:c",
		},
		{name: "a command of several lines, without a sandbox", q: Question{Preview: Preview{Command: "a\nb", Cwd: "/w", Sandbox: "C"}}, want: "emendo wants to run this command:\n\na\nb\n\nFolder: /w\n\nIt would run without a sandbox."},
		{name: "hidden characters in a command", q: Question{Preview: Preview{Command: "a\u202eb", Cwd: "/w"}}, want: "emendo wants to run this command: a\\u{202E}b\n\nFolder: /w"},
		{
			name: "a hook of a folder", q: Question{Preview: Preview{Executable: &Executable{Kind: "hook", Name: "check", Command: "./check", Env: []Setting{{Name: "A", Value: "1"}, {Name: "KEY"}}}}},
			want: "emendo wants to start the hook check: ./check\n\nIt sets the variables:\n- A=1\n- KEY (not shown)",
		},
		{
			name: "a server at an address", q: Question{Preview: Preview{Executable: &Executable{Kind: "mcp", Name: "db", Command: "https://db", Headers: []Setting{{Name: "X", Value: "y"}}}}},
			want: "emendo wants to start the MCP server db: https://db\n\nIt is sent the headers:\n- X=y",
		},
		{name: "a call that waits for edits", q: Question{Call: CallInfo{Title: "Run tests"}, Preview: Preview{Waits: []string{"s"}}}, want: "emendo waits for your decision on its edits before it goes on with: Run tests"},
		{name: "a plan", q: Question{Preview: Preview{PlanURI: "file:///p.md"}}, want: "emendo has written a plan and asks to carry it out: /p.md"},
		{name: "a task for a remote agent", q: Question{Preview: Preview{URLs: []string{"https://a"}, Text: "do it"}}, want: "emendo wants to send this task to the remote agent at https://a: do it"},
		{name: "a question of a remote agent", q: Question{Preview: Preview{Text: "Which one?"}}, want: "Which one?"},
		{name: "addresses", q: Question{Preview: Preview{URLs: []string{"https://a", "https://b"}}}, want: "emendo wants to access https://a, https://b."},
		{name: "a request of a server for the model", q: Question{Preview: Preview{ServerName: "db", ToolName: tools.Sampling, Args: json.RawMessage(`{"a":1}`)}}, want: `The MCP server db requests an answer of the model to this: {"a":1}`},
		{name: "a tool of a server", q: Question{Preview: Preview{ServerName: "db", ToolName: "drop", Args: json.RawMessage(`{"a":1}`)}}, want: `emendo wants to use the tool drop of the MCP server db, with these arguments: {"a":1}`},
		{name: "a skill", q: Question{Preview: Preview{Skill: "pdf", Paths: []string{"/s/pdf"}}}, want: "emendo wants to follow the instructions of the skill pdf: /s/pdf"},
		{name: "files", q: Question{Preview: Preview{Paths: []string{"/a", "/b"}}}, want: "emendo wants to read /a, /b."},
		{name: "an edit", q: Question{Call: CallInfo{Title: "Edit a.go"}}, want: "emendo asks for: Edit a.go"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Describe(c.q); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}
