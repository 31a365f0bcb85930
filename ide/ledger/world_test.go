package ledger_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/ide/idetest"
	"github.com/emendo-dev/emendo/ide/ledger"
)

// world is a folder, an editor and a ledger.
type world struct {
	t   testing.TB
	dir string
	w   *ide.Workspace
	e   *idetest.Editor
	l   *ledger.Ledger
}

func newWorld(t testing.TB) *world {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return newWorldIn(t, dir)
}

func newWorldIn(t testing.TB, dir string) *world {
	t.Helper()
	tree, err := disk.NewTree([]string{dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tree.Close() })
	w := ide.NewWorkspace(tree, ide.UTF16)
	e := idetest.New(w)
	n := 0
	l := ledger.New(ledger.Options{Workspace: w, Editor: e, NewID: func() string { n++; return fmt.Sprintf("set%d", n) }})
	t.Cleanup(l.Close)
	return &world{t, dir, w, e, l}
}

func (w *world) path(name string) string { return filepath.Join(w.dir, name) }

func (w *world) uri(name string) string {
	if strings.Contains(name, ":") {
		return name
	}
	return string(ide.FileURI(w.path(name)))
}

func (w *world) write(name, text string) {
	w.t.Helper()
	if err := os.WriteFile(w.path(name), []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) disk(name string) string {
	b, err := os.ReadFile(w.path(name))
	if err != nil {
		return "missing"
	}
	return string(b)
}

// open opens a file in the editor; with a text, that is on disk too.
func (w *world) open(name, text string) {
	w.t.Helper()
	if !strings.Contains(name, ":") {
		w.write(name, text)
	}
	w.e.Open(w.uri(name), text)
}

func (w *world) text(name string) string { return w.e.Text(w.uri(name)) }

// typed replaces the only occurrence of old in the editor.
func (w *world) typed(name, old, new string) {
	w.t.Helper()
	text := w.text(name)
	if strings.Count(text, old) != 1 {
		w.t.Fatalf("%q occurs %d times in %q", old, strings.Count(text, old), text)
	}
	i := strings.Index(text, old)
	w.e.Type(w.uri(name), i, i+len(old), new)
}

func (w *world) view(name string) ide.File {
	w.t.Helper()
	f, err := w.l.View(context.Background(), "s", name)
	if err != nil {
		w.t.Fatal(err)
	}
	return f
}

// propose proposes a new text of a file against the view of session "s".
func (w *world) propose(name, text string) ledger.ChangeSet {
	w.t.Helper()
	f := w.view(name)
	p := ledger.Proposed{Path: f.Path, Op: ledger.Modify, Base: f, New: text}
	if f.Path == "" {
		p.URI = f.Document.URI
	}
	return w.proposeFile(p)
}

func (w *world) proposeFile(files ...ledger.Proposed) ledger.ChangeSet {
	w.t.Helper()
	cs, err := w.l.Propose(context.Background(), ledger.Proposal{SessionID: "s", TurnID: "t", CallID: "c", Title: "Change it", Files: files})
	if err != nil {
		w.t.Fatal(err)
	}
	return cs
}

// decide decides one hunk, counted from one over the change set, or all with 0.
func (w *world) decide(id string, hunk int, a ledger.Action) ledger.Resolution {
	w.t.Helper()
	d := ledger.Decision{ChangeSetID: id, Action: a}
	if hunk > 0 {
		d.HunkID = fmt.Sprintf("%s.%d", id, hunk)
	}
	return w.resolve(d)
}

func (w *world) resolve(ds ...ledger.Decision) ledger.Resolution {
	w.t.Helper()
	r, err := w.l.Resolve(context.Background(), ds, "")
	if err != nil {
		w.t.Fatal(err)
	}
	return r
}

// states returns the states of a change set and its hunks.
func (w *world) states(id string) string {
	w.t.Helper()
	cs, err := w.l.Get(id)
	if err != nil {
		w.t.Fatal(err)
	}
	l := []string{string(cs.State) + ":"}
	for _, f := range cs.Files {
		for _, h := range f.Hunks {
			s := string(h.State)
			if h.Edited {
				s += " edited"
			}
			l = append(l, s)
		}
	}
	return strings.Join(l, " ")
}

// pause waits as if the user stopped typing.
func (w *world) pause() { <-time.After(2 * time.Second) }

func (w *world) want(what, got, want string) {
	w.t.Helper()
	if got != want {
		w.t.Errorf("%s: got %q, want %q", what, got, want)
	}
}

// numbered returns a text of lines "line 1" to "line n".
func numbered(n int) string {
	var s strings.Builder
	for i := range n {
		fmt.Fprintf(&s, "line %d\n", i+1)
	}
	return s.String()
}

// capitals returns the text with these lines in capitals.
func capitals(text string, lines ...int) string {
	l := strings.SplitAfter(text, "\n")
	for _, n := range lines {
		l[n-1] = strings.ToUpper(l[n-1])
	}
	return strings.Join(l, "")
}

// replaceOnce replaces the only occurrence.
func replaceOnce(text, old, new string) string {
	if strings.Count(text, old) != 1 {
		panic(fmt.Sprintf("%q stands %d times", old, strings.Count(text, old)))
	}
	return strings.Replace(text, old, new, 1)
}
