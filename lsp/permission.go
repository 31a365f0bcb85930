package lsp

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/internal/visible"
)

// permission returns the question for permission for a call.
func (s *server) permission(q agent.Question) *question {
	type about struct {
		tool    string
		preview agent.Preview
	}
	o := &question{
		sessionID: q.SessionID, turnID: q.TurnID, callID: q.Call.CallID, about: about{q.Call.Name, q.Preview},
		task: oneLine(taskOf(q)), text: describe(q), marked: s.can.publish && !s.can.permission,
	}
	for _, x := range q.Options {
		o.choices = append(o.choices, choice{x.ID, visible.Text(x.Name)})
	}
	return o
}

// taskOf names what permission is asked for.
func taskOf(q agent.Question) string {
	switch p := q.Preview; {
	case p.Command != "":
		return visible.Text(p.Command)
	case p.Executable != nil:
		return visible.Text(p.Executable.Command)
	case len(p.URLs) > 0:
		return visible.Line(strings.Join(p.URLs, ", "))
	case len(p.Paths) > 0:
		return "read " + visible.Line(strings.Join(p.Paths, ", "))
	}
	return visible.Text(q.Call.Title)
}

// describe says in full what is asked: exactly the command, where, and what it
// would not see.
func describe(q agent.Question) string {
	var b strings.Builder
	p := q.Preview
	switch {
	case p.Command != "":
		fmt.Fprintf(&b, "emendo wants to run this command:%s\n\nFolder: %s\n", quoted(p.Command), visible.Line(p.Cwd))
	case p.Executable != nil:
		describeExecutable(&b, *p.Executable)
	case p.Plan != "":
		fmt.Fprintf(&b, "emendo has written a plan and wants to carry it out: %s\n", visible.Text(p.Plan))
	case len(p.URLs) > 0:
		fmt.Fprintf(&b, "emendo wants to reach %s.\n", visible.Line(strings.Join(p.URLs, ", ")))
	case len(p.Paths) > 0:
		fmt.Fprintf(&b, "emendo wants to read %s.\n", visible.Line(strings.Join(p.Paths, ", ")))
	default:
		fmt.Fprintf(&b, "emendo wants to do this: %s\n", visible.Text(q.Call.Title))
	}
	switch p.Sandbox {
	case "":
	case "C":
		b.WriteString("\nIt would run without a sandbox.\n")
	default:
		fmt.Fprintf(&b, "\nIt would run in a sandbox of level %s.\n", p.Sandbox)
	}
	if q.Reason != "" {
		fmt.Fprintf(&b, "\n%s\n", visible.Text(q.Reason))
	}
	listFiles(&b, "The editor saves these files first:", p.Saves)
	listFiles(&b, "Not saved, so the command sees the text on disk:", p.Unsaved)
	return strings.TrimRight(b.String(), "\n")
}

// listFiles lists files under a heading, if there are any.
func listFiles(b *strings.Builder, heading string, uris []ide.URI) {
	if len(uris) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s\n", heading)
	for _, u := range uris {
		fmt.Fprintf(b, "- %s\n", visible.Line(cmp.Or(ide.ParseURI(string(u)).Path(), string(u))))
	}
}

// quoted is a command as it follows a colon. One of a single line stays in that
// line: some editors show no more of a diagnostic.
func quoted(command string) string {
	if strings.Contains(command, "\n") {
		return "\n\n" + visible.Text(command)
	}
	return " " + visible.Text(command)
}

// describeExecutable says what a folder's own settings would start.
func describeExecutable(b *strings.Builder, e agent.Executable) {
	what := map[string]string{"hook": "the hook", "mcp": "the MCP server", "discovery": "the discovery command"}[e.Kind]
	fmt.Fprintf(b, "The settings of this project would start %s %s:%s\n", what, visible.Line(e.Name), quoted(e.Command))
	if len(e.Env) > 0 {
		fmt.Fprintf(b, "\nIt sets %s.\n", visible.Line(strings.Join(e.Env, ", ")))
	}
}
