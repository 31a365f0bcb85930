package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/agent/rewind"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/internal/secret"
	"github.com/emendo-dev/emendo/tools"
)

// Errors of comments.
var (
	// ErrUnknownComment means that no open session has the comment, or that it was sent.
	ErrUnknownComment = errors.New("no comment of an open session waits with this ID")
	// ErrBadPlace means that a comment cannot be about a place.
	ErrBadPlace = errors.New("cannot comment on this place")
)

// NewComment is a comment that the user adds: on lines of a document or file, or on a hunk.
type NewComment struct {
	URI      string
	Range    ide.Range
	HunkID   string
	Line     *int          // of the hunk's new text, from zero; nil: all of it
	Snapshot *ide.Snapshot // the range refers to this snapshot
	Text     string
}

// Comments are those of a session.
type Comments struct{ session *Session }

// CommentsOf returns the comments of a session.
func CommentsOf(s *Session) Comments { return Comments{s} }

// marks returns where the ledger follows their lines.
func (l Comments) marks() ledger.Marks { return ledger.MarksOf(l.session.agent.Process.Options.Ledger) }

// Add adds a comment, which waits until it is sent.
func (l Comments) Add(ctx context.Context, n NewComment) (id string, err error) {
	c, err := l.Quote(ctx, n)
	if err != nil {
		return "", err
	}
	if err := l.record(ctx, transcript.Commented{Comment: c}, transcript.Uncommented{ID: c.ID}); err != nil {
		return "", err
	}
	l.follow(ctx)
	return c.ID, nil
}

// Quote returns a comment with its lines, without adding it.
func (l Comments) Quote(ctx context.Context, n NewComment) (c transcript.Comment, err error) {
	c = transcript.Comment{ID: l.session.agent.Process.Options.NewID(), Text: n.Text, HunkID: n.HunkID, Line: n.Line}
	if n.HunkID == "" {
		err = l.quoteLines(ctx, &c, n)
	} else {
		err = l.quoteHunk(&c)
	}
	return c, err
}

// read returns the file that a comment is about. Its name is for the user.
func (l Comments) read(ctx context.Context, snapshot *ide.Snapshot, uri string) (f ide.File, name string, err error) {
	f, err = snapshot.Within(l.session.State.Work.Tree()).Live().Read(ctx, uri)
	if ctx.Err() != nil {
		return f, "", context.Cause(ctx)
	}
	if err != nil {
		return f, "", fmt.Errorf("%w: %s: %w", ErrBadPlace, tools.Shown(uri), err)
	}
	if f.Path == "" {
		return f, uri, nil
	}
	if secret.Named(f.Path) || secret.Held(f.Path, []byte(f.Text.String())) {
		return f, "", fmt.Errorf("%w: %s may hold secrets, which are kept from models", ErrBadPlace, tools.Shown(uri))
	}
	return f, l.session.State.Work.Near(f.Path), nil
}

// quoteLines completes a comment on lines: those that its range touches.
func (l Comments) quoteLines(ctx context.Context, c *transcript.Comment, n NewComment) error {
	e := l.session.agent.Process.Options.Workspace.Encoding()
	f, name, err := l.read(ctx, n.Snapshot, n.URI)
	if err != nil {
		return err
	}
	a, b, err := f.Text.Offsets(n.Range, e)
	if err != nil {
		return fmt.Errorf("%w: %s: %w", ErrBadPlace, tools.Shown(n.URI), err)
	}
	first, last := f.Text.LineAt(a), f.Text.LineAt(b)
	if b > a && f.Text.AtLineStart(b) {
		last--
	}
	a, b = f.Text.LineStart(first), f.Text.LineStart(last+1)
	c.URI, c.Path, c.Name, c.Range, c.Quoted = n.URI, f.Path, name, f.Text.Range(a, b, e), f.Text.Slice(a, b)
	return nil
}

