package view_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/ledger"
)

// Each state of a hunk, of each kind of change, says what it does, every fact about it and what
// can be done.
func TestHunksSayHowTheyStand(t *testing.T) {
	pending, applied := ledger.Hunk{State: ledger.Pending}, ledger.Hunk{State: ledger.Accepted, Unasked: true, Undecided: true}
	conflicted := ledger.Hunk{State: ledger.Conflicted, Reason: "the text there has changed"}
	with := func(h ledger.Hunk, f func(*ledger.Hunk)) ledger.Hunk { f(&h); return h }
	checked := func(v ledger.Verification) ledger.FileChange {
		return ledger.FileChange{Op: ledger.Modify, Verification: v}
	}
	final := with(applied, func(h *ledger.Hunk) { h.Reason = "no copy was kept" })
	var hunks []struct {
		name string
		file ledger.FileChange
		hunk ledger.Hunk
		says []string
	}
	add := func(name string, f ledger.FileChange, h ledger.Hunk, says ...string) {
		hunks = append(hunks, struct {
			name string
			file ledger.FileChange
			hunk ledger.Hunk
			says []string
		}{name, f, h, says})
	}
	for _, op := range []ledger.Op{ledger.Modify, ledger.Create, ledger.Delete, ledger.Rename} {
		f := ledger.FileChange{Op: op}
		if op == ledger.Rename {
			f.NewPath = "/w/sub/b.go"
		}
		add(string(op)+", pending", f, pending, "[accept]", "[reject]", "[rejectWhy]")
		add(string(op)+", applied", f, applied, "[keep]", "[undo]")
		add(string(op)+", conflicted", f, conflicted, "the text there has changed", "[dismiss]")
	}
	for _, o := range []ledger.Omission{ledger.Binary, ledger.Large, ledger.Many} {
		add("omitted: "+string(o), ledger.FileChange{Op: ledger.Modify, Omitted: o}, applied, "[keep]", "[undo]")
	}
	add("final", ledger.FileChange{Op: ledger.Modify, Omitted: ledger.Large}, final, "no copy was kept", "[keep]")
	add("runs by itself", ledger.FileChange{Op: ledger.Modify, Runs: true}, pending, "by themselves (runs warning)")
	add("formatted", ledger.FileChange{Op: ledger.Modify}, with(pending, func(h *ledger.Hunk) { h.Formatted = true }), "Formatted")
	add("committed", ledger.FileChange{Op: ledger.Modify}, with(applied, func(h *ledger.Hunk) { h.Committed = true }), "may not be yours", "[keep]")
	add("builds on others", ledger.FileChange{Op: ledger.Modify}, with(pending, func(h *ledger.Hunk) { h.Bases, h.Dependents = 2, 1 }), "Builds on 2", "1 later change", "Accept, with", "Reject; the change")
	add("applied, with later ones", ledger.FileChange{Op: ledger.Modify}, with(applied, func(h *ledger.Hunk) { h.Dependents = 2 }), "2 later changes", "Undo; the 2 changes that build on it go too")
	add("verified", checked(ledger.Verification{State: ledger.Verified}), pending, "no new errors")
	add("resolves", checked(ledger.Verification{State: ledger.Verified, Resolved: 2}), pending, "resolves 2 errors")
	add("problems", checked(ledger.Verification{State: ledger.Problems, Introduced: 3}), pending, "3 new errors")
	add("not verified", checked(ledger.Verification{State: ledger.Unverified, Reason: "gopls is not there"}), pending, "gopls is not there")
	add("in an open file", ledger.FileChange{Op: ledger.Modify, Open: true, DocVersion: 4}, pending, "-a", "+b")

	type drawn struct {
		Name  string          `json:"name"`
		Items []view.Item     `json:"items"`
		Hunks []view.HunkView `json:"hunks"`
	}
	var b, encoded strings.Builder
	for _, x := range hunks {
		w := view.NewWindow()
		w.ForgetHunks(view.Options{Encoding: ide.UTF16, Folders: folder("/w")})
		x.hunk.ID, x.hunk.OldText, x.hunk.NewText = "h", "a\n", "b\n"
		x.file.Path, x.file.URI, x.file.Hunks = "/w/a.go", ide.FileURI("/w/a.go"), []ledger.Hunk{x.hunk}
		w.PutChangeSet(ledger.ChangeSet{ID: "set", Version: 1, Files: []ledger.FileChange{x.file}})
		_, items, views := w.Whole(0)
		got := writtenItems(items) + writtenHunks(views)
		fmt.Fprintf(&b, "== %s\n%s", x.name, got)
		for _, s := range x.says {
			if !strings.Contains(got, s) {
				t.Errorf("%s: %q is not said:\n%s", x.name, s, got)
			}
		}
		raw, err := json.Marshal(drawn{x.name, items, views})
		if err != nil {
			t.Fatal(err)
		}
		encoded.WriteString(string(raw) + "\n")
	}
	golden(t, "hunks.txt", b.String())
	golden(t, "hunks.jsonl", encoded.String())
}

// writtenHunks returns hunks as text to read.
func writtenHunks(l []view.HunkView) string {
	var b strings.Builder
	for _, h := range l {
		fmt.Fprintf(&b, "%s: %s\n", h.State, h.Label.Text)
		for _, m := range h.Marks {
			fmt.Fprintf(&b, "  - %s (%s)\n", m.Text.Text, strings.TrimSpace(m.ID+" "+m.Look))
		}
		for _, r := range h.Rows {
			fmt.Fprintf(&b, "  %s%s\n", r.Mark, r.Text)
		}
		for _, a := range h.Actions {
			fmt.Fprintf(&b, "  [%s] %s\n", a.ID, a.Title.Text)
		}
	}
	return b.String()
}
