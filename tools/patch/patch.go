// Package patch holds the tool that applies patches. It reads them as models write them:
// unified diffs, and the form in which files are introduced by lines such as "*** Update
// File: NAME". Models garble both: counts and line numbers are wrong, spaces before
// unchanged lines are lost, fences and shell commands stand around them. A patch that cannot
// be read whole is an error; no line is dropped that it may mean.
package patch

import (
	"errors"
	"fmt"
	"strings"

	"github.com/emendo-dev/emendo/tools/match"
)

// Op is an operation on a file.
type Op int

// The operations.
const (
	Update Op = iota // change, and move if there is a new path
	Add
	Delete
)

// File is the part of a patch that is about one file.
type File struct {
	Op   Op
	Path string
	// Others are further paths that can be meant, the likeliest first: with the prefix
	// that git writes, or without it, or the old name of a diff.
	Others []string
	To     string // of an update: the new path, or ""
	Text   string // of an added file
	Hunks  []match.Hunk
}

// Added returns the text of a file to be made if all of its hunks only add lines.
func (f File) Added() (text string, ok bool) {
	if f.Op == Add {
		return f.Text, true
	}
	var b strings.Builder
	for _, h := range f.Hunks {
		if h.Old != "" {
			return "", false
		}
		b.WriteString(h.New)
	}
	return b.String(), f.Op == Update && len(f.Hunks) > 0
}

// The marks of the form with "***".
const (
	begin  = "*** Begin Patch"
	end    = "*** End Patch"
	update = "*** Update File:"
	add    = "*** Add File:"
	del    = "*** Delete File:"
	move   = "*** Move to:"
	eof    = "*** End of File"
)

// errNone is returned for a text without a patch.
var errNone = errors.New(`there is no patch in it: begin each file with "--- PATH" and "+++ PATH" lines, or with "*** Update File: PATH", "*** Add File: PATH" or "*** Delete File: PATH"`)

// Parse reads a patch. Its errors are for the model.
func Parse(text string) ([]File, error) {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for _, l := range lines {
		if introduces(l) {
			return marked(lines)
		}
	}
	return unified(lines)
}

// introduces reports whether a line begins a file in the form with "***".
func introduces(line string) bool {
	for _, mark := range []string{update, add, del} {
		if strings.HasPrefix(line, mark) {
			return true
		}
	}
	return false
}

// reader reads the form with "***".
type reader struct {
	files []File
	hunk  *match.Hunk // that is read, or nil
	old   strings.Builder
	new   strings.Builder // its lines so far
	named []string        // lines after "@@" before the hunk
	line  int             // that the header gives
	bare  int             // empty lines at the end of the hunk that have no mark
	raw   []string        // the lines of an added file
	ended bool            // after the end of a patch
}

// marked reads the form with "***".
func marked(lines []string) ([]File, error) {
	var r reader
	for i, l := range lines {
		if err := r.read(lines, i, strings.TrimRight(l, "\r")); err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
	}
	if err := r.finish(); err != nil {
		return nil, err
	}
	return r.files, nil
}

// read reads line i.
func (r *reader) read(lines []string, i int, l string) error {
	mark := strings.TrimRight(l, " \t")
	switch {
	case mark == begin:
		r.ended = false
		return r.finish()
	case strings.HasPrefix(mark, end) && len(mark) <= len(end)+1: // a quote may follow
		r.ended = true
		return r.finish()
	case introduces(l):
		if err := r.finish(); err != nil {
			return err
		}
		return r.begin(l)
	case r.ended || len(r.files) == 0:
		return nil // around the patch
	}
	f := &r.files[len(r.files)-1]
	switch {
	case f.Op == Add:
		r.raw = append(r.raw, l)
	case f.Op == Delete:
		return ignored(lines[i:], l)
	case strings.HasPrefix(l, move):
		f.To = strings.TrimSpace(strings.TrimPrefix(l, move))
	case mark == eof:
		if r.hunk != nil {
			r.hunk.End = true
		}
		r.close()
	case strings.HasPrefix(l, "@@"):
		r.close()
		at, section := header(l)
		if section != "" {
			r.named = append(r.named, section)
		}
		r.line = max(r.line, at)
	case r.hunk == nil && isNames(lines[i:]), r.hunk == nil && i > 0 && isNames(lines[i-1:]): // the names again, as a diff has them
	case l == "" && r.hunk == nil:
	case strings.HasPrefix(l, `\ No newline`):
	case strings.HasPrefix(l, "***"), !isBody(l) && l != "" && !hunkContinues(lines[i+1:]):
		return ignored(lines[i:], l)
	default:
		r.add(f, l)
	}
	return nil
}

// ignored returns an error if a line that is read as none of a patch is followed by lines
// of one.
func ignored(rest []string, l string) error {
	if strings.TrimSpace(l) == "" || !hunkContinues(rest[1:]) && !strings.HasPrefix(l, "***") {
		return nil
	}
	return fmt.Errorf("%q does not belong to a patch: a line of a hunk begins with a space, + or -", shorten(l))
}

