package ledger

import (
	"context"
	"errors"

	"github.com/emendo-dev/emendo/ide"
)

// ErrUnknown names a change set or hunk that does not exist.
var ErrUnknown = errors.New("no such change set or hunk")

// Options of a [Ledger].
type Options struct {
	Workspace *ide.Workspace
	Editor    ide.Editor // nil: no file is open anywhere
	NewID     func() string
}

// Ledger holds every change set of a process.
type Ledger struct {
	o Options
}

// New makes an empty ledger that watches the workspace.
func New(o Options) *Ledger { return &Ledger{o: o} }

// Watch has f called with every change set whose state changes, in order;
// ranges alone are told too. f may not call the ledger.
func (l *Ledger) Watch(f func(cs ChangeSet, rangesOnly bool)) {}

// View is a file as a proposal of the session sees it: its live text with the
// session's pending hunks in it.
func (l *Ledger) View(ctx context.Context, sessionID, name string) (ide.File, error) {
	return ide.File{}, errors.ErrUnsupported
}

// Propose adds a change set, all of whose hunks are pending.
func (l *Ledger) Propose(ctx context.Context, p Proposal) (ChangeSet, error) {
	return ChangeSet{}, errors.ErrUnsupported
}

// Decided waits until no hunk of the change set is pending and gives it as it
// stands then, with the comments that came with the decisions.
func (l *Ledger) Decided(ctx context.Context, id string) (ChangeSet, []string, error) {
	return ChangeSet{}, nil, errors.ErrUnsupported
}

// Resolve carries out decisions as one group: one edit over all open files,
// closed ones written beside it. It returns when the edits have come back.
func (l *Ledger) Resolve(ctx context.Context, ds []Decision, comment string) (Resolution, error) {
	return Resolution{}, errors.ErrUnsupported
}

// Get gives a change set as it stands.
func (l *Ledger) Get(id string) (ChangeSet, error) { return ChangeSet{}, ErrUnknown }

// List gives change sets in the order they were proposed; empty arguments
// match all.
func (l *Ledger) List(sessionID string, uri ide.URI, state State) []ChangeSet { return nil }

// Restore takes in the change sets of a loaded session: a hunk is pending
// where its old text stands exactly once, else conflicted. Decided ones stay
// as they are; change sets that are known already are left alone.
func (l *Ledger) Restore(ctx context.Context, sets []ChangeSet) error { return nil }
