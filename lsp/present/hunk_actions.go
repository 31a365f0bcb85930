package present

import (
	"context"
	"strings"

	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/lsp/client"
)

// kindHunk is the kind of hunks in [doers].
const kindHunk = "hunk"

// hunkDoers are the actions on hunks: on one, on all of a file, of a session, or of the window.
var hunkDoers = map[string]doer{
	view.Accept: decide, view.Reject: decide, view.RejectWhy: decide,
	view.Keep: decide, view.Undo: decide,
	kindHunk + "/" + view.Dismiss: decide, string(view.KindFile) + "/" + view.Dismiss: decide,
	view.AcceptAll: decide, view.RejectAll: decide, view.KeepAll: decide,
	kindHunk + "/" + view.Edit:   editHunk,
	kindHunk + "/" + view.Differ: compare, string(view.KindFile) + "/" + view.Differ: compare,
}

// decide decides hunks as one group, and waits until their edits have come back.
func decide(ctx context.Context, v *Views, c chosen) (acted, error) {
	verdict, _ := view.VerdictOf(c.ActionID)
	return acted{}, v.resolve(ctx, v.decisions(verdict, c), c.value("reason"))
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
	if c.view == nil {
		of.Seen = v.window.seen.at(c.Version)
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
			return acted{}, client.Invalid("there is no %s any more", c.ID)
		}
		return steps(view.Step{Edit: &text, Place: &place})
	}
	ds := v.decisions(view.Verdict{Action: ledger.Accept}, c)
	if len(ds) == 1 {
		ds[0].Text = c.Text
	}
	return acted{}, v.resolve(ctx, ds, "")
}

// compare has the client show the texts of a file before and after what waits in it.
func compare(ctx context.Context, v *Views, c chosen) (acted, error) {
	v.window.mu.Lock()
	name, place, state := v.window.fold.Compared(c.ID)
	v.window.mu.Unlock()
	h := v.c.Host.Current()
	if name == "" || h == nil {
		return acted{}, client.Invalid("there is no %s any more", c.ID)
	}
	old, new, err := h.Ledger.Compare(ctx, name, state == view.HunkUnreviewed)
	if err != nil {
		return acted{}, err
	}
	if i := strings.IndexByte(old+new, 0); i >= 0 {
		return acted{}, client.Unable("the file is not text")
	}
	return steps(view.Step{Diff: []view.Compared{{Place: place, Old: old, New: new}}})
}
