// Package files has the files of an ACP client: what the model reads is the client's
// text, saved or not, and accepted edits go through the client and are checked. It knows
// nothing of sessions or change sets.
package files

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/emendo-dev/emendo/acp/client"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/internal/rpc"
)

// patience is how long the client may take for one file, after which the text that is
// known counts. One that took longer has less time for each until it answers again.
const (
	patience     = 10 * time.Second
	lessPatience = 500 * time.Millisecond
)

// Files are the client's files in one workspace, as its [ide.Editor] and [ide.Source].
type Files struct {
	client    *client.Client
	workspace *ide.Workspace
	session   func() string // a session of the workspace, for the client

	// Elsewhere reports whether another editor has a file open, whose documents are left
	// alone. Nil: none has.
	Elsewhere func(path string) bool
	// Warn tells the user, once for each file, that its text on disk counts because the
	// client did not read it. Nil: nobody is told.
	Warn func(path string, err error)

	slow atomic.Bool // the client has not answered in time

	mu     sync.Mutex // held while a file is compared with its document, and changed
	warned map[string]bool
}

var (
	_ ide.Editor = (*Files)(nil)
	_ ide.Source = (*Files)(nil)
)

// New returns the files of a client that reads files.
func New(c *client.Client, w *ide.Workspace, session func() string) *Files {
	return &Files{client: c, workspace: w, session: session, warned: map[string]bool{}}
}

type readParams struct {
	SessionID string `json:"sessionId"`
	Path      string `json:"path"`
}

type writeParams struct {
	SessionID string `json:"sessionId"`
	Path      string `json:"path"`
	Content   string `json:"content"`
}

// errUnread means that the client has no text for a file.
var errUnread = errors.New("the editor did not read the file")

// read asks the client for a text.
func (f *Files) read(ctx context.Context, path string) (string, error) {
	session := f.session()
	if session == "" || !f.workspace.Snapshot().Tree().Contains(path) {
		return "", errUnread
	}
	wait := patience
	if f.slow.Load() {
		wait = lessPatience
	}
	outer := ctx
	ctx, stop := context.WithTimeout(ctx, wait)
	defer stop()
	var answer struct {
		Content *string `json:"content"`
	}
	err := f.client.Call(ctx, "fs/read_text_file", readParams{session, path}, &answer)
	if outer.Err() == nil {
		f.slow.Store(ctx.Err() != nil)
	}
	switch {
	case err != nil:
		return "", fmt.Errorf("%w: %w", errUnread, err)
	case answer.Content == nil:
		return "", fmt.Errorf("%w: its answer has no content", errUnread)
	}
	return *answer.Content, nil
}

// Document implements [ide.Source].
func (f *Files) Document(ctx context.Context, path string) *ide.Document {
	f.mu.Lock()
	defer f.mu.Unlock()
	d, err := f.sync(ctx, path)
	if err != nil && ctx.Err() == nil {
		f.client.Log.Debug("the client's text is not known", "error", err)
		if _, exists, _ := f.onDisk(ctx, path); d == nil && exists && f.session() != "" && !f.warned[path] && f.Warn != nil {
			f.warned[path] = true
			f.Warn(path, err)
		}
	}
	return d
}

// Refresh implements [ide.Source].
func (f *Files) Refresh(ctx context.Context) {
	for _, d := range f.workspace.Snapshot().Documents() {
		if !f.elsewhere(d.Path) {
			f.Document(ctx, d.Path)
		}
	}
}

func (f *Files) elsewhere(path string) bool { return f.Elsewhere != nil && f.Elsewhere(path) }

// HasOther reports whether the client has an unsaved text of a document that another
// editor has open, and not the text that it has there.
func (f *Files) HasOther(ctx context.Context, d *ide.Document) bool {
	text, err := f.read(ctx, d.Path)
	if err != nil || ide.SameLines(text, d.Text.String()) {
		return false
	}
	onDisk, exists, _ := f.onDisk(ctx, d.Path)
	return !exists || !ide.SameLines(onDisk, text)
}

// sync makes the workspace's document of a file what the client has: open if its text
// differs from the disk. f.mu is held.
func (f *Files) sync(ctx context.Context, path string) (*ide.Document, error) {
	now := f.workspace.Snapshot()
	d := now.DocumentAt(path)
	text, err := f.read(ctx, path)
	if err != nil {
		var refused *rpc.Error
		if d != nil && errors.As(err, &refused) { // the client has closed it without saving
			err = errors.Join(err, f.workspace.Close(d.Spelling))
			d = nil
		}
		return d, err
	}
	if f.elsewhere(path) { // since it was asked for
		return f.workspace.Snapshot().DocumentAt(path), nil
	}
	onDisk, exists, err := f.onDisk(ctx, path)
	if !exists && d == nil && !errors.Is(err, fs.ErrNotExist) { // no text: a picture, a folder
		return nil, nil
	}
	if exists && ide.SameLines(onDisk, text) {
		if d != nil {
			return nil, errors.Join(f.setText(d, text), f.workspace.Save(d.Spelling), f.workspace.Close(d.Spelling))
		}
		return nil, nil
	}
	if d == nil {
		uri := string(ide.FileURI(path))
		f.workspace.Open(uri, "", 1, onDisk)
		d = f.workspace.Snapshot().DocumentAt(path)
	}
	if err := f.setText(d, text); err != nil {
		return d, err
	}
	return f.workspace.Snapshot().DocumentAt(path), nil
}

