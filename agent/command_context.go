package agent

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/agent/briefing"

	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide/disk"
)

// showContext tells what the next request would hold, the prompt itself left
// out, or changes what is left out of it.
func (t *turn) showContext(ctx context.Context, args string) (string, error) {
	s := t.session
	verb, what, _ := strings.Cut(args, " ")
	what = strings.TrimSpace(what)
	switch {
	case args == "":
	case what != "" && (verb == "exclude" || verb == "include"):
		e := s.exclusionOf(what)
		if err := e.Check(); err != nil {
			return sentence(err), nil
		}
		if err := s.Exclude(e, verb == "exclude"); err != nil {
			return "", err
		}
	default:
		return "`/context` shows what the model is given; `/context exclude` and `/context include` take a kind or a file.", nil
	}
	files := s.briefing.Files(ctx)
	_, said := t.shown()
	modules, specs := t.systemPrompt(files)
	return contextTable(briefing.Items(modules, files, specs, said)) + s.exclusionsText(), nil
}

// exclusionOf is what the user means to leave out: a kind by its name, else a
// file.
func (s *Session) exclusionOf(what string) transcript.Exclusion {
	if _, ok := transcript.Reasons[what]; ok || slices.Contains(transcript.Excludable, what) {
		return transcript.Exclusion{Kind: what}
	}
	if !filepath.IsAbs(what) {
		what = filepath.Join(s.started.Cwd, what)
	}
	return transcript.Exclusion{Path: disk.RealPath(what)}
}

// contextTable lists what the model is given. The modules of the system prompt
// are one row.
func contextTable(items []transcript.ContextItem) string {
	var rows []transcript.ContextItem
	total := 0
	for _, i := range items {
		total += i.Size
		if n := len(rows); i.Kind == transcript.KindSystem && n > 0 && rows[n-1].Kind == transcript.KindSystem {
			rows[n-1].Size += i.Size
			continue
		} else if i.Kind == transcript.KindSystem {
			i.Source = ""
		}
		rows = append(rows, i)
	}
	var b strings.Builder
	b.WriteString("| kind | source | bytes | why |\n| --- | --- | ---: | --- |\n")
	for _, i := range rows {
		fmt.Fprintf(&b, "| %s | %s | %d | %s |\n", i.Kind, markdownCode(i.Source), i.Size, i.Reason)
	}
	fmt.Fprintf(&b, "\n%d bytes in all, before your next prompt.\n", total)
	return b.String()
}

// exclusionsText lists what is left out.
func (s *Session) exclusionsText() string {
	left := s.leftOut()
	if len(left) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\nLeft out:\n\n")
	for _, e := range left {
		switch {
		case e.Path == "":
			fmt.Fprintf(&b, "- everything of kind %s\n", e.Kind)
		case e.Kind == "":
			fmt.Fprintf(&b, "- %s\n", markdownCode(e.Path))
		default:
			fmt.Fprintf(&b, "- %s as %s\n", markdownCode(e.Path), e.Kind)
		}
	}
	return b.String()
}
