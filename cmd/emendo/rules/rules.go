// Package rules prints rules and decisions about commands for people. It decides nothing.
package rules

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/lsp/chat"
	"github.com/emendo-dev/emendo/tools"
)

// PrintJSON prints rules as editors get them.
func PrintJSON(w io.Writer, l []policy.Listed) error {
	return visible.PrintJSON(w, chat.RulesOf(l))
}

// Print prints rules: what can be removed first, the built-in ones last.
func Print(w io.Writer, l []policy.Listed) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, removable := range []bool{true, false} {
		for _, r := range l {
			if r.Removable != removable {
				continue
			}
			when := ""
			if !r.Added.IsZero() {
				when = r.Added.Local().Format(" 2006-01-02")
			}
			if _, err := fmt.Fprintf(t, "%s\t%s\t%s%s\t%s\n", r.ID, r.Scope, visible.Line(r.Source), when, visible.Line(r.Text)); err != nil {
				return err
			}
		}
	}
	return t.Flush()
}

// Explanation describes a decision about a command for its user.
func Explanation(d policy.Decision, r tools.Runs, level sandbox.Level) string {
	var b strings.Builder
	line := func(name, text string) {
		if text != "" {
			fmt.Fprintf(&b, "%-9s %s\n", name, visible.Line(text))
		}
	}
	switch d.Kind {
	case policy.Allow:
		line("decision", "it runs without a question")
	case policy.Ask:
		line("decision", "it asks first")
	case policy.Deny:
		line("decision", "it does not run")
	}
	if d.Kind != policy.Deny {
		if d.Verbatim {
			line("runs", r.Command)
		} else {
			line("runs", r.Line())
		}
		line("inside", inside(d, level))
	}
	if d.Unasked {
		line("why", "The sandbox holds it, so no rule has to allow it.")
	}
	line("why", strings.TrimSpace(d.Reason))
	line("rule", d.Rule)
	for _, p := range d.Parts {
		line("part", fmt.Sprintf("%s: %s (%s)", p.Text, p.Kind, p.Rule))
		line("", p.Reason)
	}
	return b.String()
}

// inside describes what confines a command that is allowed at a level.
func inside(d policy.Decision, level sandbox.Level) string {
	var what string
	switch level {
	case sandbox.Isolated:
		what = "the sandbox at level A: it writes in the workspace and folders of its own alone, and reaches no host that is not open to it"
	case sandbox.Restricted:
		what = "the sandbox at level B: it writes in the workspace and folders of its own alone, and reaches no network"
	case sandbox.Open:
		return "no sandbox: it can do what you can"
	}
	switch {
	case d.Outside:
		return "no sandbox: it cannot work in one, so it would run outside, where it can do what you can"
	case !d.Opens.IsZero():
		what += "; if you allow it now, also " + d.Opens.String()
	}
	return what
}
