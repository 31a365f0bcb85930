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

	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/internal/langserver"
	"github.com/emendo-dev/emendo/internal/secret"
	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/tools"
)

// Limits on the diagnostics of a prompt.
const (
	maxProblems      = 10 // of one file
	maxProblemsInAll = 30
	maxProblemsAsked = 100 // if the user asked for them
	maxProblem       = 300 // bytes of one message
	problemsWithin   = 500 * time.Millisecond
)

// diagnostic holds the fields of an LSP diagnostic that the model gets.
type diagnostic struct {
	Range    ide.Range `json:"range"`
	Severity int       `json:"severity"` // 1 error, 2 warning, 3 information, 4 hint; 0 as 1
	Source   string    `json:"source"`
	Message  string    `json:"message"`
}

var severities = []string{1: "error", 2: "warning"}

// problems returns the errors and warnings that the editor shows for open files, a
// block for each file: its name, then a line for each problem. If the editor does
// not answer in time, it returns last. If the editor never reports any, emendo's
// own servers are asked.
func (br *Briefing) problems(ctx context.Context, snap *ide.Snapshot, open []*ide.Document, last string) string {
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
	items, err := br.diagnostics(ctx, uris)
	if errors.Is(err, ide.ErrUnsupported) {
		if br.o.Problems == nil {
			return last
		}
		return ownProblems(br.o.Problems(ctx, snap, open), open, br.documentName, last)
	}
	if err != nil {
		br.o.Log.Debug("ask the editor for diagnostics", "session", br.o.SessionID, "err", err)
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
		if b := problemsOf(br.documentName(d), found, &room); b != "" {
			blocks = append(blocks, b)
		}
	}
	return strings.Join(blocks, "\n\n")
}

// ownProblems returns the problems that emendo's own servers know of open files, in
// the form of [Briefing.problems]. For files of which none are known it keeps those
// of last.
func ownProblems(known map[ide.URI][]langserver.Diagnostic, open []*ide.Document, nameOf func(*ide.Document) string, last string) string {
	_, before := blocksOf(last)
	room := maxProblemsInAll
	var blocks []string
	for _, d := range open {
		name := nameOf(d)
		found, ok := known[d.URI]
		if !ok {
			if lines := before[name]; lines != "" {
				blocks = append(blocks, name+"\n"+lines)
			}
			continue
		}
		var l []diagnostic
		for _, x := range found {
			l = append(l, diagnostic{x.Range, int(x.Severity), x.Source, x.Message})
		}
		if b := problemsOf(name, l, &room); b != "" {
			blocks = append(blocks, b)
		}
	}
	return strings.Join(blocks, "\n\n")
}

// diagnosed holds the diagnostics of one file.
type diagnosed struct {
	URI         string       `json:"uri"`
	Diagnostics []diagnostic `json:"diagnostics"`
}

// diagnostics asks the editor for the diagnostics of files, or of all files if uris
// is empty.
func (br *Briefing) diagnostics(ctx context.Context, uris []ide.URI) ([]diagnosed, error) {
	ctx, cancel := context.WithTimeout(ctx, problemsWithin)
	defer cancel()
	raw, err := br.o.Editor.Diagnostics(ctx, uris)
	if err != nil {
		return nil, err
	}
	var items []diagnosed
	return items, json.Unmarshal(raw, &items)
}

// problemsWord is the @word that asks for the problems.
const problemsWord = "problems"

// asksForProblems reports whether a prompt asks for the problems that the editor
// shows: by a link, or by @problems in its text if no file has that name.
func (br mentioning) asksForProblems(blocks []transcript.Block) bool {
	return slices.ContainsFunc(blocks, func(b transcript.Block) bool {
		if b.Type == transcript.LinkBlock {
			return b.URI == transcript.ProblemsURI
		}
		return b.Said() && slices.ContainsFunc(Mentions(b.Text), func(word string) bool {
			if strings.TrimRight(word, ".,;:!?)]}>\"'`") != problemsWord {
				return false
			}
			_, isFile := br.fileAt(problemsWord)
			return !isFile
		})
	})
}

// allProblems returns the errors and warnings of all files in the session's
// folders, or the reason why they are not known.
func (br mentioning) allProblems(ctx context.Context) (text, why string) {
	if br.of.o.Editor == nil {
		return "", "No editor is connected."
	}
	items, err := br.of.diagnostics(ctx, nil)
	switch {
	case errors.Is(err, ide.ErrUnsupported):
		return "", "This editor does not report problems."
	case err != nil:
		return "", "The editor did not report them: " + err.Error() + "."
	}
	room := maxProblemsAsked
	var blocks []string
	for _, item := range items {
		path := ide.ParseURI(item.URI).Path()
		if !br.of.o.Place.Tree().Contains(path) || secret.Named(path) { // of another folder, or not a file
			continue
		}
		if b := problemsOf(tools.Shown(br.of.o.Place.Near(path)), item.Diagnostics, &room); b != "" {
			blocks = append(blocks, b)
		}
	}
	if len(blocks) == 0 {
		return "The editor shows no problems.", ""
	}
	return strings.Join(blocks, "\n\n"), ""
}

// problemsOf returns the block of one file; empty if it has no problems. room is
// the number of lines left.
func problemsOf(name string, found []diagnostic, room *int) string {
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
	lines := []string{name}
	for _, x := range shown {
		lines = append(lines, x.line())
	}
	if n := len(found) - len(shown); n > 0 {
		lines = append(lines, fmt.Sprintf("%d more", n))
	}
	return strings.Join(lines, "\n")
}

// line formats the diagnostic for the model.
func (x diagnostic) line() string {
	text := tools.Shown(visible.OneLine(x.Message))
	if len(text) > maxProblem {
		text = visible.CutBytes(text, maxProblem) + "…"
	}
	if x.Source != "" {
		text += " (" + tools.Shown(x.Source) + ")"
	}
	return fmt.Sprintf("line %d, %s: %s", x.Range.Start.Line+1, severities[max(x.Severity, 1)], text)
}

// blocksOf splits the result of [Briefing.problems] into file names and the lines
// of each.
func blocksOf(all string) (names []string, of map[string]string) {
	of = map[string]string{}
	for b := range strings.SplitSeq(all, "\n\n") {
		if name, lines, ok := strings.Cut(b, "\n"); ok {
			names, of[name] = append(names, name), lines
		}
	}
	return names, of
}

// changedProblems lists the problems of files that changed, and names the files
// that have none any more.
func changedProblems(now, last string) string {
	names, is := blocksOf(now)
	before, was := blocksOf(last)
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
