package briefing

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/emendo-dev/emendo/agent/prompt"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/tools"
)

// Bounds of the diagnostics that go with a prompt.
const (
	maxProblems      = 10 // of one file
	maxProblemsInAll = 30
	maxProblem       = 300 // bytes of one message
	problemsWithin   = 500 * time.Millisecond
)

// diagnostic is an LSP diagnostic, as far as the model is told of it.
type diagnostic struct {
	Range    ide.Range `json:"range"`
	Severity int       `json:"severity"` // 1 error, 2 warning, 3 information, 4 hint; 0 as 1
	Source   string    `json:"source"`
	Message  string    `json:"message"`
}

var severities = []string{1: "error", 2: "warning"}

// problems returns the errors and warnings that the editor shows for open
// files, a block for each file: its name, then a line for each problem. Where
// the editor cannot answer, or not in time, nothing new is known: it is the last
// one then.
func (br *Briefing) problems(ctx context.Context, open []*ide.Document, last string) string {
	if br.o.Editor == nil {
		return last
	}
	if len(open) == 0 {
		return ""
	}
	var uris []ide.URI
	for _, d := range open {
		uris = append(uris, d.URI)
	}
	ctx, cancel := context.WithTimeout(ctx, problemsWithin)
	defer cancel()
	raw, err := br.o.Editor.Diagnostics(ctx, uris)
	var items []struct {
		URI         string       `json:"uri"`
		Diagnostics []diagnostic `json:"diagnostics"`
	}
	if err == nil {
		err = json.Unmarshal(raw, &items)
	}
	if err != nil {
		if !errors.Is(err, ide.ErrUnsupported) {
			br.o.Log.Debug("the editor's diagnostics are not known", "session", br.o.SessionID, "err", err)
		}
		return last
	}
	room := maxProblemsInAll
	var blocks []string
	for _, d := range open {
		var found []diagnostic
		for _, item := range items {
			if ide.ParseURI(item.URI) == d.URI {
				found = append(found, item.Diagnostics...)
			}
		}
		if b := br.problemsOf(d, found, &room); b != "" {
			blocks = append(blocks, b)
		}
	}
	return strings.Join(blocks, "\n\n")
}

// problemsOf is the block of one file; empty where it has no problems. room is
// how many lines there may still be.
func (br *Briefing) problemsOf(d *ide.Document, found []diagnostic, room *int) string {
	found = slices.DeleteFunc(found, func(x diagnostic) bool {
		return x.Severity > 2 || x.Severity < 0 || x.Source == "emendo" || x.Message == ""
	})
	slices.SortStableFunc(found, func(x, y diagnostic) int {
		return cmp.Or(max(x.Severity, 1)-max(y.Severity, 1), int(x.Range.Start.Line)-int(y.Range.Start.Line))
	})
	if len(found) == 0 || *room <= 0 {
		return ""
	}
	shown := found[:min(len(found), maxProblems, *room)]
	*room -= len(shown)
	lines := []string{br.documentName(d)}
	for _, x := range shown {
		lines = append(lines, x.line())
	}
	if n := len(found) - len(shown); n > 0 {
		lines = append(lines, fmt.Sprintf("%d more", n))
	}
	return strings.Join(lines, "\n")
}

// line is the diagnostic as the model reads it.
func (x diagnostic) line() string {
	text := tools.Shown(visible.OneLine(x.Message))
	if len(text) > maxProblem {
		text = prompt.Cut(text, maxProblem) + "…"
	}
	if x.Source != "" {
		text += " (" + tools.Shown(x.Source) + ")"
	}
	return fmt.Sprintf("line %d, %s: %s", x.Range.Start.Line+1, severities[max(x.Severity, 1)], text)
}

// changedProblems tells the problems of files in which they are not what they
// were, and names the files that have none any more.
func changedProblems(now, last string) string {
	blocks := func(all string) (names []string, of map[string]string) {
		of = map[string]string{}
		for b := range strings.SplitSeq(all, "\n\n") {
			if name, lines, ok := strings.Cut(b, "\n"); ok {
				names, of[name] = append(names, name), lines
			}
		}
		return names, of
	}
	names, is := blocks(now)
	before, was := blocks(last)
	var b strings.Builder
	for _, name := range names {
		if is[name] == was[name] {
			continue
		}
		fmt.Fprintf(&b, "Problems in %s:\n", name)
		for line := range strings.SplitSeq(is[name], "\n") {
			fmt.Fprintf(&b, "- %s\n", line)
		}
	}
	for _, name := range before {
		if is[name] == "" {
			fmt.Fprintf(&b, "No problems are shown in %s any more.\n", name)
		}
	}
	return b.String()
}