// quoteHunk completes a comment on a hunk.
func (l Comments) quoteHunk(c *transcript.Comment) error {
	s := l.session
	f, h, ok := l.hunk(c.HunkID)
	if !ok {
		return fmt.Errorf("hunk %s: %w", c.HunkID, ledger.ErrUnknown)
	}
	c.Path, c.URI, c.Range, c.Quoted = f.Path, f.Spelling, h.Range, h.NewText
	if c.URI == "" {
		c.URI = string(f.URI)
	}
	if c.Name = s.State.Work.Near(f.Path); f.Path == "" {
		c.Name = c.URI
	}
	if c.Quoted == "" {
		c.Quoted = h.OldText
	}
	if c.Line == nil {
		return nil
	}
	lines := strings.SplitAfter(h.NewText, "\n")
	if *c.Line < 0 || *c.Line >= len(lines) || lines[*c.Line] == "" {
		return fmt.Errorf("%w: the hunk has no line %d", ErrBadPlace, *c.Line)
	}
	c.Quoted = lines[*c.Line]
	c.Range = rangeIn(*c, h)
	return nil
}

// hunk returns a hunk of the session with its file.
func (l Comments) hunk(id string) (ledger.FileChange, ledger.Hunk, bool) {
	return l.session.agent.Process.Options.Ledger.Hunk(l.session.ID(), id)
}

// rangeIn returns where a comment on a hunk is in the text that has the hunk's new text, or
// waits for it.
func rangeIn(c transcript.Comment, h ledger.Hunk) ide.Range {
	if c.Line == nil || !h.State.Applied() {
		return h.Range
	}
	line := h.Range.Start.Line + uint32(*c.Line)
	return ide.Range{Start: ide.Position{Line: line}, End: ide.Position{Line: line + 1}}
}

// record records what became of a comment. If that fails, the session is without it: back is the
// opposite. A session without a prompt is stored from its first comment on.
func (l Comments) record(ctx context.Context, e, back transcript.Event) error {
	s := l.session
	s.State.Record.Add(e)
	err := l.begin(ctx)
	if err == nil {
		err = s.State.Outbox.Flush(e)
	}
	if err != nil {
		s.State.Record.Add(back)
	}
	return err
}

// begin has the session's log begin, while nothing else does or is recorded.
func (l Comments) begin(ctx context.Context) error {
	s := l.session
	if s.State.Record.IsStored() {
		return nil
	}
	put := s.State.Outbox.Flush
	switch err := s.acquire(ctx); {
	case err == nil:
		defer s.release()
	case errors.Is(err, transcript.ErrBusy): // a turn runs, and waits for no disk
		put = func(e transcript.Event) error { s.State.Outbox.PutNow(e); return nil }
	default:
		return err
	}
	return s.State.Begin(put)
}

// follow has the ledger follow the lines of comments that it does not follow. Those of a pending
// hunk are where the hunk is.
func (l Comments) follow(ctx context.Context) {
	waiting, _ := l.session.State.Record.Comments()
	for _, c := range waiting {
		if _, known := l.marks().Get(c.ID); known {
			continue
		}
		if _, h, ok := l.hunk(c.HunkID); ok {
			if !h.State.Applied() {
				continue
			}
			c.Range = rangeIn(c, h)
		}
		l.marks().Follow(ctx, ledger.Mark{ID: c.ID, Path: c.Path, URI: ide.ParseURI(c.URI), Range: c.Range, Text: c.Quoted})
	}
}

// unfollow has the ledger follow the comments no longer.
func (l Comments) unfollow() {
	waiting, _ := l.session.State.Record.Comments()
	for _, c := range waiting {
		l.marks().Drop(c.ID)
	}
}

// List returns the comments in the order in which they were added, first those that were sent.
func (l Comments) List() []transcript.Comment {
	waiting, all := l.session.State.Record.Comments()
	for _, c := range waiting {
		all = append(all, l.placed(c))
	}
	return all
}

// Refresh reads the files with comments that no editor has open.
func (l Comments) Refresh(ctx context.Context) {
	l.follow(ctx)
	waiting, _ := l.session.State.Record.Comments()
	ids := make([]string, len(waiting))
	for i, c := range waiting {
		ids[i] = c.ID
	}
	l.marks().Refresh(ctx, ids...)
}

