package ide

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/emendo-dev/emendo/ide/disk"
)

func newWorkspace(t testing.TB, e Encoding) (w *Workspace, folder string) {
	t.Helper()
	folder, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	tree, err := disk.NewTree([]string{folder})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tree.Close() })
	return NewWorkspace(tree, e), folder
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestOpenTextWinsOverTheDisk(t *testing.T) {
	w, folder := newWorkspace(t, UTF16)
	path := filepath.Join(folder, "a b.go")
	write(t, path, "disk")
	spelling := "file://" + filepath.ToSlash(path) // its space is not escaped
	read := func(name string) File {
		t.Helper()
		f, err := w.Snapshot().Read(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	if f := read("a b.go"); f.Document != nil || f.Text.String() != "disk" || f.Hash == (disk.Hash{}) || f.Path != path {
		t.Errorf("closed: %+v", f)
	}
	w.Open(spelling, "go", 1, "buffer")
	for _, name := range []string{"a b.go", path, string(FileURI(path)), spelling, "./x/../a b.go"} {
		if f := read(name); f.Document == nil || f.Text.String() != "buffer" || f.Hash != (disk.Hash{}) || f.Path != path {
			t.Errorf("open, by %s: %+v", name, f)
		}
	}
	d := w.Snapshot().DocumentAt(path)
	if d.Spelling != spelling || d.URI != FileURI(path) || d.Unsaved {
		t.Errorf("got %+v", d)
	}
	if err := w.Close(string(FileURI(path))); err != nil {
		t.Error(err)
	}
	if f := read("a b.go"); f.Document != nil || f.Text.String() != "disk" {
		t.Errorf("closed again: %+v", f)
	}
}

func TestUntitledDocumentIsReadByItsURI(t *testing.T) {
	w, _ := newWorkspace(t, UTF16)
	w.Open("untitled:Untitled-1", "go", 1, "draft")
	if f, err := w.Snapshot().Read(t.Context(), "untitled:Untitled-1"); err != nil || f.Text.String() != "draft" || f.Path != "" {
		t.Errorf("got %+v, %v", f, err)
	}
	if l := w.Snapshot().Documents(); len(l) != 1 {
		t.Errorf("open are %v", l)
	}
}

func TestOpenFileIsNotPartOfTheWorkspace(t *testing.T) {
	w, _ := newWorkspace(t, UTF16)
	path := filepath.Join(t.TempDir(), "secret")
	write(t, path, "secret")
	w.Open(string(FileURI(path)), "", 1, "secret")
	for _, name := range []string{path, string(FileURI(path))} {
		if f, err := w.Snapshot().Read(t.Context(), name); !errors.Is(err, disk.ErrOutside) {
			t.Errorf("%s: got %v, %v", name, f, err)
		}
	}
	empty := NewWorkspace(nil, UTF8)
	if _, err := empty.Snapshot().Read(t.Context(), "a"); !errors.Is(err, disk.ErrOutside) {
		t.Errorf("without folders: %v", err)
	}
}

func TestTwoNamesOfAFile(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // links need a right there that few have
	}
	w, folder := newWorkspace(t, UTF16)
	path, link := filepath.Join(folder, "file"), filepath.Join(folder, "link")
	write(t, path, "")
	if err := os.Symlink("file", link); err != nil {
		t.Fatal(err)
	}
	w.Open(string(FileURI(path)), "", 1, "by name")
	w.Open(string(FileURI(link)), "", 1, "by link")
	if d := w.Snapshot().DocumentAt(path); d.Text.String() != "by link" || len(w.Snapshot().Documents()) != 2 {
		t.Errorf("got %+v", d)
	}
	if err := w.Close(string(FileURI(link))); err != nil {
		t.Fatal(err)
	}
	if d := w.Snapshot().DocumentAt(path); d == nil || d.Text.String() != "by name" {
		t.Errorf("after closing one: %+v", d)
	}
}

func at(line, character uint32) Position { return Position{line, character} }

func TestChangesAreAtomic(t *testing.T) {
	w, _ := newWorkspace(t, UTF16)
	var events []Event
	w.Watch(func(e Event) {
		if e.After != nil && w.Snapshot().Document(e.After.URI) != e.After {
			t.Error("an event is reported before snapshots show it")
		}
		events = append(events, e)
	})
	const uri = "untitled:1"
	w.Open(uri, "", 1, "one\r\ntwo 👍\n")
	before := w.Snapshot()
	err := w.Change(uri, 2, []Change{
		{&Range{at(1, 4), at(1, 6)}, "!"},
		{&Range{at(0, 3), at(1, 0)}, " "},
		{&Range{at(0, 0), at(0, 0)}, "zero\n"},
	})
	d := w.Snapshot().Document(uri)
	if err != nil || d.Text.String() != "zero\none two !\n" || d.Version != 2 || !d.Unsaved {
		t.Errorf("got %+v %q, %v", d, d.Text, err)
	}
	if got := before.Document(uri).Text.String(); got != "one\r\ntwo 👍\n" {
		t.Errorf("an earlier snapshot holds %q", got)
	}
	text := before.Document(uri).Text
	for _, s := range events[1].Splices {
		text = text.Splice(s.A, s.B, s.Text)
	}
	if text.String() != d.Text.String() || events[1].Kind != Changed {
		t.Errorf("the splices of %+v lead to %q", events[1], text)
	}
	if err := w.Change(uri, 3, []Change{{nil, "whole"}, {&Range{at(7, 0), at(9, 0)}, "x"}}); err == nil {
		t.Error("a range past the end is taken")
	}
	if now := w.Snapshot().Document(uri); now != d {
		t.Errorf("half of a bad change was made: %q", now.Text)
	}
	if err := w.Save(uri); err != nil || w.Snapshot().Document(uri).Unsaved {
		t.Errorf("saved: %v", err)
	}
	if err := w.Change(uri, 4, nil); err != nil || w.Snapshot().Document(uri).Unsaved || w.Snapshot().Document(uri).Version != 4 {
		t.Errorf("a change of nothing: %v, %+v", err, w.Snapshot().Document(uri))
	}
	w.Open(uri, "text", 1, "opened again")
	if d := w.Snapshot().Document(uri); d.Text.String() != "opened again" || d.Version != 1 || d.Unsaved || len(w.Snapshot().Documents()) != 1 {
		t.Errorf("opened again: %+v", d)
	}
	if err := w.Close(uri); err != nil || w.Snapshot().Document(uri) != nil {
		t.Errorf("closed: %v", err)
	}
	var kinds []EventKind
	for _, e := range events {
		kinds = append(kinds, e.Kind)
	}
	if fmt.Sprint(kinds) != fmt.Sprint([]EventKind{Opened, Changed, Saved, Changed, Opened, Closed}) {
		t.Errorf("events %v", kinds)
	}
	for what, err := range map[string]error{"change": w.Change(uri, 1, nil), "save": w.Save(uri), "close": w.Close(uri)} {
		if err == nil || err.Error() != what+" untitled:1: the document is not open" {
			t.Errorf("%s of a closed one: %v", what, err)
		}
	}
}

// Snapshots that were taken at any time keep showing what was true then.
func TestSnapshotsNeverChange(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	w := NewWorkspace(nil, UTF8)
	type view struct {
		snapshot *Snapshot
		want     map[URI]string
	}
	open := map[URI]string{}
	var views []view
	for range 3000 {
		u := URI(fmt.Sprintf("file:///dir/f%d", r.IntN(200)))
		text, isOpen := open[u]
		switch {
		case !isOpen:
			open[u] = "text"
			w.Open(string(u), "", 1, "text")
		case r.IntN(6) == 0:
			delete(open, u)
			if err := w.Close(string(u)); err != nil {
				t.Fatal(err)
			}
		default:
			open[u] = "x" + text
			if err := w.Change(string(u), 2, []Change{{&Range{}, "x"}}); err != nil {
				t.Fatal(err)
			}
		}
		if r.IntN(20) == 0 {
			want := map[URI]string{}
			for u, text := range open {
				want[u] = text
			}
			views = append(views, view{w.Snapshot(), want})
		}
	}
	for _, v := range views {
		if got := v.snapshot.Documents(); len(got) != len(v.want) {
			t.Fatalf("%d documents, want %d", len(got), len(v.want))
		}
		for u, text := range v.want {
			if d := v.snapshot.Document(u); d == nil || d.Text.String() != text || v.snapshot.DocumentAt(d.Path) != d {
				t.Fatalf("%s: got %v, want %q", u, d, text)
			}
		}
	}
}

func TestSnapshotsAreReadWhileTheUserTypes(t *testing.T) {
	w := NewWorkspace(nil, UTF8)
	const uri = "untitled:1"
	w.Open(uri, "", 0, "")
	done := make(chan struct{})
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for last := int32(0); ; {
				d := w.Snapshot().Document(uri)
				if d.Version < last || d.Text.Len() != int(d.Version) {
					t.Errorf("version %d after %d has %d bytes", d.Version, last, d.Text.Len())
				}
				last = d.Version
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	for v := range int32(2000) {
		if err := w.Change(uri, v+1, []Change{{&Range{}, "x"}}); err != nil {
			t.Error(err)
		}
	}
	close(done)
	readers.Wait()
}

// A keystroke in a file of 5,000 lines while 1,000 documents are open. The
// budget is 83 µs, for an editor that sends 12,000 of them a second.
func BenchmarkChange5000Lines(b *testing.B) {
	w := NewWorkspace(nil, UTF16)
	for i := range 1000 {
		w.Open(fmt.Sprintf("file:///src/f%d.go", i), "go", 1, "package src\n")
	}
	const uri = "file:///src/large.go"
	w.Open(uri, "go", 1, lines5000())
	b.ReportAllocs()
	for version := int32(2); b.Loop(); version++ {
		text := "x"
		r := Range{at(2500, 10), at(2500, 10)}
		if version%2 == 1 { // and takes it back
			text, r.End = "", at(2500, 11)
		}
		if err := w.Change(uri, version, []Change{{&r, text}}); err != nil {
			b.Fatal(err)
		}
	}
}

// A search asks for each file that it reads whether edits are pending in it. Here they are
// pending in 1,000 other files.
func BenchmarkDocumentAtOf1000Pending(b *testing.B) {
	var pending []Pending
	for i := range 1000 {
		u := URI(fmt.Sprintf("file:///src/f%d.go", i))
		pending = append(pending, Pending{u.Path(), &Document{URI: u, Path: u.Path(), Text: NewText("package src\n")}})
	}
	s := NewWorkspace(nil, UTF16).Snapshot().With(pending)
	for b.Loop() {
		if s.DocumentAt("/src/other.go") != nil {
			b.Fatal("the file is open")
		}
	}
}
