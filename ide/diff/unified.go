package diff

import (
	"fmt"
	"strings"

	godiff "github.com/sourcegraph/go-diff/diff"
)

// context is the number of unchanged lines around a change in a unified diff.
const context = 3

const noEnd = "\\ No newline at end of file\n"

// Unified returns the unified diff of two texts, with three lines of context, or ""
// if they are equal. The names are written to the header unchanged. Lines end in
// "\n", so that any "\r" is part of its line.
func Unified(oldName, newName, old, new string) string {
	if old == new {
		return ""
	}
	x, y := split(old, false), split(new, false)
	l := compare(x, y)
	var out strings.Builder
	fmt.Fprintf(&out, "--- %s\n+++ %s\n", oldName, newName)
	for len(l) > 0 {
		n := 1
		for n < len(l) && l[n].Old.Line-l[n-1].Old.End <= 2*context {
			n++
		}
		writeHunk(&out, x, y, l[:n])
		l = l[n:]
	}
	return out.String()
}

// writeHunk prints blocks that share their context.
func writeHunk(out *strings.Builder, x, y []string, l []Block) {
	first, last := l[0], l[len(l)-1]
	before := min(context, first.Old.Line)
	after := min(context, len(x)-last.Old.End)
	a, b := first.Old.Line-before, last.Old.End+after
	c, d := first.New.Line-before, last.New.End+after
	fmt.Fprintf(out, "@@ -%s +%s @@\n", header(a, b), header(c, d))
	at := a
	for _, k := range l {
		writeLines(out, ' ', x[at:k.Old.Line])
		writeLines(out, '-', x[k.Old.Line:k.Old.End])
		writeLines(out, '+', y[k.New.Line:k.New.End])
		at = k.Old.End
	}
	writeLines(out, ' ', x[at:b])
}

// header returns a side's first line and number of lines, as git writes them.
func header(a, b int) string {
	switch b - a {
	case 0:
		return fmt.Sprintf("%d,0", a)
	case 1:
		return fmt.Sprint(a + 1)
	}
	return fmt.Sprintf("%d,%d", a+1, b-a)
}

func writeLines(out *strings.Builder, mark byte, lines []string) {
	for _, s := range lines {
		out.WriteByte(mark)
		out.WriteString(s)
		if !strings.HasSuffix(s, "\n") {
			out.WriteString("\n" + noEnd)
		}
	}
}

// File is one file of a unified diff.
type File struct {
	OldName, NewName string
	Hunks            []Hunk
}

// Hunk is one hunk of a unified diff: OldText, which begins at line OldLine,
// counted from one, becomes NewText. Both include the context lines. If OldText is
// empty, OldLine is the line before.
type Hunk struct {
	OldLine, NewLine int
	OldText, NewText string
}

// Parse parses a unified diff of any number of files. Text around it is ignored. A
// hunk whose number of lines differs from its header is an error.
func Parse(text string) ([]File, error) {
	l, err := godiff.ParseMultiFileDiffOptions([]byte(text), godiff.ParseOptions{KeepCR: true})
	if err != nil {
		return nil, fmt.Errorf("parse diff: %w", err)
	}
	var out []File
	for _, d := range l {
		f := File{OldName: d.OrigName, NewName: d.NewName}
		for i, h := range d.Hunks {
			k, old, new := parseHunk(h)
			if old != int(h.OrigLines) || new != int(h.NewLines) {
				return nil, fmt.Errorf("parse diff of %s: hunk %d has %d old and %d new lines, but its header says %d and %d", d.NewName, i+1, old, new, h.OrigLines, h.NewLines)
			}
			f.Hunks = append(f.Hunks, k)
		}
		out = append(out, f)
	}
	return out, nil
}

// parseHunk returns a hunk and the numbers of its lines.
func parseHunk(h *godiff.Hunk) (k Hunk, oldLines, newLines int) {
	var old, new strings.Builder
	body := string(h.Body)
	for at := 0; at < len(body); {
		end := at + strings.IndexByte(body[at:], '\n') + 1
		if end <= at {
			end = len(body)
		}
		line := body[at+1 : end]
		if body[at] == '\n' { // an empty line without its leading space
			line = "\n"
		}
		if h.OrigNoNewlineAt > 0 && end == int(h.OrigNoNewlineAt) {
			line = strings.TrimSuffix(line, "\n")
		}
		if body[at] != '+' {
			old.WriteString(line)
			oldLines++
		}
		if body[at] != '-' {
			new.WriteString(line)
			newLines++
		}
		at = end
	}
	return Hunk{int(h.OrigStartLine), int(h.NewStartLine), old.String(), new.String()}, oldLines, newLines
}
