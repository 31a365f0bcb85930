package ledger_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/ledger"
)

// made writes a file as a command would, and returns the change; an empty text means no file.
func (w *world) made(name, before, after string) ledger.RecordedFile {
	w.t.Helper()
	f := ledger.RecordedFile{Path: w.path(name), Op: ledger.Modify, Before: before, After: after}
	if before == "" {
		f.Op = ledger.Create
	}
	if after == "" {
		f.Op = ledger.Delete
		if err := os.Remove(w.path(name)); err != nil {
			w.t.Fatal(err)
		}
		return f
	}
	w.write(name, after)
	return f
}

func (w *world) record(files ...ledger.RecordedFile) ledger.ChangeSet {
	w.t.Helper()
	cs, left, err := w.l.Record(context.Background(), ledger.Recorded{SessionID: "s", TurnID: "t", CallID: "c", Title: "run", Origin: ledger.OfCommand, Files: files})
	if err != nil || len(left) > 0 {
		w.t.Fatal(left, err)
	}
	return cs
}

// reviews returns the states of hunks with whether the user has reviewed them.
func (w *world) reviews(id string) string {
	w.t.Helper()
	cs, err := w.l.Get(id)
	if err != nil {
		w.t.Fatal(err)
	}
	var l []string
	for _, f := range cs.Files {
		for _, h := range f.Hunks {
			l = append(l, fmt.Sprintf("%s %t", h.State, h.Reviewed()))
		}
	}
	return strings.Join(l, ", ")
}

func TestWhatACommandMadeIsKeptAndUndone(t *testing.T) {
	w := newWorld(t)
	text := numbered(20)
	w.write("a.txt", text)
	w.write("gone.sh", "#!/bin/sh\n")
	if err := os.Chmod(w.path("gone.sh"), 0o750); err != nil {
		t.Fatal(err)
	}
	gone := w.made("gone.sh", "#!/bin/sh\n", "")
	gone.Was.Mode = 0o750
	cs := w.record(w.made("a.txt", text, capitals(text, 2, 15)), w.made("new.txt", "", "new\n"), gone)
	w.want("the change set", string(cs.State)+" "+string(cs.Origin), "accepted command")
	w.want("its hunks", w.reviews(cs.ID), "accepted false, accepted false, accepted false, accepted false")
	if h := cs.Files[0].Hunks[1]; h.OldText != "line 15\n" || h.NewText != "LINE 15\n" || h.Range.Start.Line != 14 || h.Range.End.Line != 15 {
		t.Errorf("the second hunk is %+v", h)
	}
	w.want("unreviewed", fmt.Sprint(w.l.Unreviewed("s")), "4")
	w.want("waiting", fmt.Sprint(w.l.Waiting("s")), "0")

	r := w.decide(cs.ID, 1, ledger.Keep)
	w.want("applied by keep", fmt.Sprint(r.Applied, r.Conflicts), "["+cs.ID+".1] []")
	w.decide(cs.ID, 2, ledger.Undo)
	w.want("kept and undone", w.disk("a.txt"), capitals(text, 2))
	w.decide(cs.ID, 3, ledger.Undo)
	w.want("the new file", w.disk("new.txt"), "missing")
	w.decide(cs.ID, 4, ledger.Undo)
	w.want("the deleted file", w.disk("gone.sh"), "#!/bin/sh\n")
	if fi, err := os.Stat(w.path("gone.sh")); err != nil || fi.Mode().Perm() != 0o750 {
		t.Errorf("its permissions are %v, %v", fi.Mode(), err)
	}
	w.want("decided", w.reviews(cs.ID), "accepted true, rejected true, rejected true, rejected true")
	w.want("unreviewed at the end", fmt.Sprint(w.l.Unreviewed("")), "0")
}

