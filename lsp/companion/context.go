package companion

import (
	"context"
	"time"
	"unicode/utf8"

	"github.com/emendo-dev/emendo/ide"
)

// Limits of the context, which Gemini CLI has too.
const (
	maxFiles    = 10
	maxSelected = 16_384 // bytes
	cut         = "... [TRUNCATED]"
)

// settle is how long the context has to be the same before it is sent.
const settle = 50 * time.Millisecond

// ideContext are the params of ide/contextUpdate.
type ideContext struct {
	Workspace workspaceState `json:"workspaceState"`
}

type workspaceState struct {
	Open    []openFile `json:"openFiles"`
	Trusted bool       `json:"isTrusted"`
}

type openFile struct {
	Path      string    `json:"path"`
	Timestamp int64     `json:"timestamp"` // when it last had the focus, in milliseconds of Unix time
	Active    bool      `json:"isActive,omitempty"`
	Cursor    *position `json:"cursor,omitempty"`
	Selected  string    `json:"selectedText,omitempty"`
}

// position is a position in a text. Lines and characters are counted from 1.
type position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// sendContexts sends the editor's context whenever it changes, until ctx ends.
func (s *service) sendContexts(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.moved:
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(settle):
		}
		s.notify(ctx, contextUpdate, s.context(ctx))
	}
}

// context returns the context. Files that are hidden from models are left out: what a
// program in a terminal is told, it sends to its model.
func (s *service) context(ctx context.Context) ideContext {
	focus, snapshot := s.c.o.Client.Focus.Current(), s.c.o.Client.Workspace.Snapshot()
	shown := func(u ide.URI) *ide.Document {
		d := snapshot.Document(u)
		if d == nil || d.Path == "" || u.IsChat() || s.host.Agent.Hides(ctx, d.Path) {
			return nil
		}
		return d
	}
	uris := focus.Open
	if len(uris) == 0 {
		for _, d := range snapshot.Documents() { // shown leaves chat documents out
			uris = append(uris, d.URI)
		}
	}
	active := shown(focus.Active)
	open := []openFile{}
	if active != nil {
		f := openFile{Path: active.Path, Active: true}
		if len(focus.Selections) > 0 {
			f.Cursor, f.Selected = s.selection(active, focus.Selections[0])
		}
		open = append(open, f)
	}
	for _, u := range uris {
		if d := shown(u); d != nil && d != active && len(open) < maxFiles {
			open = append(open, openFile{Path: d.Path})
		}
	}
	s.stamp(open)
	trusted := false
	for _, root := range s.c.o.Client.Folders.Roots() {
		trusted = s.host.Program.Trusted(root)
		if !trusted {
			break
		}
	}
	return ideContext{workspaceState{Open: open, Trusted: trusted}}
}

// stamp sets the times. The protocol orders files by them, so the first is the
// newest; those behind it keep theirs, as far as the order allows.
func (s *service) stamp(open []openFile) {
	at := time.Now().UnixMilli()
	seen := map[string]int64{}
	for i := range open {
		if i > 0 {
			if before, ok := s.seen[open[i].Path]; ok && before < at {
				at = before
			} else {
				at--
			}
		}
		open[i].Timestamp, seen[open[i].Path] = at, at
	}
	s.seen = seen
}

// selection returns the cursor of a selection, and its text within the limit.
func (s *service) selection(d *ide.Document, r ide.Range) (*position, string) {
	from, to, err := d.Text.Offsets(r, s.c.o.Client.Workspace.Encoding())
	if err != nil {
		return nil, "" // a position of another version of the text
	}
	at := d.Text.Position(to, ide.UTF16)
	text := d.Text.String()[from:to]
	if len(text) > maxSelected {
		n := maxSelected
		for n > 0 && !utf8.RuneStart(text[n]) {
			n--
		}
		text = text[:n] + cut
	}
	return &position{Line: int(at.Line) + 1, Character: int(at.Character) + 1}, text
}
