package chatdoc

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/internal/private"
	"github.com/emendo-dev/emendo/lsp/chatdoc/render"
)

// begun is an answer that had not ended when its document was saved. It is recorded in
// emendo's state folder until the whole answer is saved: an editor may end before, and
// then its blocks tell what was never in the file from what the user has deleted.
type begun struct {
	Turn    string `json:"turn"`
	Message string `json:"message,omitzero"` // the ID of the question; empty if it was queued
	Blocks  int    `json:"blocks"`           // that the document had got
}

// record has the answers that had not ended when the document of a page was saved.
type record struct {
	p  *page
	mu sync.Mutex // held while it is updated
}

// noteSaved notes that the text of the document is in its file. The page's mu is held.
func (r *record) noteSaved() {
	for _, a := range r.p.answers {
		a.saved = a.written
	}
}

// update updates the record after the document was saved, by the editor that has it open
// or, if doc is nil, by emendo.
func (r *record) update(doc *ide.Document) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.p
	ctx := context.WithoutCancel(p.d.c.Life()) // the editor may end once it has saved
	if doc != nil {
		r.compare(doc)
	}
	l := r.load(ctx)
	p.mu.Lock()
	l = slices.DeleteFunc(l, func(b begun) bool { return slices.Contains(p.followed, b.Turn) })
	for _, a := range p.answers {
		if !a.over || a.saved < len(a.blocks) {
			n := 0 // as many as the session has
			for _, b := range a.blocks[:a.saved] {
				if !b.live {
					n++
				}
			}
			l = append(l, begun{a.turn, a.message, n})
		}
	}
	p.mu.Unlock()
	if err := r.keep(ctx, l); err != nil {
		p.d.c.Log.Warn("record a chat document", "session", p.session, "error", err)
	}
}

// compare notes what the file of a document lacks, which an editor may have written
// while the last edit was on its way.
func (r *record) compare(doc *ide.Document) {
	p := r.p
	text, ok := p.reload.readFile(doc)
	if !ok || sameText(text, doc.Text.String()) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, a := range p.answers {
		n := 0
		if s, ok := a.section(text); ok {
			n = a.look(text, s, false)
		}
		a.saved = min(a.saved, n)
	}
}

// turn is a turn of a stored session.
type turn struct {
	render.Turn

	begun bool // the document was saved in the middle of the answer,
	saved int  // with that many blocks of it
}

// turns returns the turns of the session, with what is recorded of them.
func (r *record) turns(ctx context.Context) ([]turn, error) {
	ses, err := r.p.d.host.Session(ctx, r.p.session)
	if err != nil || !ses.IsStored() {
		return nil, err
	}
	updates, _, err := ses.Replay(1)
	if err != nil {
		return nil, err
	}
	begun := r.load(ctx)
	var l []turn
	for _, t := range render.Turns(updates) {
		x := turn{Turn: t}
		for _, b := range begun {
			if b.Turn == t.ID && (b.Message == t.Message || b.Message == "") {
				x.begun, x.saved = true, b.Blocks
			}
		}
		l = append(l, x)
	}
	return l, nil
}

// load returns the record. Without it, answers that a document has are taken as they
// are.
func (r *record) load(ctx context.Context) (l []begun) {
	path, err := r.file(ctx)
	if path == "" || err != nil {
		return nil
	}
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, &l)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		r.p.d.c.Log.Warn("read the record of a chat document", "path", path, "error", err)
	}
	return l
}

// keep replaces the record.
func (r *record) keep(ctx context.Context, l []begun) error {
	path, err := r.file(ctx)
	if path == "" || err != nil {
		return err
	}
	if len(l) == 0 {
		if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	if err := private.Folder(filepath.Dir(path)); err != nil {
		return err
	}
	data, err := json.Marshal(l)
	if err != nil {
		return err
	}
	return private.Replace(path, data)
}

// file returns the path of the record; empty: nothing is recorded.
func (r *record) file(ctx context.Context) (string, error) {
	h, err := r.p.d.host.Need(ctx)
	if err != nil || h.Chats.Path == "" {
		return "", err
	}
	return filepath.Join(Records(h.Chats.Path), r.p.session+".json"), nil
}

// Records returns the folder of the records, below the one for chat documents outside of
// workspaces. It has a file ID.json for each session with a record.
func Records(chats string) string { return filepath.Join(chats, "begun") }
