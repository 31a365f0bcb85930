package rewind_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/rewind"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/ide/idetest"
	"github.com/emendo-dev/emendo/ide/ledger"
)

// folder is a workspace with the Rewinder of a session.
type folder struct {
	t      *testing.T
	dir    string
	editor *idetest.Editor
	ledger *ledger.Ledger
	files  *rewind.Rewinder
	store  string // the folder of the checkpoints
	log    bytes.Buffer
}

func newFolder(t *testing.T) *folder {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	tree, err := disk.NewTree([]string{dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tree.Close() })
	w := ide.NewWorkspace(tree, ide.UTF16)
	e := idetest.New(w)
	n := 0
	l := ledger.New(ledger.Options{Workspace: w, Editor: e, NewID: func() string { n++; return fmt.Sprint("set", n) }})
	t.Cleanup(l.Close)
	f := &folder{t: t, dir: dir, editor: e, ledger: l, store: t.TempDir()}
	f.files = rewind.New(rewind.Options{
		SessionID: "s", Dir: dir, Workspace: w, Ledger: l, Journal: rewind.NewStore(f.store, rewind.Git{}).Journal("s"),
		Place: place{tree}, Log: slog.New(slog.NewTextHandler(&f.log, nil)), Meanwhile: rewind.NewMeanwhile(w),
	})
	t.Cleanup(f.files.Close)
	return f
}

// place is where a session works, without plans.
type place struct{ tree *disk.Tree }

func (p place) Tree() *disk.Tree { return p.tree }

func (place) IsPlan(string) bool { return false }

func (f *folder) put(name, text string) {
	f.t.Helper()
	if err := os.WriteFile(filepath.Join(f.dir, name), []byte(text), 0o644); err != nil {
		f.t.Fatal(err)
	}
}

// drawn returns the calls and files of all change sets.
func (f *folder) drawn() []string {
	var l []string
	for _, cs := range f.ledger.List("", "", "") {
		for _, file := range cs.Files {
			l = append(l, cs.CallID+" "+filepath.Base(file.Path))
		}
	}
	return l
}

func (f *folder) want(when string, want ...string) {
	f.t.Helper()
	if got := f.drawn(); !slices.Equal(got, want) {
		f.t.Errorf("%s there is %q, want %q", when, got, want)
	}
}

// What a command in the background changes is drawn when its output is read, when the next
// command begins, and at its end; what changes while another command runs is that one's.
func TestChangesOfACommandInTheBackground(t *testing.T) {
	f := newFolder(t)
	ctx := t.Context()
	w := f.files.Watch("turn")
	over := make(chan struct{})
	drawn := make(chan struct{}, 10)
	as := func(id string) rewind.Call { return rewind.Call{TurnID: "turn", ID: id, Title: id} }

	ended := w.Command(ctx)
	f.put("begun", "x\n")
	e := ended()
	e.Draw(ctx, as("server"), nil)
	doubts := make(chan bool, 10)
	w.Follow(ctx, e, over, false, func(e rewind.Ended, doubted bool) string {
		doubts <- doubted
		e.Draw(context.WithoutCancel(ctx), as("server"), nil)
		drawn <- struct{}{}
		return "told;"
	})
	f.want("after its call", "server begun")

	f.put("read", "x\n")
	if note := f.files.Look(ctx); note != "told;" {
		t.Errorf("the note is %q", note)
	}
	f.want("after it was read", "server begun", "server read")

	f.put("next", "x\n")
	ended = f.files.Watch("later").Command(ctx)
	f.want("at the next command", "server begun", "server read", "server next")
	f.put("other", "x\n")
	e = ended()
	e.Draw(ctx, as("other"), nil)
	if e.Before() != "told;" {
		t.Errorf("before it is told %q", e.Before())
	}
	f.want("after the next command", "server begun", "server read", "server next", "other other")

	for range 2 {
		<-drawn
	}
	f.files.Doubt()
	f.put("last", "x\n")
	close(over)
	<-drawn
	f.want("at its end", "server begun", "server read", "server next", "other other", "server last")
	for i := range 3 {
		if doubted := <-doubts; doubted != (i == 2) {
			t.Errorf("report %d is doubted: %v", i, doubted)
		}
	}
	f.put("mine", "x\n")
	if f.files.Look(ctx); len(f.drawn()) != 5 {
		t.Errorf("after its end there is %q", f.drawn())
	}
}

