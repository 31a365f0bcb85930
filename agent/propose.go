package agent

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/emendo-dev/emendo/agent/rewind"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/internal/protect"
	"github.com/emendo-dev/emendo/tools"
	"github.com/emendo-dev/emendo/tools/match"
)

// A UserProposal is a change that the user proposes, such as applying a code block
// of an answer.
type UserProposal struct {
	SessionID string        // empty: no session
	URI       string        // of an open document, or of a file in the workspace
	Range     *ide.Range    // the text to replace; nil: the whole text, or a new file
	NewText   string        // with any line ends; the file keeps its own
	Title     string        // for the user
	Snapshot  *ide.Snapshot // the range refers to this snapshot
	// Base is the text that NewText was made from, if not the text in the snapshot.
	// Differences between these two are kept.
	Base *string
}

// ErrBadProposal means that a user's proposal does not refer to text that can be
// changed.
var ErrBadProposal = errors.New("cannot propose the change")

// Propose adds a change set without a turn, to be reviewed like the model's. If its
// session has no prompt yet, it lasts only as long as the process. For a protected
// file the error is a [*transcript.DeniedError].
func (a *Agent) Propose(ctx context.Context, p UserProposal) (ledger.ChangeSet, error) {
	session, round := "", 0
	if p.SessionID != "" {
		s, err := a.Session(ctx, p.SessionID)
		if err != nil {
			return ledger.ChangeSet{}, err
		}
		if s.State.Record.IsStored() {
			session, round = s.State.SessionID, s.Info().Round()
		}
	}
	f, err := p.file(ctx, a.Process.Options.Workspace.Encoding())
	if err != nil {
		return ledger.ChangeSet{}, err
	}
	if err := a.mayChange(p, f.Path); err != nil {
		return ledger.ChangeSet{}, err
	}
	cs, err := a.Process.Options.Ledger.Propose(ctx, ledger.Proposal{SessionID: session, Title: transcript.CleanTitle(p.Title, transcript.GivenTitle), Round: round, Files: []ledger.Proposed{f}})
	if errors.Is(err, ledger.ErrNoChange) || errors.Is(err, disk.ErrEncoding) {
		err = fmt.Errorf("%w: %w", ErrBadProposal, err)
	}
	return cs, err
}

// file returns the new text of the file. The range counts characters in units of e.
func (p UserProposal) file(ctx context.Context, e ide.Encoding) (ledger.Proposed, error) {
	bad := func(err error) (ledger.Proposed, error) {
		return ledger.Proposed{}, fmt.Errorf("%w of %s: %w", ErrBadProposal, tools.Shown(p.URI), err)
	}
	base, err := p.Snapshot.Read(ctx, p.URI)
	if ctx.Err() != nil {
		return ledger.Proposed{}, context.Cause(ctx)
	}
	op := ledger.Modify
	if errors.Is(err, fs.ErrNotExist) && p.Range == nil {
		place, rerr := p.Snapshot.Tree().Resolve(ide.ParseURI(p.URI).Path())
		if rerr != nil {
			return bad(rerr)
		}
		op, base, err = ledger.Create, ide.File{Path: place.Abs, Text: ide.NewText("")}, nil
	}
	if err != nil {
		return bad(err)
	}
	text := p.NewText
	if p.Range != nil {
		from, to, err := base.Text.Offsets(*p.Range, e)
		if err != nil {
			return bad(err)
		}
		text = base.Text.Splice(from, to, p.NewText).String()
	}
	if p.Base != nil {
		now := base.Text.String()
		merged, ok := rewind.Merge(match.KeepEnds(now, *p.Base), now, match.KeepEnds(now, text))
		if !ok {
			return bad(errors.New("the change overlaps unsaved text in the editor: save or undo that text, then try again"))
		}
		text = merged
	}
	if len(text) > disk.EditLimit {
		return bad(disk.ErrTooLarge)
	}
	f := ledger.Proposed{Path: base.Path, URI: ide.FileURI(base.Path), Op: op, Base: base, New: match.KeepEnds(base.Text.String(), text)}
	if base.Document != nil {
		f.URI = base.Document.URI
	}
	return f, nil
}

// mayChange returns an error for a file that tools may not change. It checks both
// the client's path and the path that links resolve to.
func (a *Agent) mayChange(p UserProposal, path string) error {
	if path == "" { // a document that is not a file
		return nil
	}
	place := protect.Place{Tree: p.Snapshot.Tree()}
	for _, own := range a.Process.Options.Own {
		if own != "" {
			place.Own = append(place.Own, disk.RealPath(own))
		}
	}
	level := place.At(path)
	if given, err := place.Tree.At(ide.ParseURI(p.URI).Path()); err == nil {
		level = max(level, protect.Of(given.Rel))
	}
	if level == protect.Sealed {
		return &transcript.DeniedError{Rule: "protected path", Reason: tools.Shown(path) + " is protected because it decides what may run: change it in the editor"}
	}
	return nil
}
