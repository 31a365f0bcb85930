package frontend

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/tools"
)

// Describe returns the full text of the question for the user, including the exact
// command, its folder and the unsaved text that it would not see.
func Describe(q Question) string {
	var b strings.Builder
	p := q.Preview
	switch {
	case len(p.Waits) > 0:
		fmt.Fprintf(&b, "emendo waits for your decision on its edits before it goes on with: %s\n", visible.Text(q.Call.Title))
	case p.Command != "":
		fmt.Fprintf(&b, "emendo wants to run this command:%s\n\nFolder: %s\n", quoted(p.Command), visible.Line(p.Cwd))
	case p.Executable != nil:
		describeExecutable(&b, *p.Executable)
	case p.PlanURI != "":
		fmt.Fprintf(&b, "emendo has written a plan and asks to carry it out: %s\n", visible.Text(p.PlanURI.Path()))
	case len(p.URLs) > 0 && p.Text != "":
		fmt.Fprintf(&b, "emendo wants to send this task to the remote agent at %s:%s\n", visible.Line(strings.Join(p.URLs, ", ")), quoted(p.Text))
	case p.Text != "":
		fmt.Fprintf(&b, "%s\n", visible.Text(p.Text))
	case len(p.URLs) > 0:
		fmt.Fprintf(&b, "emendo wants to access %s.\n", visible.Line(strings.Join(p.URLs, ", ")))
	case p.ToolName == tools.Sampling:
		fmt.Fprintf(&b, "The MCP server %s requests an answer of the model to this:%s\n", visible.Line(p.ServerName), quoted(string(p.Args)))
	case p.ServerName != "":
		fmt.Fprintf(&b, "emendo wants to use the tool %s of the MCP server %s, with these arguments:%s\n", visible.Line(p.ToolName), visible.Line(p.ServerName), quoted(string(p.Args)))
	case p.Skill != "":
		fmt.Fprintf(&b, "emendo wants to follow the instructions of the skill %s: %s\n", visible.Line(p.Skill), visible.Line(strings.Join(p.Paths, ", ")))
	case len(p.Paths) > 0:
		fmt.Fprintf(&b, "emendo wants to read %s.\n", visible.Line(strings.Join(p.Paths, ", ")))
	default:
		fmt.Fprintf(&b, "emendo asks for: %s\n", visible.Text(q.Call.Title))
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
	listFiles(&b, "Unsaved files; the command sees their text on disk:", p.Unsaved)
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

// quoted formats a command after a colon. A single line stays on the same line,
// because some editors show only the first line of a diagnostic.
func quoted(command string) string {
	if strings.Contains(command, "\n") {
		return "\n\n" + visible.Text(command)
	}
	return " " + visible.Text(command)
}

// describeExecutable describes a program that a folder's settings would start.
func describeExecutable(b *strings.Builder, e Executable) {
	what := map[string]string{"hook": "the hook", "mcp": "the MCP server", "discovery": "the discovery command"}[e.Kind]
	fmt.Fprintf(b, "emendo wants to start %s %s:%s\n", what, visible.Line(e.Name), quoted(e.Command))
	for _, l := range []struct {
		what string
		all  []Setting
	}{{"It sets the variables:", e.Env}, {"It is sent the headers:", e.Headers}} {
		if len(l.all) == 0 {
			continue
		}
		fmt.Fprintf(b, "\n%s\n", l.what)
		for _, s := range l.all {
			fmt.Fprintf(b, "- %s\n", visible.Line(s.String()))
		}
	}
}
