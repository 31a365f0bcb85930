package present

import (
	"context"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/lsp/client"
)

// Kinds in [doers] that no items have.
const (
	kindHunk    = "hunk"
	kindDecided = "decided" // a hunk in a list that was decided
	kindGroup   = "group"   // hunks that were decided at once
	kindSession = "session" // an entry of a list
	kindComment = "comment" // likewise
	kindListed  = "listed"  // likewise, of what sessions use
	kindRule    = "rule"    // likewise
)

// hunkDoers are the actions on hunks: on one, on all of a file, of a session, or of the window.
var hunkDoers = map[string]doer{
	view.Accept: decide, view.Reject: decide, view.RejectWhy: decide,
	view.Keep: decide, view.Undo: decide,
	kindHunk + "/" + view.Dismiss: decide, string(view.KindFile) + "/" + view.Dismiss: decide,
	view.AcceptAll: decide, view.RejectAll: decide, view.KeepAll: decide,
	kindHunk + "/" + view.Edit:   editHunk,
	kindHunk + "/" + view.Differ: compare, string(view.KindFile) + "/" + view.Differ: compare,
	string(view.KindStatus) + "/" + view.Differ: compareAll,
	kindDecided + "/" + view.Reopen:             reopen,
}

// aboutAll are the actions on all hunks of a session, or of the window.
var aboutAll = []string{view.AcceptAll, view.RejectAll, view.KeepAll, view.UndoAll}

// isAboutAll reports whether an action is about all hunks of a session, which are named by its
// status or its entry in a list, or of the window, or about the turn that runs. It need not be
// listed: a status tells of hunks and turns later than the client has them.
func isAboutAll(kind, actionID string) bool {
	switch kind {
	case string(view.KindStatus):
		return slices.Contains(aboutAll, actionID) || actionID == view.Differ || actionID == view.Stop
	case kindSession:
		return slices.Contains(aboutAll, actionID)
	}
	return false
}

// decide decides hunks as one group, and waits until their edits have come back. It says how
// many there were, unless the user chose one.
func decide(ctx context.Context, v *Views, c chosen) (acted, error) {
	verdict, _ := view.VerdictOf(c.ActionID)
	ds := v.decisions(verdict, c)
	if err := v.resolve(ctx, ds, c.value("reason")); err != nil || c.Kind == kindHunk {
		return acted{}, err
	}
	return acted{Notice: v.groups.note(verdict.Action, ds)}, nil
}

// decisions returns the decisions of a verdict on the hunks that an action is about and that
// the user has seen.
func (v *Views) decisions(verdict view.Verdict, c chosen) []ledger.Decision {
	of := view.Which{Session: c.Session}
	if c.view != nil {
		c.view.mu.Lock()
		of.Seen = c.view.seen.at(c.Version)
		c.view.mu.Unlock()
	}
	v.window.mu.Lock()
	defer v.window.mu.Unlock()
	switch whole := v.window.seen.at(v.window.version); { // as far as the client had all hunks
	case c.view == nil:
		of.Seen = v.window.seen.at(c.Version)
	case v.window.open && v.window.fold.LacksHunks():
		of.Seen = min(of.Seen, whole)
	}
	switch c.Kind {
	case kindHunk:
		of.Hunk = c.ID
	case string(view.KindFile):
		of.File = c.ID
	}
	v.window.foldNews(true)
	if v.window.news.isOpen() {
		return v.window.fold.Decisions(verdict, of)
	}
	all := view.NewWindow() // the client draws no hunks: the status counted them
	if h := v.c.Host.Current(); h != nil {
		for _, cs := range h.Ledger.List("", "", "") {
			all.PutChangeSet(cs)
		}
	}
	of.Seen = all.Seq()
	return all.Decisions(verdict, of)
}

// resolve carries out decisions as one group.
func (v *Views) resolve(ctx context.Context, ds []ledger.Decision, comment string) error {
	if len(ds) == 0 {
		return client.Unable("nothing of what was shown is left to decide")
	}
	h, err := v.c.Host.Get(ctx)
	if err != nil {
		return err
	}
	r, err := h.Agent.Resolve(ctx, ds, comment)
	switch n := len(r.Conflicts); {
	case err != nil:
		return err
	case n == 1 && len(ds) == 1:
		return client.Unable("the change was not made: %s", r.Conflicts[0].Reason)
	case n > 0:
		return client.Unable("%d of %d changes were not made; the first: %s", n, len(ds), r.Conflicts[0].Reason)
	}
	return nil
}

