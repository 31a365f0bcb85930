package view

import (
	"reflect"
	"strings"

	"github.com/emendo-dev/emendo/ide/ledger"
)

// tally counts the hunks of a file or of more.
type tally struct{ pending, unreviewed, conflicted, added, removed int }

func (t *tally) add(h *windowHunk) {
	switch h.state {
	case HunkPending:
		t.pending++
	case HunkUnreviewed:
		t.unreviewed++
	case HunkConflicted:
		t.conflicted++
	}
	if h.omitted == "" {
		t.added += len(linesOf(h.new))
		t.removed += len(linesOf(h.old))
	}
}

// refreshFiles brings the items of files up to date with their hunks.
func (w *Window) refreshFiles() {
	for key, f := range w.files {
		if !f.touched {
			continue
		}
		f.touched = false
		if len(f.hunks) == 0 {
			w.Drop(f.id)
			delete(w.files, key)
			continue
		}
		i := w.fileItem(f)
		if before, ok := w.Item(f.id); !ok || !reflect.DeepEqual(before, i) {
			w.put(i, f.path)
		}
	}
}

// fileItem returns the item of a file: what it is to become, how much waits for the user, and
// what can be done with all of it.
func (w *Window) fileItem(f *windowFile) Item {
	near := w.o.Folders.Near
	i := Item{ID: f.id, Kind: KindFile, State: Waiting, Look: string(ledger.Modify), Title: say("file", "path", near(f.path)), Place: &Place{URI: f.uri, NewURI: f.newURI}}
	var t tally
	var check *Line
	for _, h := range f.inOrder() {
		t.add(h)
		if h.op != ledger.Modify {
			i.Look = string(h.op)
		}
		if h.state == HunkPending {
			if c := h.checkLine(); c != nil {
				check = c
			}
		}
		if h.op == ledger.Rename {
			i.Title = say("file.rename", "path", near(f.path), "to", near(h.newPath))
		}
	}
	switch {
	case t.pending > 0:
	case t.conflicted > 0:
		i.State, i.Look = Failed, "conflict"
	default:
		i.State = Done
	}
	i.Lines = t.lines()
	if op := i.Look; op == string(ledger.Create) || op == string(ledger.Delete) {
		i.Lines = append([]Line{{ID: "op", Look: op, Text: say("file.op_" + op)}}, i.Lines...)
	}
	if check != nil {
		i.Lines = append(i.Lines, *check)
	}
	var said []string
	for _, l := range i.Lines {
		said = append(said, l.Text.Text)
	}
	i.Note = or(say("file.note", "items", strings.Join(said, " · ")))
	i.Actions = t.fileActions()
	return i
}

// lines says how many hunks there are, and how many lines they add and remove.
func (t tally) lines() (l []Line) {
	add := func(id, look string, n int) {
		if n > 0 {
			l = append(l, Line{ID: id, Look: look, Text: say("file."+id, "n", n)})
		}
	}
	add("pending", "edit", t.pending)
	add("unreviewed", "edit", t.unreviewed)
	add("conflicted", warning, t.conflicted)
	if t.added+t.removed > 0 {
		l = append(l, Line{ID: "counts", Text: say("file.counts", "added", t.added, "removed", t.removed)})
	}
	return l
}

// fileActions are what can be done with all hunks of a file.
func (t tally) fileActions() (l []Action) {
	add := func(id, code string, n int) {
		if n > 0 {
			l = append(l, Action{ID: id, Title: say(code, "n", n), Look: id})
		}
	}
	add(Accept, "file.accept", t.pending)
	add(Reject, "file.reject", t.pending)
	if t.pending > 0 {
		l = append(l, Action{ID: RejectWhy, Title: say("file.reject_why"), Look: "reject_why", Fields: reasonField("field.reason")})
	}
	add(Keep, "file.keep", t.unreviewed)
	add(Undo, "file.undo", t.unreviewed)
	add(Dismiss, "file.dismiss", t.conflicted)
	if t.pending+t.unreviewed > 0 {
		l = append(l, Verb(Differ))
	}
	return l
}

// actions are what can be done with all hunks of a session, or of all.
func (e Edits) actions() (l []Action) {
	add := func(id, code string, n int) {
		if n > 0 {
			l = append(l, Action{ID: id, Title: say(code, "n", n), Look: strings.TrimSuffix(id, "All"), Danger: id == UndoAll})
		}
	}
	add(AcceptAll, "all.accept", e.Pending)
	add(RejectAll, "all.reject", e.Pending)
	add(KeepAll, "all.keep", e.Unreviewed)
	add(UndoAll, "all.undo", e.Unreviewed)
	return l
}

