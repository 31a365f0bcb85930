package sessiontest

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/idetest"
	"github.com/emendo-dev/emendo/internal/rpc"
)

// editor is the user's editor: buffers that outlive servers, spoken of in LSP to
// the server that runs.
type editor struct {
	*idetest.Editor
	dir     string
	answers []idetest.Answer // to the next edits; none: all well
}

func newEditor(dir string, notify func(method string, params any)) *editor {
	w := ide.NewWorkspace(nil, ide.UTF16)
	e := &editor{Editor: idetest.New(w), dir: dir}
	e.OnEdit = func(int, ide.Edit) (a idetest.Answer) {
		if len(e.answers) > 0 {
			a, e.answers = e.answers[0], e.answers[1:]
		}
		return a
	}
	w.Watch(func(ev ide.Event) { notify(wording(ev, w.Encoding())) })
	return e
}

// wording is what LSP says for something that happened to a document.
func wording(ev ide.Event, enc ide.Encoding) (method string, params any) {
	switch ev.Kind {
	case ide.Opened:
		return opening(ev.After)
	case ide.Closed:
		return "textDocument/didClose", object{"textDocument": object{"uri": ev.Before.Spelling}}
	case ide.Saved:
		return "textDocument/didSave", object{"textDocument": object{"uri": ev.After.Spelling}}
	case ide.Changed:
	}
	changes := []object{}
	text := ev.Before.Text
	for _, s := range ev.Splices {
		changes = append(changes, object{"range": text.Range(s.A, s.B, enc), "text": s.Text})
		text = text.Splice(s.A, s.B, s.Text)
	}
	return "textDocument/didChange", object{
		"textDocument": object{"uri": ev.After.Spelling, "version": ev.After.Version}, "contentChanges": changes,
	}
}

func opening(d *ide.Document) (method string, params any) {
	return "textDocument/didOpen", object{"textDocument": object{
		"uri": d.Spelling, "languageId": d.Language, "version": d.Version, "text": d.Text.String(),
	}}
}

// object is JSON that is only made to be sent.
type object = map[string]any

// uri of a file of the workspace, or of a document that is none.
func (e *editor) uri(name string) string {
	if strings.Contains(name, ":") {
		return name
	}
	return string(ide.FileURI(filepath.Join(e.dir, name)))
}

// name undoes uri.
func (e *editor) name(uri string) string {
	path := ide.ParseURI(uri).Path()
	if rel, err := filepath.Rel(e.dir, path); path != "" && err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return uri
}

// rewrite makes the text of a buffer another one, as one act of typing.
func (e *editor) rewrite(uri, text string) {
	old := e.Text(uri)
	a := 0
	for a < len(old) && a < len(text) && old[a] == text[a] {
		a++
	}
	a = strings.LastIndexByte(old[:a], '\n') + 1
	i, j := len(old), len(text)
	for i > a && j > a && old[i-1] == text[j-1] {
		i, j = i-1, j-1
	}
	if n := strings.IndexByte(old[i:], '\n'); n >= 0 && i > a { // whole lines
		i, j = i+n+1, j+n+1
	} else if n < 0 {
		i, j = len(old), len(text)
	}
	e.Type(uri, a, i, text[a:j])
}

// isSubstitution says whether words are one, not a section's name.
func isSubstitution(words string) bool {
	return strings.HasPrefix(words, "s/") || strings.HasPrefix(words, "s|")
}

// substitute types over the one place of a text that s/old/new/ names.
func (e *editor) substitute(uri, command string) error {
	parts := strings.Split(command, command[1:2])
	if len(parts) != 4 || parts[3] != "" {
		return fmt.Errorf("%q is no s/old/new/", command)
	}
	var old, text string
	for from, to := range map[string]*string{parts[1]: &old, parts[2]: &text} {
		s, err := strconv.Unquote(`"` + strings.ReplaceAll(from, `"`, `\"`) + `"`)
		if err != nil {
			return fmt.Errorf("%q: %w", command, err)
		}
		*to = s
	}
	now := e.Text(uri)
	if n := strings.Count(now, old); n != 1 {
		return fmt.Errorf("%q is in the text %d times", old, n)
	}
	i := strings.Index(now, old)
	e.Type(uri, i, i+len(old), text)
	return nil
}

// workspaceEdit is LSP's.
type workspaceEdit struct {
	Changes         map[string][]textEdit `json:"changes"`
	DocumentChanges []documentChange      `json:"documentChanges"`
}

type documentChange struct {
	Kind     string `json:"kind"` // of a resource operation
	URI      string `json:"uri"`
	OldURI   string `json:"oldUri"`
	NewURI   string `json:"newUri"`
	Document struct {
		URI     string `json:"uri"`
		Version *int32 `json:"version"`
	} `json:"textDocument"`
	Edits []textEdit `json:"edits"`
}

type textEdit struct {
	Range   ide.Range `json:"range"`
	NewText string    `json:"newText"`
}

// applyEdit makes an edit as the server worded it.
func (e *editor) applyEdit(ctx context.Context, raw json.RawMessage) (any, error) {
	var p struct {
		Label string        `json:"label"`
		Edit  workspaceEdit `json:"edit"`
	}
	if err := json.Unmarshal(raw, &p); err != nil {
		return nil, rpc.Errorf(rpc.InvalidParams, "%v", err)
	}
	for uri, edits := range p.Edit.Changes {
		c := documentChange{Edits: edits}
		c.Document.URI = uri
		p.Edit.DocumentChanges = append(p.Edit.DocumentChanges, c)
	}
	answer := object{"applied": true}
	if err := e.apply(ctx, p.Label, p.Edit); err != nil {
		answer = object{"applied": false, "failureReason": err.Error()}
	}
	return answer, nil
}

func (e *editor) apply(ctx context.Context, label string, w workspaceEdit) error {
	edit := ide.Edit{Label: label}
	for _, c := range w.DocumentChanges {
		f, err := e.fileEdit(c)
		if err != nil {
			return err
		}
		edit.Files = append(edit.Files, f)
	}
	return e.ApplyEdit(ctx, edit)
}

// fileEdit is one part of an edit as the buffers know it.
func (e *editor) fileEdit(c documentChange) (f ide.FileEdit, err error) {
	uri := cmp.Or(c.Document.URI, c.URI, c.OldURI)
	d := e.Workspace.Snapshot().Document(ide.ParseURI(uri))
	if d == nil {
		return f, fmt.Errorf("%s is not open", uri)
	}
	as := *d
	if c.Document.Version != nil {
		as.Version = *c.Document.Version
	}
	f = ide.FileEdit{Document: &as}
	switch c.Kind {
	case "delete":
		f.Delete = true
	case "rename":
		f.RenameTo = ide.ParseURI(c.NewURI).Path()
	case "create":
		return f, fmt.Errorf("%s is open already", uri)
	}
	for _, t := range c.Edits {
		a, b, err := d.Text.Offsets(t.Range, e.Workspace.Encoding())
		if err != nil {
			return f, err
		}
		f.Splices = append(f.Splices, ide.Splice{A: a, B: b, Text: t.NewText})
	}
	slices.SortStableFunc(f.Splices, func(a, b ide.Splice) int { return a.A - b.A })
	return f, nil
}
