package tools

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/ide/ignore"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/internal/editorconfig"
	"github.com/emendo-dev/emendo/internal/secret"
	"github.com/emendo-dev/emendo/tools/match"
)

// Editable is the text that an edit is based on.
type Editable struct {
	Name    string // as the model reads it
	Path    disk.Path
	File    ide.File
	Missing bool    // the file does not exist yet
	Hidden  bool    // the model may change the file, but not see its text
	Given   string  // as the call names it, absolute
	crlf    bool    // the project wants lines of a new file to end in CR and LF
	whole   bool    // the call has its whole text
	doubts  *Doubts // what the model was asked about before
}

// Edited reads the file that the argument file_path names, as the session sees it.
func Edited(ctx context.Context, env Env, name string) (Editable, error) {
	if virtual(env, name) != nil {
		f, err := env.View(ctx, name)
		if err != nil {
			return Editable{}, DiskError("read", name, err)
		}
		return Editable{Name: Shown(name), File: f, doubts: env.Doubts}, nil
	}
	e, err := editableAt(ctx, env, "file_path", name)
	if err != nil {
		return Editable{}, DiskError("read", name, err)
	}
	return e, nil
}

// editableAt reads the file that an argument names. Errors of package disk are
// returned as they are.
func editableAt(ctx context.Context, env Env, param, name string) (Editable, error) {
	if plan, ok := plannedAs(env, name); ok {
		name, env.Snapshot = plan, env.Snapshot.Within(env.Plans)
	}
	p, err := Resolve(env, param, name)
	if err != nil {
		return Editable{}, err
	}
	if err := sealed(ctx, env, p, name); err != nil {
		return Editable{}, err
	}
	e := Editable{Name: Shown(env.Near(p.Abs)), Path: p, doubts: env.Doubts}
	switch e.File, err = env.View(ctx, p.Abs); {
	case errors.Is(err, fs.ErrNotExist):
		if strings.HasSuffix(filepath.ToSlash(name), "/") {
			return Editable{}, Errorf(InvalidParams, "cannot create %s: a path that ends in a slash names a folder; pass the full path of the file", Shown(name))
		}
		e.Missing, e.crlf = true, wantsCRLF(ctx, p)
		e.File = ide.File{Path: p.Abs, Text: ide.NewText("")}
	case err != nil:
		return Editable{}, err
	}
	e.Given = Absolute(env, name)
	e.Hidden = inGit(p) || secret.Named(p.Abs) || secret.Held(p.Abs, []byte(e.File.Text.String()))
	return e, nil
}

// wantsCRLF reports whether .editorconfig or, where that says nothing, .gitattributes
// wants the lines of a file to end in CR and LF. What cannot be read says nothing.
func wantsCRLF(ctx context.Context, p disk.Path) bool {
	ends := editorconfig.Of(p.Abs).EndOfLine
	if ends == "" {
		ends, _ = ignore.EndOfLine(ctx, p) //nolint:errcheck // as above
	}
	return ends == "crlf"
}