// Each action on each standing of a hunk: the state afterwards, or a conflict that changes
// nothing. A proposal was accepted by the user; the others were applied unasked.
func TestTheTableOfDecisions(t *testing.T) {
	const old, new = "a\n", "b\n"
	for _, tt := range []struct {
		standing string
		prepare  func(w *world, id string)
		proposal bool
		want     map[ledger.Action]string // state, reviewed, text; else it is a conflict
	}{
		{"applied", func(*world, string) {}, false, map[ledger.Action]string{
			ledger.Accept: "accepted false b", ledger.Keep: "accepted true b", ledger.Undo: "rejected true a", ledger.Reject: "rejected true a",
		}},
		{"kept", func(w *world, id string) { w.decide(id, 1, ledger.Keep) }, false, map[ledger.Action]string{
			ledger.Accept: "accepted true b", ledger.Undo: "rejected true a", ledger.Reject: "rejected true a", ledger.Reopen: "rejected true a",
		}},
		{"undone", func(w *world, id string) { w.decide(id, 1, ledger.Undo) }, false, map[ledger.Action]string{
			ledger.Reject: "rejected true a", ledger.Reopen: "accepted false b", ledger.Accept: "accepted true b",
		}},
		{"proposed", func(*world, string) {}, true, map[ledger.Action]string{
			ledger.Accept: "accepted true b", ledger.Reject: "rejected true a", ledger.Reopen: "pending false a",
		}},
		{"accepted", func(w *world, id string) { w.decide(id, 1, ledger.Accept) }, true, map[ledger.Action]string{
			ledger.Accept: "accepted true b", ledger.Undo: "rejected true a", ledger.Reject: "rejected true a", ledger.Reopen: "pending false a",
		}},
		{"rejected", func(w *world, id string) { w.decide(id, 1, ledger.Reject) }, true, map[ledger.Action]string{
			ledger.Accept: "accepted true b", ledger.Reject: "rejected true a", ledger.Reopen: "pending false a",
		}},
	} {
		for _, a := range []ledger.Action{ledger.Accept, ledger.Reject, ledger.Reopen, ledger.Keep, ledger.Undo} {
			for _, open := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s %s, open %v", a, tt.standing, open), func(t *testing.T) {
					w := newWorld(t)
					w.write("f", old)
					if open {
						w.e.Open(w.uri("f"), old)
					}
					cs := w.propose("f", new)
					if !tt.proposal {
						w.resolve(ledger.Decision{ChangeSetID: cs.ID, Action: ledger.Accept, Unasked: true})
					}
					tt.prepare(w, cs.ID)
					now := func() string {
						text := w.disk("f")
						if open {
							text = w.text("f")
						}
						return w.reviews(cs.ID) + " " + strings.TrimSuffix(text, "\n")
					}
					before := now()
					r := w.decide(cs.ID, 1, a)
					want, fits := tt.want[a]
					if !fits {
						want = before
					}
					w.want("afterwards", now(), want)
					if fits == (len(r.Conflicts) > 0) {
						t.Errorf("the conflicts are %v", r.Conflicts)
					}
				})
			}
		}
	}
}

func TestWhatWasAppliedUnaskedIsTakenBackInTheEditor(t *testing.T) {
	w := newWorld(t)
	w.open("f", "a\n")
	cs := w.propose("f", "b\n")
	w.resolve(ledger.Decision{ChangeSetID: cs.ID, Action: ledger.Accept, Unasked: true})
	w.want("applied", w.reviews(cs.ID), "accepted false")
	w.e.Undo()
	w.want("taken back", w.reviews(cs.ID), "rejected false")
	w.e.Redo()
	w.want("again", w.reviews(cs.ID), "accepted false")
	w.decide(cs.ID, 1, ledger.Keep)
	w.e.Undo()
	w.want("kept and taken back", w.reviews(cs.ID), "rejected true")
	w.e.Redo()
	w.want("kept and again", w.reviews(cs.ID), "accepted true")
}

// A file that the editor has open is followed from when the editor has read it again.
func TestAChangedFileThatIsOpen(t *testing.T) {
	w := newWorld(t)
	text := numbered(20)
	changed := capitals(text, 2, 15)
	w.open("f", text)
	cs := w.record(w.made("f", text, changed))
	w.want("at first", w.reviews(cs.ID), "accepted false, accepted false")
	if r := w.decide(cs.ID, 1, ledger.Undo); len(r.Conflicts) != 1 {
		t.Errorf("undone before the editor has read it: %+v", r)
	}
	w.typed("f", text, changed)
	w.want("once it is read", w.reviews(cs.ID), "accepted false, accepted false")
	w.decide(cs.ID, 1, ledger.Undo)
	w.want("the editor's text", w.text("f"), capitals(text, 15))
	w.e.Close(w.uri("f"))
	w.want("closed", w.reviews(cs.ID), "rejected true, accepted false")

	w.open("g", "saved\n")
	w.typed("g", "saved", "typed")
	_, left, err := w.l.Record(context.Background(), ledger.Recorded{SessionID: "s", Origin: ledger.OfCommand, Files: []ledger.RecordedFile{w.made("g", "saved\n", "changed\n")}})
	if !errors.Is(err, ledger.ErrNoChange) || len(left) != 1 || left[0] != w.path("g") {
		t.Errorf("with unsaved text: %v, %v", left, err)
	}
}

