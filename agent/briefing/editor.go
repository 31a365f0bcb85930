package briefing

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/ide/ignore"
	"github.com/emendo-dev/emendo/internal/secret"
	"github.com/emendo-dev/emendo/internal/visible"
)

// Limits on the editor's context, as documented in the protocol.
const (
	maxOpenFiles = 10
	maxSelected  = 16 << 10 // bytes of selected text
)

// editorView is the state of the editor that the model gets. Lines and columns
// count from one.
type editorView struct {
	Active   string `json:"active,omitempty"`
	Language string `json:"language,omitempty"`
	Unsaved  bool   `json:"unsaved,omitempty"`
	Cursor   string `json:"cursor,omitempty"`
	Inferred bool   `json:"inferred,omitempty"`
	Selected string `json:"selected,omitempty"`
	Open     string `json:"open,omitempty"`
	Pending  string `json:"pending,omitempty"`  // of the named files, those that have proposed edits which the editor does not show
	Problems string `json:"problems,omitempty"` // a block for each file, see [Briefing.problems]
}

// Editor returns the state of the editor for a prompt: all of it the first time,
// then the changes; false if there are none.
func (br *Briefing) Editor(ctx context.Context, messageID string, f frontend.Focus, snap *ide.Snapshot) (transcript.Given, bool) {
	br.mu.Lock()
	last := br.sent
	br.mu.Unlock()
	v, shown := br.editorState(ctx, f, snap)
	old := ""
	if last != nil {
		old = last.Problems
	}
	v.Problems = br.problems(ctx, snap, shown, old)
	br.mu.Lock()
	defer br.mu.Unlock()
	if last == nil && v == (editorView{Inferred: f.Inferred}) || last != nil && *last == v {
		return transcript.Given{}, false
	}
	br.sent = &v
	record, err := json.Marshal(v)
	if err != nil {
		panic(err) // strings and bools
	}
	g := transcript.Given{MessageID: messageID, Kind: transcript.KindEditor, Text: v.text(last), Context: record}
	if d := snap.Document(f.Active); d != nil && v.Active != hiddenFile {
		g.Source = d.Path
	}
	return g, true
}

// editorNow returns the text of [Briefing.Editor] for a prompt sent now, without
// changes in the problems. It asks the editor nothing and records nothing.
func (br *Briefing) editorNow(ctx context.Context, f frontend.Focus, snap *ide.Snapshot) (text string, ok bool) {
	v, _ := br.editorState(ctx, f, snap)
	br.mu.Lock()
	defer br.mu.Unlock()
	if br.sent == nil {
		return v.text(nil), v != (editorView{Inferred: f.Inferred})
	}
	v.Problems = br.sent.Problems
	return v.text(br.sent), *br.sent != v
}

// Sent restores the last view that the model got from its record.
func (br *Briefing) Sent(context json.RawMessage) {
	var v editorView
	if json.Unmarshal(context, &v) != nil {
		return
	}
	br.mu.Lock()
	defer br.mu.Unlock()
	br.sent = &v
}

// Forget makes the next prompt carry the whole view again.
func (br *Briefing) Forget() {
	br.mu.Lock()
	defer br.mu.Unlock()
	br.sent = nil
}

// hiddenFile replaces the name of an active file that is hidden from the model.
const hiddenFile = "(a file that is hidden from you: it is ignored, or looks as if it holds secrets)"

// editorState returns the state of the editor without problems, and the documents that it
// names.
func (br *Briefing) editorState(ctx context.Context, f frontend.Focus, snap *ide.Snapshot) (editorView, []*ide.Document) {
	v := editorView{Inferred: f.Inferred}
	var shown []*ide.Document
	switch d := snap.Document(f.Active); {
	case d == nil:
	case br.hides(ctx, d):
		v.Active = hiddenFile
	default:
		shown = append(shown, d)
		v.Active, v.Language, v.Unsaved = br.documentName(d), d.Language, d.Unsaved
		v.Cursor, v.Selected = selection(d, f.Selections, br.o.Workspace.Encoding())
	}
	open := f.Open
	if len(open) == 0 {
		for _, d := range snap.Documents() {
			if !d.URI.IsChat() {
				open = append(open, d.URI)
			}
		}
	}
	var names []string
	for _, u := range open {
		if d := snap.Document(u); d != nil && len(names) < maxOpenFiles && !br.hides(ctx, d) {
			names = append(names, br.documentName(d))
			if !slices.Contains(shown, d) {
				shown = append(shown, d)
			}
		}
	}
	v.Open = strings.Join(names, "\n")
	v.Pending = strings.Join(br.pending(ctx, snap, shown), ", ")
	return v, shown
}