// Propose returns the action that changes e to the new text. at is the offset of
// the first change.
func (e Editable) Propose(text string, at int, note string) (Action, error) {
	if len(text) > disk.EditLimit {
		return Action{}, DiskError("write", e.Name, disk.ErrTooLarge)
	}
	f := e.File
	if plain, ok := strings.CutPrefix(text, bom); ok && e.Missing { // the mark belongs to the file's format
		text, f.Format = plain, disk.Format{Encoding: disk.UTF8, BOM: true}
	}
	if e.crlf && !strings.Contains(text, "\r\n") {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	if at := strings.IndexByte(text, 0); at >= 0 && strings.Count(text, "\x00") > strings.Count(f.Text.String(), "\x00") {
		return Action{}, Errorf(InvalidParams, "cannot write %s: line %d of the new text has a NUL character (U+0000), which a text file cannot hold; nothing was changed. "+
			"Write it as an escape sequence of the file's language, such as \\0 or \\x00", e.Name, 1+strings.Count(text[:at], "\n"))
	}
	if f.Document == nil {
		if _, err := disk.Encode(text, f.Format); err != nil {
			return Action{}, Errorf(EditFailure, "cannot write %s: %s; write the text without that character, or ask the user to convert the file", e.Name, Shown(err.Error()))
		}
	}
	if err := e.complete(text); err != nil {
		return Action{}, err
	}
	p := ledger.Proposed{Path: f.Path, Op: ledger.Modify, Base: f, New: text}
	switch {
	case f.Document != nil:
		p.URI = f.Document.URI
	default:
		p.URI = ide.FileURI(f.Path)
	}
	line := 0
	title := "Edit " + e.Name
	if e.Missing {
		p.Op, title = ledger.Create, "Create "+e.Name
	} else {
		line = f.Text.LineAt(at) + 1
	}
	edits := Edits{Files: []ledger.Proposed{p}, Note: note, Whole: e.whole, Hidden: e.hides(p)}
	a := Action{Title: title}
	if f.Path != "" {
		edits.Given = []string{e.Given}
		a.Locations = []Location{{f.Path, line}}
	}
	a.Effect = edits
	return a, nil
}

// Key returns the name of the file in a proposal, see [ledger.Proposed.Name].
func (e Editable) Key() string {
	if e.File.Path == "" && e.File.Document != nil {
		return string(e.File.Document.URI)
	}
	return e.File.Path
}

// Absent returns the error for an edit of a file that does not exist. It suggests the
// path that was probably meant.
func (e Editable) Absent(ctx context.Context, env Env, doing, name string) *Error {
	return absent(ctx, env, doing, name, e.Path)
}

// hides returns the file's name for [Edits.Hidden], or nothing.
func (e Editable) hides(p ledger.Proposed) []string {
	if !e.Hidden {
		return nil
	}
	return []string{p.Name()}
}

// maxElisions is how many placeholders an error quotes.
const maxElisions = 4

// complete returns an error if the new text has lines that look like placeholders
// for text that the model left out. It asks about each only once: then they are
// meant.
func (e Editable) complete(text string) error {
	var doubts, quoted []string
	for _, line := range match.Elisions(e.Name, text, e.File.Text.String()) {
		doubt := e.Name + "\n" + line
		if e.doubts.Has(doubt) {
			continue
		}
		if doubts = append(doubts, doubt); len(quoted) < maxElisions {
			quoted = append(quoted, strconv.Quote(line))
		}
	}
	if len(doubts) == 0 {
		return nil
	}
	if more := len(doubts) - len(quoted); more > 0 {
		quoted = append(quoted, fmt.Sprintf("%d more", more))
	}
	shorter := ""
	if !e.Missing {
		shorter = ", or change fewer lines"
	}
	err := Errorf(InvalidParams, "cannot write %s: the new text has what looks like a placeholder for text that was left out: %s. Nothing was changed. "+
		"If it is one, write the text that it stands for%s. If it is meant as it is, make the same call again: it will be accepted", e.Name, strings.Join(quoted, ", "), shorter)
	err.Doubts = doubts
	return err
}

// unfencedNote returns the note for the model that a fence was removed.
const unfencedNote = "the code fence around the new text was removed"

// fencing lists extensions of files whose text may begin and end with a code
// fence.
var fencing = []string{"", ".md", ".markdown", ".mdown", ".mdx", ".mdc", ".qmd", ".rmd", ".rst", ".adoc", ".asciidoc", ".txt", ".org", ".tex", ".wiki", ".prompt", ".tmpl", ".snap"}

// Unfenced removes the code fence that a model put around a new text. The note is
// empty if there was none, or if it may be intended.
func (e Editable) Unfenced(text, old string) (plain, note string) {
	if slices.Contains(fencing, strings.ToLower(path.Ext(e.Name))) {
		return text, ""
	}
	plain, ok := match.Unfence(text, old, e.File.Text.String())
	if !ok {
		return text, ""
	}
	return plain, unfencedNote
}
