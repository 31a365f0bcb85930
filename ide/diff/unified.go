package diff

import (
	"bytes"
	"fmt"
	"strings"

	godiff "github.com/sourcegraph/go-diff/diff"
)

// context is the number of unchanged lines around a change in a unified diff.
const context = 3

// Unified returns the unified diff of two texts, with three lines of context, or ""
// if they are equal. Names with characters that a header cannot hold are quoted as
// git does; others are written unchanged. Lines end in "\n", so that any "\r" is
// part of its line.
func Unified(oldName, newName, old, new string) string {
	if old == new {
		return ""
	}
	x, y := split(old, false), split(new, false)
	d := &godiff.FileDiff{OrigName: quoted(oldName), NewName: quoted(newName)}
	for l := Elements(x, y); len(l) > 0; {
		n := 1
		for n < len(l) && l[n].Old.Line-l[n-1].Old.End <= 2*context {
			n++
		}
		d.Hunks = append(d.Hunks, hunkOf(x, y, l[:n]))
		l = l[n:]
	}
	out, err := godiff.PrintFileDiff(d)
	if err != nil {
		panic("diff: printing into memory failed: " + err.Error())
	}
	return string(out)
}

// hunkOf returns the hunk of blocks that share their context.
func hunkOf(x, y []string, l []Block) *godiff.Hunk {
	first, last := l[0], l[len(l)-1]
	before := min(context, first.Old.Line)
	after := min(context, len(x)-last.Old.End)
	a, b := first.Old.Line-before, last.Old.End+after
	c, d := first.New.Line-before, last.New.End+after
	h := &godiff.Hunk{OrigLines: int32(b - a), NewLines: int32(d - c)} //nolint:gosec // files have fewer lines
	h.OrigStartLine, h.NewStartLine = start(a, b), start(c, d)
	at := a
	for _, k := range l {
		h.Body = appendLines(h.Body, ' ', x[at:k.Old.Line])
		h.Body = appendLines(h.Body, '-', x[k.Old.Line:k.Old.End])
		at = k.Old.End
		if at == len(x) && k.Old.End > k.Old.Line && !bytes.HasSuffix(h.Body, []byte("\n")) {
			h.Body = append(h.Body, '\n')          // the library keeps the end of this line beside the body
			h.OrigNoNewlineAt = int32(len(h.Body)) //nolint:gosec // files are smaller
		}
		h.Body = appendLines(h.Body, '+', y[k.New.Line:k.New.End])
	}
	h.Body = appendLines(h.Body, ' ', x[at:b])
	return h
}

// start returns the number of the first of lines a to b, counted from one, or of the
// line before if there are none.
func start(a, b int) int32 {
	if a < b {
		a++
	}
	return int32(a) //nolint:gosec // files have fewer lines
}

func appendLines(body []byte, mark byte, lines []string) []byte {
	for _, s := range lines {
		body = append(append(body, mark), s...)
	}
	return body
}

// quoted returns a name as git writes it into a header.
func quoted(name string) string {
	special := func(c byte) bool { return c < ' ' || c == 0x7f || c == '"' || c == '\\' }
	plain := true
	for i := range len(name) {
		plain = plain && !special(name[i])
	}
	if plain {
		return name
	}
	b := []byte{'"'}
	for i := range len(name) {
		switch c := name[i]; {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case special(c):
			b = fmt.Appendf(b, "\\%03o", c)
		default:
			b = append(b, c)
		}
	}
	return string(append(b, '"'))
}

// File is one file of a unified diff.
type File struct {
	OldName, NewName string
	Hunks            []Hunk
	Extended         []string // what git says before the names, one line each
}

// Hunk is one hunk of a unified diff: OldText, which begins at line OldLine,
// counted from one, becomes NewText. Both include the context lines. If OldText is
// empty, OldLine is the line before.
type Hunk struct {
	OldLine, NewLine int
	OldText, NewText string
	Section          string // what follows the header, such as the beginning of a function
}

// Parse parses a unified diff of any number of files. Text around it is ignored. A
// hunk whose number of lines differs from its header is an error.
func Parse(text string) ([]File, error) { return parse(text, true) }

// ParseUncounted is [Parse] for a diff whose headers may have wrong numbers of lines.
func ParseUncounted(text string) ([]File, error) { return parse(text, false) }

func parse(text string, counted bool) ([]File, error) {
	l, err := godiff.ParseMultiFileDiffOptions([]byte(text), godiff.ParseOptions{KeepCR: true})
	if err != nil {
		return nil, fmt.Errorf("parse diff: %w", err)
	}
	var out []File
	for _, d := range l {
		f := File{OldName: d.OrigName, NewName: d.NewName, Extended: d.Extended}
		for i, h := range d.Hunks {
			k, old, new := parseHunk(h)
			if counted && (old != int(h.OrigLines) || new != int(h.NewLines)) {
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
	return Hunk{int(h.OrigStartLine), int(h.NewStartLine), old.String(), new.String(), h.Section}, oldLines, newLines
}