// What the editor saves, and what emendo writes, while a command runs is not the command's.
func TestWhatOthersWriteMeanwhileIsNotTheCommands(t *testing.T) {
	f := newFolder(t)
	ctx := t.Context()
	for _, name := range []string{"saved", "both", "accepted"} {
		f.put(name, "one\n")
	}
	set := func(name, text string) ledger.ChangeSet {
		base, err := f.ledger.View(ctx, "s", filepath.Join(f.dir, name))
		if err != nil {
			t.Fatal(err)
		}
		cs, err := f.ledger.Propose(ctx, ledger.Proposal{SessionID: "s", TurnID: "turn", CallID: "edit", Files: []ledger.Proposed{{Path: base.Path, Op: ledger.Modify, Base: base, New: text}}})
		if err != nil {
			t.Fatal(err)
		}
		return cs
	}
	proposed := set("accepted", "two\n")
	uri := func(name string) string { return string(ide.FileURI(filepath.Join(f.dir, name))) }
	save := func(name string) {
		f.editor.Open(uri(name), "one\n")
		f.editor.Type(uri(name), 0, 3, "typed")
		f.editor.SaveFile(uri(name))
		f.put(name, f.editor.Text(uri(name)))
		f.editor.Close(uri(name))
	}
	ended := f.files.Watch("turn").Command(ctx)
	save("saved")
	save("both")
	f.put("both", "typed\nadded\n")
	files := map[string]*rewind.Rewinder{"s": f.files}
	if _, err := rewind.Decide(ctx, f.ledger, files, []ledger.Decision{{ChangeSetID: proposed.ID, Action: ledger.Accept}}, ""); err != nil {
		t.Fatal(err)
	}
	ended().Draw(ctx, rewind.Call{TurnID: "turn", ID: "run", Title: "run"}, nil)
	f.want("drawn", "edit accepted", "run both")
	sets := f.ledger.List("", "", "")
	if h := sets[len(sets)-1].Files[0].Hunks; len(h) != 1 || h[0].OldText != "" || h[0].NewText != "added\n" {
		t.Errorf("the hunks are %+v", h)
	}
}

// Of more than 200 changed files the first have text, those that tools run by themselves
// before all others.
func TestManyFilesOfACommand(t *testing.T) {
	f := newFolder(t)
	ended := f.files.Watch("turn").Command(t.Context())
	for i := range 205 {
		f.put(fmt.Sprintf("f%03d", i), "x\n")
	}
	f.put("setup.py", "x\n")
	ended().Draw(t.Context(), rewind.Call{TurnID: "turn", ID: "run", Title: "run"}, nil)
	files := f.ledger.List("", "", "")[0].Files
	if len(files) != 206 || filepath.Base(files[0].Path) != "setup.py" || !files[0].Runs {
		t.Fatalf("%d files, first %s", len(files), files[0].Path)
	}
	for i, file := range files {
		want := ""
		if i >= 200 {
			want = string(ledger.Many)
		}
		if string(file.Omitted) != want || (file.Hunks[0].NewText == "") != (i >= 200) {
			t.Errorf("file %d, %s, is omitted %q: %+v", i, file.Path, file.Omitted, file.Hunks)
		}
	}
	f.ledger.PutBackFrom(storedFiles{f.files})
	r, err := f.ledger.Resolve(t.Context(), []ledger.Decision{{ChangeSetID: "set1", Action: ledger.Undo}}, "")
	if err != nil || len(r.Conflicts) > 0 {
		t.Fatalf("undone: %+v, %v", r.Conflicts, err)
	}
	if left, _ := os.ReadDir(f.dir); len(left) > 0 {
		t.Errorf("%d files are left, %s", len(left), strings.Join(f.drawn(), ", "))
	}
}

// What cannot be read is said once, also of a file that tools run by themselves, whose text
// decides where it is shown.
func TestUnreadableChangeOfACommandIsLoggedOnce(t *testing.T) {
	f := newFolder(t)
	f.put("setup.py", "one\n")
	ended := f.files.Watch("turn").Command(t.Context())
	f.put("setup.py", "two\n")
	e := ended()
	if err := os.RemoveAll(f.store); err != nil {
		t.Fatal(err)
	}
	e.Draw(t.Context(), rewind.Call{TurnID: "turn", ID: "run", Title: "run"}, nil)
	f.want("drawn", "run setup.py")
	if log := f.log.String(); strings.Count(log, "\n") != 1 || !strings.Contains(log, "reading what a command changed") {
		t.Errorf("the log is %s", log)
	}
}

// storedFiles are the versions that a rewinder has stored.
type storedFiles struct{ r *rewind.Rewinder }

func (f storedFiles) PutBack(ctx context.Context, _, path string, from, to ledger.Version) error {
	return f.r.Exchange(ctx, path, from, to)
}
