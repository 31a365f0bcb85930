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
	"github.com/emendo-dev/emendo/lsp/chatdoc/grammar"
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
	if err := r.store(ctx, l); err != nil {
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
			n = a.findBlocks(text, s, false)
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
	ses, err := r.p.d.c.Host.Session(ctx, r.p.session)
	if err != nil || !ses.State.Record.IsStored() {
		return nil, err
	}
	updates, _, err := ses.Replay(1)
	if err != nil {
		return nil, err
	}
	begun := r.load(ctx)
	var l []turn
	for _, t := range render.Turns(updates, r.p.d.c) {
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

// store replaces the record.
func (r *record) store(ctx context.Context, l []begun) error {
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
	h, err := r.p.d.c.Host.Get(ctx)
	if err != nil || h.Chats == "" {
		return "", err
	}
	return filepath.Join(Records(h.Chats), r.p.session+".json"), nil
}

// Records returns the folder of the records, below the one for chat documents outside of
// workspaces. It has a file ID.json for each session with a record.
func Records(chats string) string { return filepath.Join(chats, "begun") }

// catchUp has what the session has and the open document lacks written: the editor
// may have ended without saving it, or another process has continued the session.
func (p *page) catchUp(ctx context.Context) error {
	turns, err := p.record.turns(ctx)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.doc != nil {
		p.supply(turns, p.doc.Text.String())
		p.startWriting()
	}
	return nil
}

// supply adds the turns that a text lacks, and those of which it was saved without the
// end, before those that the page follows. p.mu is held.
func (p *page) supply(turns []turn, text string) {
	turns = slices.DeleteFunc(turns, func(t turn) bool { return p.answerOf(t.ID) != nil })
	present := len(turns) - len(missing(turns, text))
	var earlier []*answer
	for i, t := range turns {
		if i < present && !t.begun {
			continue
		}
		a := &answer{turn: t.ID, message: t.Message, question: t.Question, over: true, known: true}
		a.addBlocks(t.Blocks)
		if i < present {
			a.saved, a.sure = t.saved, t.saved
			if a.locate(text); !a.placed || !a.pending() {
				continue
			}
		}
		earlier = append(earlier, a)
		p.followed = append(p.followed, t.ID)
	}
	p.answers = append(earlier, p.answers...)
	p.refused = 0
}

// asked is an answered question of a document.
type asked struct{ question, answer string }

// isAnswerOf reports whether it is a turn's.
func (x asked) isAnswerOf(t turn) bool {
	if !isQuestion(x.question, t.Question) {
		return false
	}
	lines := placesIn(x.answer, 0, len(x.answer))
	some := false
	for _, b := range t.Blocks {
		if b.Call == "" {
			some = true
			if indexOf(lines, linesOf(b.Text), 0) >= 0 {
				return true
			}
		}
	}
	return !some || len(linesOf(x.answer)) == 0
}

// missing returns the turns at the end of a session that a document lacks. The user
// may have edited questions and answers: those after the last one that is as it was
// count as turns, too.
func missing(turns []turn, text string) []turn {
	var in []asked
	sections := grammar.Parse(text).Sections
	for i, s := range sections {
		if s.Speaker == grammar.You && i+1 < len(sections) && sections[i+1].Speaker == grammar.Emendo {
			next := sections[i+1]
			in = append(in, asked{text[s.Body:s.End], text[next.Body:next.End]})
		}
	}
	for j := len(turns) - 1; j >= 0; j-- {
		for k := len(in) - 1; k >= 0; k-- {
			if in[k].isAnswerOf(turns[j]) {
				return turns[min(j+len(in)-k, len(turns)):]
			}
		}
	}
	return turns[min(len(in), len(turns)):]
}
