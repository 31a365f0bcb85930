package ide

import "context"

// A Source is an editor that does not report its documents: it has to be asked for
// them, and edits of files may have to go through it. It keeps the documents whose text
// differs from the disk open in the workspace. Its methods may be called by several
// goroutines at once.
type Source interface {
	// Document asks for the text of a file, by its absolute path with links resolved.
	// It returns nil if the text is that of the disk.
	Document(ctx context.Context, path string) *Document
	// Refresh brings the documents that are open in the workspace up to date.
	Refresh(ctx context.Context)
	// Write changes the text of a file that is not open in the workspace, or creates
	// it if before is nil, and checks that it did. It reports false if the file is to
	// be written on disk instead. The error wraps [disk.ErrChanged] if the file does
	// not have the text before; then it is open in the workspace.
	Write(ctx context.Context, path string, before, after *Text) (bool, error)
}

// SetSource sets where snapshots get the text of files that are not open. It is called
// before the workspace is used.
func (w *Workspace) SetSource(from Source) {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := *w.now.Load()
	s.source = from
	w.now.Store(&s)
}

// Refresh brings the open documents up to date where a source has them.
func (w *Workspace) Refresh(ctx context.Context) {
	if s := w.Snapshot(); s.source != nil {
		s.source.Refresh(ctx)
	}
}

// Source returns the source of the workspace, or nil.
func (w *Workspace) Source() Source { return w.Snapshot().source }