// Verdict is what the user decides on hunks.
type Verdict struct {
	Action ledger.Action
	States []HunkState // of the hunks that it fits; nil: whatever they are
}

// verdicts are those of the actions on one hunk, a file, a session or all.
var verdicts = map[string]Verdict{
	Accept: {ledger.Accept, []HunkState{HunkPending}}, Reject: {ledger.Reject, []HunkState{HunkPending}}, RejectWhy: {ledger.Reject, []HunkState{HunkPending}},
	Keep: {ledger.Keep, []HunkState{HunkUnreviewed}}, Undo: {ledger.Undo, []HunkState{HunkUnreviewed}}, Dismiss: {ledger.Reject, []HunkState{HunkConflicted}},
}

// VerdictOf returns the verdict of an action. ok reports whether the action is a verdict.
func VerdictOf(actionID string) (v Verdict, ok bool) {
	v, ok = verdicts[strings.TrimSuffix(actionID, "All")]
	return v, ok
}

// Which are the hunks that an action is about: one, those of a file, of a session, or all.
type Which struct {
	Hunk, File, Session string
	Seen                int64 // what came after it is not meant
}

// Decisions returns the decisions of a verdict on hunks, in the order of review.
func (w *Window) Decisions(v Verdict, of Which) (l []ledger.Decision) {
	for _, f := range w.filesInOrder() {
		for _, h := range f.inOrder() {
			fits := len(v.States) == 0
			for _, s := range v.States {
				fits = fits || h.state == s || of.Hunk != "" && v.Action == ledger.Accept
			}
			switch {
			case !fits, h.since > of.Seen, v.Action == ledger.Reject && h.built > of.Seen:
			case of.Hunk != "" && of.Hunk != h.hunk, of.File != "" && of.File != f.id, of.Session != "" && of.Session != h.session:
			default:
				l = append(l, ledger.Decision{ChangeSetID: h.set, HunkID: h.hunk, Action: v.Action})
			}
		}
	}
	return l
}

// Seq returns the number of the last change of what the user decides on.
func (w *Window) Seq() int64 { return w.seq }

// Newest returns the number of the last change of the hunks of a session that wait.
func (w *Window) Newest(session string) (seq int64) {
	for _, set := range w.sets {
		for _, h := range set {
			if h.session == session {
				seq = max(seq, h.since)
			}
		}
	}
	return seq
}

// NewText returns the new text of a hunk, and where it belongs.
func (w *Window) NewText(id string) (text string, at Place, ok bool) {
	h := w.hunk(id)
	if h == nil {
		return "", Place{}, false
	}
	return h.new, Place{URI: h.file.uri, Range: new(rangeOf(h.at))}, true
}

// FilesOf returns the IDs of the files with hunks of a session, or of all, in the order of
// review.
func (w *Window) FilesOf(sessionID string) (ids []string) {
	for _, f := range w.filesInOrder() {
		for _, h := range f.hunks {
			if sessionID == "" || h.session == sessionID {
				ids = append(ids, f.id)
				break
			}
		}
	}
	return ids
}

// Decided says how many hunks were decided at once.
func Decided(id string, did ledger.Action, n int) Item {
	return Item{ID: id, Kind: KindNotice, Look: LookInfo, Title: say("decided."+string(did), "n", n)}
}

// Reopening returns what makes decided hunks pending again.
func Reopening() Action { return Action{ID: Reopen, Title: doing(Undo), Look: Undo} }

// Compared returns the file of a hunk or an item: its path, or the URI of a document that is
// not a file, where it is, and the state of what waits there; all empty for an ID without a file.
func (w *Window) Compared(id string) (name string, at Place, state HunkState) {
	for _, f := range w.filesInOrder() {
		h := f.hunks[id]
		if h == nil && f.id != id {
			continue
		}
		at = Place{URI: f.uri, NewURI: f.newURI}
		if h != nil {
			at.Range = new(rangeOf(h.at))
			return f.path, at, h.state
		}
		state = HunkUnreviewed
		for _, h := range f.hunks {
			if h.state != HunkUnreviewed {
				state = HunkPending
			}
		}
		return f.path, at, state
	}
	return "", Place{}, ""
}
