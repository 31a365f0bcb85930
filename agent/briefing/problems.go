package briefing

import (
	"cmp"
	"context"
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

var severities = map[langserver.Severity]string{langserver.Error: "error", langserver.Warning: "warning"}

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
	known := map[ide.URI][]langserver.Diagnostic{}
	items, err := br.diagnostics(ctx, uris)
	unsupported := errors.Is(err, ide.ErrUnsupported)
	switch {
	case unsupported:
		known = br.o.Problems(ctx, snap, open)
	case err != nil:
		br.o.Log.Debug("ask the editor for diagnostics", "session", br.o.SessionID, "err", err)
		return last
	}
	for _, item := range items {
		uri := ide.ParseURI(item.URI)
		known[uri] = append(known[uri], item.Found...)
	}
	_, before := blocksOf(last)
	room := maxProblemsInAll
	var blocks []string
	for _, d := range open {
		name := br.documentName(d)
		found, answered := known[d.URI]
		block := problemsOf(name, found, &room)
		if lines := before[name]; unsupported && !answered && lines != "" {
			block = name + "\n" + lines // a server of emendo's own is busy
		}
		if block != "" {
			blocks = append(blocks, block)
		}
	}
	return strings.Join(blocks, "\n\n")
}

// diagnostics asks the editor for the diagnostics of files, or of all files if uris
// is empty.
func (br *Briefing) diagnostics(ctx context.Context, uris []ide.URI) ([]langserver.Reported, error) {
	ctx, cancel := context.WithTimeout(ctx, problemsWithin)
	defer cancel()
	raw, err := br.o.Editor.Diagnostics(ctx, uris)
	if err != nil {
		return nil, err
	}
	return langserver.ParseReports(raw)
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
		if b := problemsOf(tools.Shown(br.of.o.Place.Near(path)), item.Found, &room); b != "" {
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
func problemsOf(name string, found []langserver.Diagnostic, room *int) string {
	found = slices.DeleteFunc(found, func(x langserver.Diagnostic) bool {
		return severities[x.Severity] == "" || x.Source == "emendo" || x.Message == ""
	})
	slices.SortStableFunc(found, func(x, y langserver.Diagnostic) int {
		return cmp.Or(int(x.Severity)-int(y.Severity), int(x.Range.Start.Line)-int(y.Range.Start.Line))
	})
	if len(found) == 0 || *room <= 0 {
		return ""
	}
	shown := found[:min(len(found), maxProblems, *room)]
	*room -= len(shown)
	lines := []string{name}
	for _, x := range shown {
		lines = append(lines, problemLine(x))
	}
	if n := len(found) - len(shown); n > 0 {
		lines = append(lines, fmt.Sprintf("%d more", n))
	}
	return strings.Join(lines, "\n")
}

// problemLine formats a diagnostic for the model.
func problemLine(x langserver.Diagnostic) string {
	text := tools.Shown(visible.OneLine(x.Message))
	if len(text) > maxProblem {
		text = visible.CutBytes(text, maxProblem) + "…"
	}
	if x.Source != "" {
		text += " (" + tools.Shown(x.Source) + ")"
	}
	return fmt.Sprintf("line %d, %s: %s", x.Range.Start.Line+1, severities[x.Severity], text)
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
