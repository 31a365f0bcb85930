package view_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/tools"
)

var update = flag.Bool("update", false, "write the files in testdata")

// Every kind of question has all that is to be known before it is answered: the golden file
// has what a client is sent.
func TestQuestionsSayEverything(t *testing.T) {
	once := []frontend.Option{{ID: "allow_once", Name: "Allow once", Kind: frontend.AllowOnce}, {ID: "reject_once", Name: "Deny", Kind: frontend.RejectOnce}}
	call := func(title string) frontend.CallInfo { return frontend.CallInfo{CallID: "c1", Title: title} }
	for name, c := range map[string]struct {
		q    frontend.Question
		plan string
	}{
		"command": {q: frontend.Question{Reason: "It reaches example.com.", Rule: "built in: network", Preview: frontend.Preview{Command: "curl https://example.com", Cwd: "/w", Sandbox: "A", Parsed: []string{"curl https://example.com"}, Commands: []frontend.CommandPart{{Text: "curl https://example.com", Decision: "ask", Reason: "It reaches example.com."}}}}},
		"command-of-parts": {q: frontend.Question{Reason: "A part of it could destroy something.", Preview: frontend.Preview{
			Command: "ls &&\nrm -rf /srv && sudo id", Cwd: "/w/sub", Sandbox: "C", Saves: []ide.URI{"file:///w/a.go"}, Unsaved: []ide.URI{"file:///w/b.go", "untitled:c"},
			Commands: []frontend.CommandPart{
				{Text: "ls", Decision: "allow", Rule: "built in: reads"},
				{Text: "rm -rf /srv", Decision: "ask", Reason: "It deletes files.", Danger: "it deletes a folder"},
				{Text: "sudo id", Decision: "deny", Reason: "It becomes another user.", Rule: "administrator: 3"},
			},
		}}},
		"command-hidden":  {q: frontend.Question{Reason: "a\u202eb", Preview: frontend.Preview{Command: "echo a\u202eb [x](y)", Cwd: "/w"}}},
		"waits":           {q: frontend.Question{Call: call("go test ./..."), Preview: frontend.Preview{Waits: []string{"s1"}}}},
		"skill":           {q: frontend.Question{Preview: frontend.Preview{Skill: "pdf", Paths: []string{"/home/me/skills/pdf/SKILL.md"}}}},
		"read":            {q: frontend.Question{Reason: "It is outside the workspace.", Preview: frontend.Preview{Paths: []string{"/etc/hosts"}}}},
		"read-several":    {q: frontend.Question{Preview: frontend.Preview{Paths: []string{"/etc/hosts", "/etc/passwd"}}}},
		"task":            {q: frontend.Question{Preview: frontend.Preview{URLs: []string{"https://agents.example/a"}, Text: "Do this\nand that."}}},
		"remote":          {q: frontend.Question{Preview: frontend.Preview{Text: "May I pay?"}}},
		"urls":            {q: frontend.Question{Preview: frontend.Preview{URLs: []string{"https://example.com/x?q=1", "not a url"}}}},
		"sampling":        {q: frontend.Question{Preview: frontend.Preview{ServerName: "db", ToolName: tools.Sampling, Args: json.RawMessage(`{"messages":[{"a":1}]}`)}}},
		"mcp":             {q: frontend.Question{Preview: frontend.Preview{ServerName: "db", ToolName: "drop", Args: json.RawMessage(`{"table":"a\u202eb"}`)}}},
		"start-hook":      {q: frontend.Question{Preview: frontend.Preview{Executable: &frontend.Executable{Kind: "hook", Name: "check", Command: "./check --all", Cwd: "/w", Env: []frontend.Setting{{Name: "A", Value: "1"}, {Name: "KEY"}}, Scripts: []string{"/w/check"}, Changed: true}}}},
		"start-mcp":       {q: frontend.Question{Preview: frontend.Preview{Executable: &frontend.Executable{Kind: "mcp", Name: "db", Command: "https://db.example", Headers: []frontend.Setting{{Name: "X", Value: "y"}}, Hosts: []string{"db.example"}}}}},
		"start-discovery": {q: frontend.Question{Preview: frontend.Preview{Executable: &frontend.Executable{Kind: "discovery", Name: "tools", Command: "./tools"}}}},
		"plan":            {q: frontend.Question{Preview: frontend.Preview{PlanURI: "file:///home/me/plan.md"}}, plan: "# Plan\n\n1. Do it.\n"},
		"edits":           {q: frontend.Question{Call: frontend.CallInfo{CallID: "c1", Title: "Edit a.go", Diffs: []transcript.Diff{{Path: "/w/a.go", Old: new("1\n2\n3\n4\n5\n6\n7\n8\n9\n"), New: "1\n2\n3\n4\nfive\n6\n7\n8\n9\nten\n"}}}, Preview: frontend.Preview{ChangeSetID: "s1"}}},
		"call":            {q: frontend.Question{Call: call("Something else")}},
	} {
		t.Run(name, func(t *testing.T) {
			c.q.SessionID, c.q.Options = "s", once
			if c.q.Call.CallID == "" {
				c.q.Call = call("Call")
			}
			goldenQuestion(t, name, view.Permission(c.q, view.Asked{ID: "q1", Folders: folder("/w"), Plan: c.plan, Encoding: ide.UTF16}))
		})
	}
}

// goldenQuestion compares a question with a text to read, and with the JSON from which the tests
// of the clients draw it.
func goldenQuestion(t *testing.T, name string, q view.Question) {
	t.Helper()
	golden(t, filepath.Join("questions", name+".txt"), written(q))
	raw, err := json.MarshalIndent(q, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, filepath.Join("questions", name+".json"), string(raw)+"\n")
}

// golden compares a text with a file in testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// folder is the only folder of a session.
type folder string

func (f folder) Near(path string) string { return strings.TrimPrefix(path, string(f)+"/") }

// written returns a question as text to read.
func written(q view.Question) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\nbrief: %s", q.Code, q.Title.Text, q.Brief.Text)
	if q.Whole {
		b.WriteString(" (that is all)")
	}
	b.WriteString("\n")
	for _, p := range q.Parts {
		fmt.Fprintf(&b, "--- %s %s (%s)\n%s", p.Label.Text, p.Lang, p.Kind, p.Text)
		if p.Text != "" && !strings.HasSuffix(p.Text, "\n") {
			b.WriteString("\n")
		}
		for _, r := range p.Rows {
			b.WriteString(r.Mark + r.Text + "\n")
		}
	}
	b.WriteString("---\n")
	for _, l := range q.Lines {
		if l.Look == "warning" {
			b.WriteString("! ")
		}
		if l.Label != nil {
			b.WriteString(l.Label.Text + ": ")
		}
		b.WriteString(l.Text.Text + "\n")
	}
	for _, f := range q.Fields {
		b.WriteString(writtenField(f))
	}
	for _, o := range q.Options {
		fmt.Fprintf(&b, "[%s] %s (%s)", o.ID, o.Title.Text, o.Look)
		for _, f := range o.Fields {
			fmt.Fprintf(&b, " + %s: %s", f.ID, f.Label.Text)
		}
		b.WriteString("\n")
	}
	return b.String()
}
