package chatdoc

import (
	"context"
	"errors"
	"sync"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/lsp/chat"
	"github.com/emendo-dev/emendo/lsp/chatdoc/grammar"
)

// Chooser chooses the session of a command that names none.
type Chooser struct {
	d  *Documents
	mu sync.Mutex // held while one is chosen
}

// mostSessions limits how many of the last sessions of a folder are considered.
const mostSessions = 50

// Session returns the session that emendo.chat opens: the one with the ID, else the
// current one, else the last one of the folder whose document exists and is not open in
// another editor, else an unused one.
func (c *Chooser) Session(ctx context.Context, id string) (*agent.Session, error) {
	if id != "" || c.d.Chat.Current.ID() != "" || !c.d.serves() {
		return c.d.Chat.Sessions.For(ctx, id)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	last, err := c.last(ctx)
	if err != nil {
		return nil, err
	}
	if last == "" {
		return c.unused(ctx)
	}
	ses, err := c.d.host.Session(ctx, last)
	if err != nil {
		return nil, err
	}
	c.d.Chat.Current.Set(ses)
	return ses, nil
}

// Unused returns a session without prompts and makes it the current one. It prefers one
// that has an empty document to a new one.
func (c *Chooser) Unused(ctx context.Context) (*agent.Session, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.unused(ctx)
}

// last returns the ID of the last session of the folder whose document exists and is not
// open in another editor, or "".
func (c *Chooser) last(ctx context.Context) (string, error) {
	h, err := c.d.host.Need(ctx)
	if err != nil {
		return "", err
	}
	cwd, folders, err := c.here(ctx)
	if err != nil || len(folders) == 0 {
		return "", err
	}
	l, _, err := h.Agent.List(transcript.Listing{Cwd: cwd, Limit: mostSessions})
	if err != nil {
		return "", err
	}
	for _, info := range l {
		for _, folder := range folders {
			if path := fileOf(folder, info.ID); path != "" && c.isFree(ctx, path) {
				return info.ID, nil
			}
		}
	}
	return "", nil
}

// unused is [Chooser.Unused] for a caller that holds mu.
func (c *Chooser) unused(ctx context.Context) (*agent.Session, error) {
	if ses := c.d.Chat.Current.Session(); ses != nil && !ses.IsStored() {
		return ses, nil
	}
	ses, err := c.ofEmptyDocument(ctx)
	if err == nil && ses == nil {
		ses, err = c.d.Chat.Sessions.Create(ctx, chat.NewParams{})
	}
	if err != nil {
		return nil, err
	}
	c.d.Chat.Current.Set(ses)
	return ses, nil
}

// ofEmptyDocument returns the session of an empty document of the folder that is not open
// in another editor, or nil. A session without prompts is not stored, so it is created
// again, with the same ID.
func (c *Chooser) ofEmptyDocument(ctx context.Context) (*agent.Session, error) {
	h, err := c.d.host.Need(ctx)
	if err != nil {
		return nil, err
	}
	cwd, folders, err := c.here(ctx)
	if err != nil {
		return nil, err
	}
	for _, folder := range folders {
		for _, path := range documentsIn(folder) {
			session := emptyDocument(path)
			if session == "" || c.d.openDocument(session) != nil || !c.isFree(ctx, path) {
				continue
			}
			switch info, err := h.Agent.Info(session); {
			case errors.Is(err, transcript.ErrUnknownSession):
				return c.d.Chat.Sessions.Restore(ctx, session)
			case err == nil && info.Turns == 0 && info.Cwd == cwd:
				return c.d.host.Session(ctx, session)
			}
		}
	}
	return nil, nil
}

// here returns the folder in which new sessions work, and the folders of its documents.
// Without an open folder both are empty.
func (c *Chooser) here(ctx context.Context) (cwd string, folders []string, err error) {
	roots := c.d.roots.Roots()
	if len(roots) == 0 {
		return "", nil, nil
	}
	folders, err = c.d.folders(ctx, roots[0])
	return roots[0], folders, err
}

// isFree reports whether no other process of emendo has the document open.
func (c *Chooser) isFree(ctx context.Context, path string) bool {
	if c.d.c.Workspace.Snapshot().Document(ide.FileURI(path)) != nil {
		return true // this one has it
	}
	release, err := c.d.claim(ctx, path)
	if err != nil {
		return !errors.Is(err, errElsewhere)
	}
	release()
	return true
}

// emptyDocument returns the ID of the session in a document without questions, or "" if
// the document is not such.
func emptyDocument(path string) (session string) {
	text, err := readText(path)
	if err != nil {
		return ""
	}
	if session = grammar.Parse(text).Session; session != "" && sameText(text, grammar.New(session)) {
		return session
	}
	return ""
}
