package inventory

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/internal/redact"
	"github.com/emendo-dev/emendo/internal/trust"
	"github.com/emendo-dev/emendo/internal/visible"
)

// maxListed limits how many items of one kind are listed by name.
const maxListed = 12

// Text describes what the folder contains, line by line, for the user to read
// before trusting it. looks are its entries with their approvals. Invisible
// characters are escaped.
func (v Inventory) Text(looks []trust.Look) string {
	var b strings.Builder
	if len(looks) > 0 {
		b.WriteString("It would start these, each only in its current version:\n")
		asked := 0
		for _, l := range looks {
			v.start(&b, l)
			if l.Unseen != "" {
				asked++
			}
		}
		if asked > 0 {
			fmt.Fprintf(&b, "Of these %d you are asked about %d in each session.\n", len(looks), asked)
		}
	}
	if len(v.Items) > 0 {
		b.WriteString("It would apply:\n")
		v.items(&b)
	}
	if len(v.Git) > 0 {
		b.WriteString("Its git configuration would make git run these. emendo's own git does not, but git in a command that you allow may:\n")
		for _, i := range v.Git[:min(len(v.Git), maxListed)] {
			line(&b, i.Path, i.Says)
		}
		writeRest(&b, len(v.Git))
	}
	if len(v.Unread) > 0 {
		b.WriteString("These could not be read and are ignored:\n")
		for _, u := range v.Unread {
			line(&b, u, "")
		}
	}
	if b.Len() == 0 {
		return "It contains nothing that would start or configure anything.\n"
	}
	return b.String()
}

func (v Inventory) start(b *strings.Builder, l trust.Look) {
	what := map[trust.Kind]string{trust.Hook: "hook", trust.Server: "MCP server", trust.Discovery: "discovery command"}[l.Kind]
	line(b, what+" "+l.Name, l.CommandLine())
	var files []string
	for _, s := range l.Scripts {
		files = append(files, v.within(s))
	}
	if len(files) > 0 {
		fmt.Fprintf(b, "    with %s\n", visible.Line(strings.Join(files, ", ")))
	}
	values(b, "sets", l.Env)
	values(b, "is sent the header", l.Headers)
	if given := l.Given(); len(given) > 0 {
		fmt.Fprintf(b, "    gets from your environment %s\n", visible.Line(strings.Join(given, ", ")))
	}
	switch {
	case l.URL != "":
	case l.Outside && l.Private:
		fmt.Fprintf(b, "    outside the sandbox, in a private folder\n")
	case l.Outside:
		fmt.Fprintf(b, "    outside the sandbox, as your settings say\n")
	default:
		fmt.Fprintf(b, "    in the sandbox, if one is available\n")
	}
	if len(l.Hosts) > 0 {
		fmt.Fprintf(b, "    reaches %s\n", visible.Line(strings.Join(l.Hosts, ", ")))
	}
	if l.Unseen != "" {
		fmt.Fprintf(b, "    needs approval in each session, because it may run files that this approval does not cover: %s\n", visible.Line(l.Unseen))
	}
	if l.Dir != "" && filepath.Clean(l.Dir) != v.Folder {
		fmt.Fprintf(b, "    in %s\n", visible.Line(l.Dir))
	}
}

// values lists settings, without secrets.
func values(b *strings.Builder, what string, m map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(m)) {
		value, _ := redact.Setting(name, m[name])
		if value == "" && m[name] != "" {
			fmt.Fprintf(b, "    %s %s (not shown)\n", what, visible.Line(name))
			continue
		}
		fmt.Fprintf(b, "    %s %s=%s\n", what, visible.Line(name), visible.Line(value))
	}
}

// items lists what is not started, by kind.
func (v Inventory) items(b *strings.Builder) {
	listed, count := map[string]int{}, map[string]int{}
	for _, i := range v.Items {
		count[i.What]++
	}
	for _, i := range v.Items {
		if listed[i.What]++; listed[i.What] <= maxListed {
			line(b, i.What+" "+i.Path, i.Says)
		}
		if listed[i.What] == count[i.What] {
			writeRest(b, count[i.What])
		}
	}
}

func line(b *strings.Builder, name, says string) {
	if says == "" {
		fmt.Fprintf(b, "  %s\n", visible.Line(name))
		return
	}
	fmt.Fprintf(b, "  %s: %s\n", visible.Line(name), visible.Line(says))
}

func writeRest(b *strings.Builder, n int) {
	if n > maxListed {
		fmt.Fprintf(b, "  and %d more\n", n-maxListed)
	}
}