// placed returns a comment where its lines are now.
func (l Comments) placed(c transcript.Comment) transcript.Comment {
	m, marked := l.marks().Get(c.ID)
	if marked {
		c.Range, c.Quoted, c.URI, c.Stale = m.Range, m.Text, m.Spelling, m.Gone
		if c.Path = m.Path; m.Path != "" {
			c.Name = l.session.State.Work.Near(m.Path)
		}
		if !m.Gone {
			return c
		}
	}
	switch _, h, ok := l.hunk(c.HunkID); {
	case ok && (h.State.Waits() || h.State.Applied() && !marked):
		c.Range, c.Stale = rangeIn(c, h), false
	case !marked:
		c.Stale = true
	}
	return c
}

// EditComment changes the text of a comment that waits.
func (a *Agent) EditComment(ctx context.Context, id, text string) error {
	s, c, err := a.comment(id)
	if err != nil {
		return err
	}
	l := CommentsOf(s)
	was := c
	c = l.placed(c) // where a restart finds it
	c.Text, c.Stale = text, false
	return l.record(ctx, transcript.Commented{Comment: c}, transcript.Commented{Comment: was})
}

// RemoveComment removes a comment that waits.
func (a *Agent) RemoveComment(ctx context.Context, id string) error {
	s, c, err := a.comment(id)
	if err != nil {
		return err
	}
	l := CommentsOf(s)
	if err := l.record(ctx, transcript.Uncommented{ID: id}, transcript.Commented{Comment: c}); err != nil {
		return err
	}
	l.marks().Drop(c.ID)
	return nil
}

// FindComment returns a comment of an open session.
func (a *Agent) FindComment(id string) (transcript.Comment, bool) {
	for _, s := range a.all() {
		for _, c := range CommentsOf(s).List() {
			if c.ID == id {
				return c, true
			}
		}
	}
	return transcript.Comment{}, false
}

// comment finds a comment that waits, as it was recorded.
func (a *Agent) comment(id string) (*Session, transcript.Comment, error) {
	for _, s := range a.all() {
		waiting, _ := s.State.Record.Comments()
		i := slices.IndexFunc(waiting, func(c transcript.Comment) bool { return c.ID == id })
		if i < 0 {
			continue
		}
		if CommentsOf(s).handed()[id] {
			break
		}
		return s, waiting[i], nil
	}
	return nil, transcript.Comment{}, fmt.Errorf("comment %q: %w", id, ErrUnknownComment)
}

// TakeWaiting returns those that wait, as they are sent. They are sent once: until release is called
// they do not wait, and after that only those that no prompt of the session has.
func (l Comments) TakeWaiting(ctx context.Context) (taken []transcript.Comment, release func()) {
	l.Refresh(ctx)
	all, handed := l.List(), l.handed()
	s := l.session
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range all {
		if c.Round == 0 && !handed[c.ID] && !s.taken[c.ID] {
			taken = append(taken, c)
			s.taken[c.ID] = true
		}
	}
	return taken, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, c := range taken {
			delete(s.taken, c.ID)
		}
	}
}

// handed returns the comments that were taken, or that a prompt of the queue has.
func (l Comments) handed() map[string]bool {
	s := l.session
	in := map[string]bool{}
	note := func(blocks []transcript.Block) {
		for _, b := range blocks {
			if b.Comment != nil {
				in[b.Comment.ID] = true
			}
		}
	}
	s.inspect(func(o *sessionLoop) {
		for _, t := range slices.Concat(o.queue, o.steers) {
			note(t.prompt.Blocks)
		}
		for _, q := range o.orphaned {
			note(q.Blocks)
		}
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	for id := range s.taken {
		in[id] = true
	}
	return in
}

// Compare returns what the turns of the rounds of comments after one round, up to another, have made
// of files. What is only proposed is not in it.
func (l Comments) Compare(from, to int) ([]rewind.Compared, error) {
	rs, err := l.session.State.Read()
	if err != nil {
		return nil, err
	}
	return l.session.State.Files.Compare(transcript.TurnsOfRounds(rs, from, to))
}