// setText replaces the text of a document. f.mu is held.
func (f *Files) setText(d *ide.Document, text string) error {
	if d.Text.String() == text {
		return nil
	}
	return f.workspace.Change(d.Spelling, d.Version+1, []ide.Change{{Text: text}})
}

// onDisk returns the text that a file has on disk. It does not exist if that cannot be
// read, for which err is the reason.
func (f *Files) onDisk(ctx context.Context, path string) (text string, exists bool, err error) {
	tree := f.workspace.Snapshot().Tree()
	p, err := tree.At(path)
	if err != nil {
		return "", false, err
	}
	t, err := tree.ReadText(ctx, p)
	return t.Text, err == nil, err
}

// Write implements [ide.Source].
func (f *Files) Write(ctx context.Context, path string, before, after *ide.Text) (bool, error) {
	if !f.client.Can.WriteFiles {
		return false, nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	now, err := f.read(ctx, path)
	switch {
	case ctx.Err() != nil:
		return false, context.Cause(ctx)
	case errors.Is(err, errUnread) && before != nil: // it is no file of the client's
		return false, nil
	case err == nil && (before == nil || !ide.SameLines(now, before.String())):
		if _, err := f.sync(ctx, path); err != nil {
			return false, err
		}
		return false, fmt.Errorf("the editor has another text of %s: %w", path, disk.ErrChanged)
	}
	want := after.String()
	if before != nil && now != before.String() { // the client normalizes line ends
		want = strings.ReplaceAll(want, "\r\n", "\n")
	}
	err = f.client.Ask(ctx, "fs/write_text_file", writeParams{f.session(), path, want}, nil)
	switch {
	case ctx.Err() != nil:
		return false, context.Cause(ctx)
	case err != nil && before == nil: // some clients do not create folders
		return false, nil
	case err != nil:
		return false, fmt.Errorf("the editor did not write %s: %w", path, err)
	}
	return true, f.check(ctx, path, want)
}

// check makes sure that the client has a text that was written, and opens the document
// if the client has not saved it. f.mu is held.
func (f *Files) check(ctx context.Context, path, want string) error {
	ctx = context.WithoutCancel(ctx) // the result of the write must be known
	d, err := f.sync(ctx, path)
	if err != nil {
		return fmt.Errorf("the editor reported that it wrote %s, and cannot read it: %w", path, err)
	}
	var got string
	if d != nil {
		got = d.Text.String()
	} else {
		got, _, _ = f.onDisk(ctx, path)
	}
	if !ide.SameLines(got, want) {
		return fmt.Errorf("the editor reported that it wrote %s, but its text is another one, from a formatter perhaps; read the file again", path)
	}
	return nil
}

// ApplyEdit implements [ide.Editor]. The documents of the workspace are those that the
// client has not saved.
func (f *Files) ApplyEdit(ctx context.Context, e ide.Edit) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, x := range e.Files {
		if err := f.apply(ctx, x); err != nil {
			return err
		}
	}
	return nil
}

func (f *Files) apply(ctx context.Context, x ide.FileEdit) error {
	d := x.Document
	switch {
	case x.Delete || x.RenameTo != "":
		return fmt.Errorf("the editor has unsaved changes of %s; save or close it first: %w", d.Path, ide.ErrRefused)
	case !f.client.Can.WriteFiles:
		return fmt.Errorf("the editor has unsaved changes of %s and takes no edits of it; save it first: %w", d.Path, ide.ErrRefused)
	}
	text, err := f.read(ctx, d.Path)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return fmt.Errorf("%w: %w", ide.ErrRefused, err)
	case text != d.Text.String():
		return errors.Join(fmt.Errorf("the text of %s has changed: %w", d.Path, ide.ErrRefused), f.setText(d, text))
	}
	if err := f.client.Ask(ctx, "fs/write_text_file", writeParams{f.session(), d.Path, d.Text.Replace(x.Splices).String()}, nil); err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return fmt.Errorf("%w: %w", ide.ErrRefused, err)
	}
	text, err = f.read(context.WithoutCancel(ctx), d.Path) // the result of the write must be known
	if err != nil {
		return fmt.Errorf("%w: %w", ide.ErrUnseen, err)
	}
	return f.setText(d, text) // it is closed when it is asked for next, if it was saved
}

// Save implements [ide.Editor].
func (*Files) Save(context.Context, []ide.URI) ([]ide.URI, error) { return nil, ide.ErrUnsupported }

// Diagnostics implements [ide.Editor].
func (*Files) Diagnostics(context.Context, []ide.URI) (json.RawMessage, error) {
	return nil, ide.ErrUnsupported
}