// begin begins a file.
func (r *reader) begin(l string) error {
	kind, name, _ := strings.Cut(l, ":")
	name = strings.Trim(strings.TrimSpace(name), "`\"'")
	if name == "" {
		return fmt.Errorf("%s names no file", kind)
	}
	f := File{Path: name}
	switch kind + ":" {
	case add:
		f.Op = Add
	case del:
		f.Op = Delete
	}
	if plain, ok := unprefixed(name); ok {
		f.Others = []string{plain}
	}
	r.files = append(r.files, f)
	return nil
}

// open begins a hunk, unless one is being read.
func (r *reader) open(f *File) {
	if r.hunk == nil {
		f.Hunks = append(f.Hunks, match.Hunk{After: r.named, Line: r.line})
		r.hunk = &f.Hunks[len(f.Hunks)-1]
		r.named, r.line, r.bare = nil, 0, 0
	}
}

// add adds a line to the hunk.
func (r *reader) add(f *File, l string) {
	r.open(f)
	if l == "" {
		r.bare++
		return
	}
	for ; r.bare > 0; r.bare-- {
		r.addLine("\n", ' ')
	}
	if !isBody(l) {
		l = " " + l // the space was lost
	}
	r.addLine(l[1:]+"\n", l[0])
}

func (r *reader) addLine(text string, mark byte) {
	if mark != '+' {
		r.old.WriteString(text)
	}
	if mark != '-' {
		r.new.WriteString(text)
	}
}

// close ends the hunk. Empty lines at its end without a mark are between hunks.
func (r *reader) close() {
	if r.hunk != nil {
		r.hunk.Old, r.hunk.New = r.old.String(), r.new.String()
	}
	r.old.Reset()
	r.new.Reset()
	r.hunk, r.bare = nil, 0
}

// finish ends the file.
func (r *reader) finish() error {
	r.close()
	r.named, r.line = nil, 0
	if len(r.files) == 0 {
		return nil
	}
	f := &r.files[len(r.files)-1]
	if f.Op == Add && r.raw != nil {
		text, err := added(r.raw)
		if err != nil {
			return fmt.Errorf("*** Add File: %s: %w", f.Path, err)
		}
		f.Text = text
	}
	r.raw = nil
	if f.Op == Update && f.To == "" && len(f.Hunks) == 0 {
		return fmt.Errorf("*** Update File: %s has no change", f.Path)
	}
	return nil
}

// added returns the text of a new file. Its lines have a "+", or none has.
func added(lines []string) (string, error) {
	for len(lines) > 0 && (lines[len(lines)-1] == "" || isFence(lines[len(lines)-1]) || lines[len(lines)-1] == "EOF") {
		lines = lines[:len(lines)-1]
	}
	marks := 0
	for _, l := range lines {
		if strings.HasPrefix(l, "+") {
			marks++
		}
	}
	var b strings.Builder
	for _, l := range lines {
		rest, ok := strings.CutPrefix(l, "+")
		switch {
		case ok && marks > 0, l == "", marks == 0:
			b.WriteString(rest + "\n")
		case strings.TrimSpace(l) == eof, strings.HasPrefix(l, "@@"), strings.HasPrefix(l, `\ No newline`):
		default:
			return "", fmt.Errorf("the line %q has no + before it", shorten(l))
		}
	}
	return b.String(), nil
}

func isFence(l string) bool { return strings.HasPrefix(strings.TrimSpace(l), "```") }

// isBody reports whether a line has the mark of a line of a hunk.
func isBody(l string) bool { return l != "" && strings.IndexByte(" +-", l[0]) >= 0 }

// hunkContinues reports whether a line of a hunk follows before the next file.
func hunkContinues(lines []string) bool {
	for i, l := range lines {
		switch {
		case introduces(l), strings.HasPrefix(l, end), strings.HasPrefix(l, "diff --git "), isNames(lines[i:]):
			return false
		case isBody(l), strings.HasPrefix(l, "@@"):
			return true
		}
	}
	return false
}

// isNames reports whether lines begin with the names of a file in a unified diff.
func isNames(lines []string) bool {
	return len(lines) > 1 && strings.HasPrefix(lines[0], "--- ") && strings.HasPrefix(lines[1], "+++ ")
}

// unprefixed removes the prefix that git writes before a name.
func unprefixed(name string) (string, bool) {
	if len(name) > 2 && name[1] == '/' && strings.IndexByte("abciwo", name[0]) >= 0 {
		return name[2:], true
	}
	return name, false
}

// shorten shortens a line to be quoted.
func shorten(l string) string {
	const most = 80
	if r := []rune(l); len(r) > most {
		return string(r[:most]) + "…"
	}
	return l
}