// editHunk has the client open the new text of a hunk, and accepts it with the text that the
// user has saved.
func editHunk(ctx context.Context, v *Views, c chosen) (acted, error) {
	if c.Text == nil {
		v.window.mu.Lock()
		defer v.window.mu.Unlock()
		text, place, ok := v.window.fold.NewText(c.ID)
		if !ok {
			return acted{}, errGone
		}
		return steps(view.Step{Edit: &text, Place: &place})
	}
	ds := v.decisions(view.Verdict{Action: ledger.Accept}, c)
	if len(ds) == 1 {
		ds[0].Text = new(ended(v, *c.Text, c.ID))
	}
	return acted{}, v.resolve(ctx, ds, "")
}

// ended returns a text for a hunk with a line end behind its last line, if the hunk's own new
// text has one: an editor shows none there that the user could keep.
func ended(v *Views, text, id string) string {
	v.window.mu.Lock()
	defer v.window.mu.Unlock()
	own, _, _ := v.window.fold.NewText(id)
	switch {
	case text == "" || strings.HasSuffix(text, "\n") || own != "" && !strings.HasSuffix(own, "\n"):
		return text
	case strings.HasSuffix(own, "\r\n"):
		return text + "\r\n"
	}
	return text + "\n"
}

// reopen reverses the decision on a hunk.
func reopen(ctx context.Context, v *Views, c chosen) (acted, error) {
	d, _, ok := v.decided(c.ID)
	if !ok {
		return acted{}, errGone
	}
	return acted{}, v.resolve(ctx, []ledger.Decision{d}, "")
}

// decided finds a hunk that was decided, with the decision that reverses it and its actions.
func (v *Views) decided(id string) (d ledger.Decision, actions []view.Action, ok bool) {
	h := v.c.Host.Current()
	if h == nil {
		return ledger.Decision{}, nil, false
	}
	for _, cs := range h.Ledger.List("", "", "") {
		for _, f := range cs.Files {
			for _, hunk := range f.Hunks {
				if hunk.ID != id {
					continue
				}
				e := view.DecidedEntry(v.c, f, hunk)
				if e == nil {
					return ledger.Decision{}, nil, false
				}
				return ledger.Decision{ChangeSetID: cs.ID, HunkID: id, Action: ledger.Reopen}, e.Actions, true
			}
		}
	}
	return ledger.Decision{}, nil, false
}

// compare has the client show the texts of a file before and after what waits in it.
func compare(ctx context.Context, v *Views, c chosen) (acted, error) {
	both, err := v.compare(ctx, c.ID)
	if err != nil {
		return acted{}, err
	}
	return steps(view.Step{Diff: []view.Compared{both}})
}

// compareAll has the client show the texts of all files before and after what waits in them,
// but for those that are not text.
func compareAll(ctx context.Context, v *Views, c chosen) (acted, error) {
	v.window.mu.Lock()
	v.window.foldNews(true)
	files := v.window.fold.FilesOf(c.Session)
	v.window.mu.Unlock()
	var l []view.Compared
	for _, id := range files {
		switch both, err := v.compare(ctx, id); {
		case err == nil:
			l = append(l, both)
		case len(files) == 1:
			return acted{}, err
		}
	}
	if len(l) == 0 {
		return acted{}, client.Unable("nothing that waits for a decision can be compared")
	}
	return steps(view.Step{Diff: l})
}

// compare returns the texts of the file of a hunk or an item before and after what waits in it.
func (v *Views) compare(ctx context.Context, id string) (view.Compared, error) {
	v.window.mu.Lock()
	name, place, state := v.window.fold.Compared(id)
	v.window.mu.Unlock()
	h := v.c.Host.Current()
	if name == "" || h == nil {
		return view.Compared{}, errGone
	}
	old, new, err := h.Ledger.Compare(ctx, name, state == view.HunkUnreviewed)
	if err != nil {
		return view.Compared{}, err
	}
	if strings.IndexByte(old+new, 0) >= 0 {
		return view.Compared{}, client.Unable("the file is not text")
	}
	return view.Compared{Place: place, Old: old, New: new}, nil
}
