package present

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/lsp/client"
)

// changeDoers are the actions of calls and turns about the files that they changed.
var changeDoers = map[string]doer{
	"call/" + view.ShowDiff:  showDiff,
	"turn/" + view.ShowDiff:  showDiff,
	"call/" + view.Review:    reviewCall,
	"call/" + view.AcceptSet: acceptCall,
	"call/" + view.RejectSet: rejectCall,
}

// setNews are the change sets of a session that the ledger has reported and its view does not
// have yet: the ledger's watcher must not wait for the view.
type setNews struct {
	mu   sync.Mutex
	sets []ledger.ChangeSet
}

// NoteCallChanges notes a change set of a call, for the view of its session.
func (v *Views) NoteCallChanges(cs ledger.ChangeSet, rangesOnly bool) {
	if rangesOnly || cs.CallID == "" {
		return
	}
	o := v.get(cs.SessionID)
	if o == nil {
		return
	}
	o.news.mu.Lock()
	o.news.sets = append(slices.DeleteFunc(o.news.sets, func(x ledger.ChangeSet) bool { return x.ID == cs.ID }), cs)
	o.news.mu.Unlock()
	v.c.Touch()
}

// foldNews folds what the ledger has reported. It reports whether there was anything. o.mu is
// held.
func (o *opened) foldNews() bool {
	o.news.mu.Lock()
	sets := o.news.sets
	o.news.sets = nil
	o.news.mu.Unlock()
	for _, cs := range sets {
		o.putSet(cs)
	}
	return len(sets) > 0
}

// putSet folds the state of a change set. o.mu is held.
func (o *opened) putSet(cs ledger.ChangeSet) {
	o.fold.ChangeSet(cs)
	o.offers.noteHunks(cs)
}

// callSet returns the change set of a call.
func (v *Views) callSet(ctx context.Context, c chosen) (*client.Host, ledger.ChangeSet, error) {
	h, err := v.c.Host.Get(ctx)
	if err != nil {
		return nil, ledger.ChangeSet{}, err
	}
	files := fact(c, func(f *view.Conversation) []view.Changed { return f.ChangedFiles(c.ID) })
	if len(files) == 0 {
		return nil, ledger.ChangeSet{}, errGone
	}
	cs, err := h.Ledger.Get(files[0].ChangeSetID)
	return h, cs, err
}

func acceptCall(ctx context.Context, v *Views, c chosen) (acted, error) {
	return v.decideCall(ctx, c, ledger.Accept)
}

func rejectCall(ctx context.Context, v *Views, c chosen) (acted, error) {
	return v.decideCall(ctx, c, ledger.Reject)
}

// decideCall decides all edits of a call that wait and that the user has seen, as one group, and
// waits until they have come back.
func (v *Views) decideCall(ctx context.Context, c chosen, do ledger.Action) (acted, error) {
	h, cs, err := v.callSet(ctx, c)
	if err != nil {
		return acted{}, err
	}
	c.view.mu.Lock()
	hunks := cs.Hunks(func(h ledger.Hunk) bool { return h.State.Waits() && c.view.offers.isSeen(h.ID, c.Version) })
	c.view.mu.Unlock()
	var ds []ledger.Decision
	for _, hunk := range hunks {
		ds = append(ds, ledger.Decision{ChangeSetID: cs.ID, HunkID: hunk.ID, Action: do})
	}
	if len(ds) == 0 {
		return acted{}, client.Unable("nothing of what was shown is left to decide")
	}
	r, err := h.Agent.Resolve(ctx, ds, c.value("reason"))
	switch n := len(r.Conflicts); {
	case err != nil:
		return acted{}, err
	case n > 0:
		return acted{}, client.Unable("%d of %d edits were not made; the first: %s", n, len(ds), r.Conflicts[0].Reason)
	}
	return acted{}, nil
}