// A hunk that is to be reviewed is followed when its document is closed, after a restart and
// beyond the limit of decided hunks.
func TestUnreviewedHunksStayFollowed(t *testing.T) {
	w := newWorld(t)
	text := numbered(8000)
	var lines []int
	for i := 1; i < 8000; i += 7 {
		lines = append(lines, i)
	}
	w.write("many", text)
	w.record(w.made("many", text, capitals(text, lines...))) // one hunk: there are too many
	var sets []ledger.ChangeSet
	for i := range 4 {
		name := fmt.Sprint("f", i)
		w.write(name, text[:8000])
		sets = append(sets, w.record(w.made(name, text[:8000], capitals(text[:8000], lines[:100]...))))
	}
	w.want("unreviewed", fmt.Sprint(w.l.Unreviewed("s")), "401")
	again := newWorldIn(t, w.dir)
	for i, cs := range sets {
		sets[i], _ = w.l.Get(cs.ID)
	}
	if err := again.l.Restore(context.Background(), sets); err != nil {
		t.Fatal(err)
	}
	again.decide(sets[0].ID, 0, ledger.Undo)
	w.want("undone after a restart", again.disk("f0"), text[:8000])
	again.e.Open(w.uri("f1"), w.disk("f1"))
	again.e.Close(w.uri("f1"))
	again.decide(sets[1].ID, 3, ledger.Undo)
	w.want("undone after it was closed", again.disk("f1"), capitals(text[:8000], append(lines[:2:2], lines[3:100]...)...))
	again.write("f2", "other\n")
	if r := again.decide(sets[2].ID, 5, ledger.Undo); len(r.Conflicts) != 1 || again.disk("f2") != "other\n" {
		t.Errorf("undone although the file was changed: %+v", r)
	}
}

// storedFiles notes what is put back, and whether that is one file.
type storedFiles struct {
	of    string
	calls []string
}

func (f *storedFiles) PutBack(_ context.Context, session, path string, from, to ledger.Version) error {
	f.calls = append(f.calls, fmt.Sprint(session, " ", ide.FileURI(path) == ide.FileURI(f.of), from.Hash, to.Hash))
	return nil
}

// A hunk without text is decided as a whole file, by stored bytes.
func TestHunksWithoutText(t *testing.T) {
	w := newWorld(t)
	w.write("b.bin", "after")
	stored := &storedFiles{of: w.path("b.bin")}
	w.l.PutBackFrom(stored)
	cs := w.record(
		ledger.RecordedFile{Path: w.path("b.bin"), Op: ledger.Modify, Omitted: ledger.Binary, Was: ledger.Version{Hash: "old"}, Is: ledger.Version{Hash: "new"}},
		ledger.RecordedFile{Path: w.path("large"), Op: ledger.Modify, Omitted: ledger.Large, Final: "there is no copy"},
	)
	w.want("recorded", w.reviews(cs.ID), "accepted false, accepted false")
	w.decide(cs.ID, 1, ledger.Undo)
	w.want("undone", w.reviews(cs.ID)+fmt.Sprint(stored.calls), "rejected true, accepted false[s truenewold]")
	w.decide(cs.ID, 1, ledger.Reopen)
	w.want("applied again", w.reviews(cs.ID)+fmt.Sprint(stored.calls), "accepted false, accepted false[s truenewold s trueoldnew]")
	if r := w.decide(cs.ID, 2, ledger.Undo); len(r.Conflicts) != 1 || r.Conflicts[0].Reason != "there is no copy" {
		t.Errorf("what cannot be undone: %+v", r)
	}
	w.decide(cs.ID, 2, ledger.Keep)
	w.want("kept", w.reviews(cs.ID), "accepted false, accepted true")
}