// pending returns the names of those documents that have proposed edits which the editor
// does not show.
func (br *Briefing) pending(ctx context.Context, snap *ide.Snapshot, shown []*ide.Document) (names []string) {
	seen := br.o.Over(ctx, snap)
	for _, d := range shown {
		if p := seen.Document(d.URI); p == nil || p.Proposed {
			names = append(names, br.documentName(d))
		}
	}
	return names
}

// hides reports whether an open file is kept from the model, because it is ignored
// or its name looks secret.
func (br *Briefing) hides(ctx context.Context, d *ide.Document) bool {
	return d.Path != "" && Hides(ctx, br.o.Place.Tree(), d.Path, br.o.Ignoring())
}

// Hides reports whether the file at an absolute path is kept from models, because
// it is ignored or its name looks secret. Outside the tree no ignore rules apply.
func Hides(ctx context.Context, tree *disk.Tree, path string, rules ignore.Options) bool {
	if secret.Named(path) {
		return true
	}
	at, err := tree.At(path)
	if err != nil {
		return false
	}
	ignored, err := ignore.Ignored(ctx, tree, at, false, rules)
	return err != nil || ignored
}

func (br *Briefing) documentName(d *ide.Document) string {
	if d.Path == "" {
		return d.Spelling
	}
	return br.o.Place.Near(d.Path)
}

// selection returns the position of the cursor and the selected text, cut to its
// limit. The text of files that look secret is left out.
func selection(d *ide.Document, rs []ide.Range, e ide.Encoding) (cursor, text string) {
	var b strings.Builder
	for i, r := range rs {
		from, to, err := d.Text.Offsets(r, e)
		if err != nil {
			continue
		}
		if i == 0 {
			p := d.Text.Position(from, ide.UTF32)
			cursor = fmt.Sprintf("line %d, column %d", p.Line+1, p.Character+1)
		}
		if from == to {
			continue
		}
		if secret.Named(d.Path) || secret.Held(d.Path, []byte(d.Text.String())) {
			return cursor, "(not shown: the file looks as if it holds secrets)"
		}
		room := maxSelected - b.Len()
		if room <= 0 {
			break
		}
		s := d.Text.Slice(from, to)
		cut := ""
		if len(s) > room {
			s, cut = visible.CutBytes(s, room), "\n(the rest of the selection is left out)"
		}
		last := d.Text.LineAt(to)
		if d.Text.AtLineStart(to) {
			last--
		}
		fmt.Fprintf(&b, "lines %d to %d:\n%s%s\n", d.Text.LineAt(from)+1, last+1, s, cut)
	}
	return cursor, b.String()
}

// text renders the view, or its differences from the last one.
func (v editorView) text(last *editorView) string {
	var b strings.Builder
	say := func(changed bool, label, value string) {
		if changed && value != "" {
			fmt.Fprintf(&b, "%s%s\n", label, value)
		}
	}
	first := last == nil
	if first {
		last = &editorView{}
	} else {
		b.WriteString("Changed in the editor since the last prompt:\n")
	}
	moved := v.Active != last.Active
	switch {
	case v.Active == "" && !first && moved:
		b.WriteString("No editor is active now.\n")
	default:
		how := ""
		if v.Inferred {
			how = " (inferred from what the editor asked for)"
		}
		name := v.Active
		if name != "" && v.Language != "" {
			name += " (" + v.Language + ")"
		}
		say(first || moved, "Active file"+how+": ", name)
		if v.Unsaved && (moved || v.Unsaved != last.Unsaved) {
			b.WriteString("The active file has unsaved changes; tools read the unsaved text.\n")
		}
		say(moved || v.Cursor != last.Cursor, "Cursor: ", v.Cursor)
	}
	switch {
	case v.Selected != "" && (moved || v.Selected != last.Selected):
		fmt.Fprintf(&b, "Selected in %s, %s", v.Active, v.Selected)
	case v.Selected == "" && last.Selected != "":
		b.WriteString("Nothing is selected now.\n")
	}
	if v.Open != last.Open {
		b.WriteString("Open files, most recent first:\n")
		for name := range strings.SplitSeq(v.Open, "\n") {
			if name != "" {
				fmt.Fprintf(&b, "- %s\n", name)
			}
		}
	}
	switch {
	case v.Pending == last.Pending:
	case v.Pending == "":
		b.WriteString("The user has decided on all your edits of the open files.\n")
	default:
		fmt.Fprintf(&b, "The editor shows these files without your proposed edits, on which the user has not decided; tools read them with the edits: %s\n", v.Pending)
	}
	b.WriteString(changedProblems(v.Problems, last.Problems))
	return transcript.Enclose("editor_context", b.String())
}