// reviewCall goes to the first edit of a call that waits.
func reviewCall(ctx context.Context, v *Views, c chosen) (acted, error) {
	_, cs, err := v.callSet(ctx, c)
	if err != nil {
		return acted{}, err
	}
	for _, f := range cs.Files {
		for _, h := range f.Hunks {
			if h.State.Waits() {
				return steps(view.Step{Open: &view.Place{URI: cmp.Or(f.Spelling, string(f.URI)), Range: &view.Range{
					Start: view.Position{Line: int(h.Range.Start.Line)}, End: view.Position{Line: int(h.Range.Start.Line)},
				}}})
			}
		}
	}
	return acted{}, client.Unable("nothing of what was shown is left to decide")
}

// showDiff has the client show the texts of files before and after the changes of a call or a
// turn: of all, or of the one whose number follows a colon.
func showDiff(ctx context.Context, v *Views, c chosen) (acted, error) {
	h, err := v.c.Host.Get(ctx)
	if err != nil {
		return acted{}, err
	}
	files := fact(c, func(f *view.Conversation) []view.Changed { return f.ChangedFiles(c.ID) })
	if _, number, one := strings.Cut(c.ActionID, ":"); one {
		n, err := strconv.Atoi(number)
		if err != nil || n < 0 || n >= len(files) {
			return acted{}, errNotNow
		}
		files = files[n : n+1]
	}
	var l []view.Compared
	for _, f := range files {
		both, err := v.compared(ctx, h.Ledger, f)
		if errors.Is(err, ledger.ErrUnknown) && len(files) == 1 { // of a copy, or forgotten
			return steps(view.Step{Open: &view.Place{URI: f.URI}})
		}
		if err != nil {
			return acted{}, err
		}
		l = append(l, both)
	}
	return steps(view.Step{Diff: l})
}

// compared returns the texts of a file before and after the changes of a change set.
func (v *Views) compared(ctx context.Context, of *ledger.Ledger, changed view.Changed) (view.Compared, error) {
	cs, err := of.Get(changed.ChangeSetID)
	if err != nil {
		return view.Compared{}, err
	}
	i := slices.IndexFunc(cs.Files, func(f ledger.FileChange) bool { return string(f.URI) == changed.URI || f.Spelling == changed.URI })
	if i < 0 {
		return view.Compared{}, ledger.ErrUnknown
	}
	f := cs.Files[i]
	text := ""
	now, err := v.c.Workspace.Snapshot().Read(ctx, cmp.Or(f.Spelling, string(f.URI)))
	switch {
	case err == nil:
		text = now.Text.String()
	case !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, disk.ErrEncoding):
		return view.Compared{}, err
	}
	out := view.Compared{Place: view.Place{URI: cmp.Or(f.Spelling, string(f.URI))}}
	if f.NewPath != "" {
		out.Place.NewURI = string(ide.FileURI(f.NewPath))
	}
	out.Old, out.New = bothTexts(text, f.Hunks)
	if out.Old == out.New { // nothing of it is in the file: only its own lines are known
		out.Old, out.New = view.UnifiedTexts(f.Diff)
	}
	return out, nil
}

// bothTexts returns a text without and with hunks, of which those that are applied stand in it
// with their new text, and those that wait with their old one.
func bothTexts(text string, hunks []ledger.Hunk) (before, after string) {
	hunks = slices.Clone(hunks)
	slices.SortStableFunc(hunks, func(a, b ledger.Hunk) int { return cmp.Compare(a.A, b.A) })
	var old, now strings.Builder
	at := 0
	for _, h := range hunks {
		if h.A < at || h.B < h.A || h.B > len(text) {
			continue
		}
		switch there := text[h.A:h.B]; {
		case h.State.Applied() && (there == h.NewText || h.Edited):
			old.WriteString(text[at:h.A] + h.OldText)
			now.WriteString(text[at:h.B])
		case h.State == ledger.Pending && there == h.OldText:
			old.WriteString(text[at:h.B])
			now.WriteString(text[at:h.A] + h.NewText)
		default:
			continue
		}
		at = h.B
	}
	return old.String() + text[at:], now.String() + text[at:]
}
