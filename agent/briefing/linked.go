package briefing

import (
	"context"
	"fmt"

	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/internal/secret"
	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/tools"
)

// Linked returns what a prompt refers to: files, whole or by lines, and the
// problems that the editor shows. It returns a notice for each that is not sent.
func (br *Briefing) Linked(ctx context.Context, blocks []transcript.Block, snap *ide.Snapshot) (parts []transcript.Given, withheld []transcript.Notice) {
	parts, withheld = br.parts(ctx, blocks, snap)
	named := br.mentioning(ctx, snap)
	files, without := named.files(ctx, blocks, snap, parts)
	parts, withheld = append(parts, files...), append(withheld, without...)
	if !named.asksForProblems(blocks) {
		return parts, withheld
	}
	if text, why := named.allProblems(ctx); why != "" {
		withheld = append(withheld, transcript.Notice{Severity: transcript.Warning, Code: transcript.NoticeNotSent, Title: "The problems were not sent", Description: why})
	} else {
		parts = append(parts, transcript.Given{Kind: transcript.GivenLinked, Text: transcript.Enclose("problems", text)})
	}
	return parts, withheld
}

// parts returns the parts of files that a prompt links to by lines, and a notice
// for each link whose lines are not sent.
func (br *Briefing) parts(ctx context.Context, blocks []transcript.Block, snap *ide.Snapshot) (parts []transcript.Given, withheld []transcript.Notice) {
	withhold := func(l transcript.Block, name, why string) {
		withheld = append(withheld, transcript.Notice{
			Severity: transcript.Warning, Code: transcript.NoticeNotSent, Description: why,
			Title: fmt.Sprintf("Lines %d to %d of %s were not sent", max(l.Lines.First, 1), l.Lines.Last, tools.ShownLine(name, 200)),
		})
	}
	for _, l := range blocks {
		if l.Type != transcript.LinkBlock || !l.Lines.Any() {
			continue
		}
		var text *ide.Text
		name, source, note := l.URI, "", ""
		u := ide.ParseURI(l.URI)
		if d := snap.Document(u); d != nil {
			text, name, source = d.Text, br.documentName(d), d.Path
		} else if path := u.Path(); path != "" {
			f, err := snap.Within(br.o.Place.Tree()).Read(ctx, path)
			if err != nil {
				withhold(l, path, fmt.Sprintf("The file cannot be read: %v.", err))
				continue
			}
			text, name, source, note = f.Text, br.o.Place.Near(f.Path), f.Path, encodingNote(f.Format)
		}
		switch {
		case text == nil:
			withhold(l, name, "It is not a file, and not open in the editor.")
			continue
		case secret.Named(name), secret.Held(name, []byte(text.String())):
			withhold(l, name, "The file looks as if it holds secrets.")
			continue
		}
		if part := filePart(text, note, name, *l.Lines); part != "" {
			parts = append(parts, transcript.Given{Kind: transcript.GivenLinked, Source: source, Text: part})
		}
	}
	return parts, withheld
}

// encodingNote is the line of [tools.EncodingNote]; empty for a usual encoding.
func encodingNote(f disk.Format) string {
	if note := tools.EncodingNote(f); note != "" {
		return note + "\n"
	}
	return ""
}

// filePart returns lines of a file for the model with the note on its encoding before
// them, or "" if the file does not have them.
func filePart(text *ide.Text, note, name string, lines transcript.Lines) string {
	first, last := max(lines.First, 1), min(lines.Last, text.Lines())
	if first > last {
		return ""
	}
	from, to := text.LineStart(first-1), text.LineStart(last)
	if from >= to {
		return ""
	}
	part := text.Slice(from, to)
	if len(part) > maxSelected {
		part = visible.CutBytes(part, maxSelected) + "\n(the rest is omitted)"
	}
	return transcript.Enclose("file_part", note+part, "path", name, "lines", fmt.Sprintf("%d-%d", first, last))
}
