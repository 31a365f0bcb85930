package buffers_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/ide/idetest"
	"github.com/emendo-dev/emendo/internal/buffers"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// world is a folder with files, and the folder in which editors are announced.
type world struct {
	*testing.T
	dir, state string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t, filepath.Join(base, "work"), filepath.Join(base, "editors")}
	if err := os.Mkdir(w.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *world) path(name string) string { return filepath.Join(w.dir, name) }

func (w *world) uri(name string) string { return string(ide.FileURI(w.path(name))) }

func (w *world) write(name, text string) {
	w.Helper()
	if err := os.WriteFile(w.path(name), []byte(text), 0o644); err != nil {
		w.Fatal(err)
	}
}

// roots are the folders of an editor.
type roots struct{ folders []string }

func (r *roots) Roots() []string { return r.folders }

// workspace returns one of folders.
func (w *world) workspace(e ide.Encoding, folders ...string) *ide.Workspace {
	w.Helper()
	tree, err := disk.NewTree(folders)
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() {
		if err := tree.Close(); err != nil {
			w.Error(err)
		}
	})
	return ide.NewWorkspace(tree, e)
}

// editor starts an editor of folders with its server.
func (w *world) editor(folders ...string) (*idetest.Editor, *buffers.Server) {
	w.Helper()
	ws := w.workspace(ide.UTF16, folders...)
	e := idetest.New(ws)
	s, err := buffers.Serve(w.Context(), buffers.ServerOptions{
		Folder: w.state, Workspace: ws, Folders: &roots{folders}, Applier: ide.NewApplier(ws, e), Editor: e, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() { s.Close(); e.Wait() })
	return e, s
}

// mirror returns a workspace that mirrors the editors, and what applies edits there.
func (w *world) mirror(folders ...string) (*ide.Workspace, *buffers.Mirror, *ide.Applier) {
	w.Helper()
	ws := w.workspace(ide.UTF8, folders...)
	m := buffers.NewMirror(context.Background(), buffers.MirrorOptions{Folder: w.state, Workspace: ws, Log: slog.New(slog.DiscardHandler)})
	w.Cleanup(m.Close)
	a := ide.NewApplier(ws, m)
	m.Refresh(w.Context())
	return ws, m, a
}

func (w *world) announcements() []string {
	w.Helper()
	l, err := filepath.Glob(filepath.Join(w.state, "*"))
	if err != nil {
		w.Fatal(err)
	}
	return l
}

// shown writes the documents of a workspace, with a star after what is unsaved.
func shown(ws *ide.Workspace) string {
	var b strings.Builder
	for _, d := range ws.Snapshot().Documents() {
		fmt.Fprintf(&b, "%s=%q", filepath.Base(d.Path), d.Text)
		if d.Unsaved {
			b.WriteString("*")
		}
		b.WriteString(" ")
	}
	return strings.TrimSpace(b.String())
}

// TestMirror goes through what an editor does with documents.
func TestMirror(t *testing.T) {
	w := newWorld(t)
	w.write("a.txt", "one\n")
	w.write("zé.txt", "")
	e, _ := w.editor(w.dir)
	ws, m, _ := w.mirror(w.dir)
	a, b := w.uri("a.txt"), w.uri("zé.txt")
	var events []ide.EventKind
	ws.Watch(func(e ide.Event) { events = append(events, e.Kind) })
	for _, step := range []struct {
		name string
		do   func()
		want string
	}{
		{"nothing is open", func() {}, ""},
		{"opened", func() { e.Open(a, "one\n") }, `a.txt="one\n"`},
		{"typed", func() { e.Type(a, 3, 3, "!") }, `a.txt="one!\n"*`},
		{"another is opened", func() { e.Open(b, "ä\r\n\x01😀") }, `a.txt="one!\n"* zé.txt="ä\r\n\x01😀"`},
		{"an edit inside a line end", func() { e.Type(b, 2, 4, "\n") }, `a.txt="one!\n"* zé.txt="ä\n\x01😀"*`},
		{"saved", func() { e.SaveFile(a) }, `a.txt="one!\n" zé.txt="ä\n\x01😀"*`},
		{"typed and saved", func() { e.Type(a, 0, 0, "0"); e.SaveFile(a) }, `a.txt="0one!\n" zé.txt="ä\n\x01😀"*`},
		{"undone", func() { e.Undo() }, `a.txt="one!\n"* zé.txt="ä\n\x01😀"*`},
		{"closed and opened between two looks", func() { e.Close(a); e.Open(a, "new\n") }, `a.txt="new\n" zé.txt="ä\n\x01😀"*`},
		{"what is no file stays out", func() { e.Open("untitled:1", "x") }, `a.txt="new\n" zé.txt="ä\n\x01😀"*`},
		{"nor what is outside", func() { e.Open(string(ide.FileURI(filepath.Join(w.state, "x"))), "x") }, `a.txt="new\n" zé.txt="ä\n\x01😀"*`},
		{"closed", func() { e.Close(a); e.Close(b) }, ""},
	} {
		step.do()
		m.Refresh(t.Context())
		if got := shown(ws); got != step.want {
			t.Errorf("%s: %s, want %s", step.name, got, step.want)
		}
		n := len(events)
		m.Refresh(t.Context())
		if len(events) != n {
			t.Errorf("%s: looking again makes events: %v", step.name, events[n:])
		}
	}
}

// TestEdits: an edit is made in the editor from the text that it was made from, or not
// at all.
func TestEdits(t *testing.T) {
	edit := func(d *ide.Document) ide.Edit {
		return ide.Edit{Label: "make it two", Files: []ide.FileEdit{{Document: d, Splices: []ide.Splice{{A: 4, B: 7, Text: "TWO"}}}}}
	}
	const text = "one\ntwo\nthree\nfour\nfive\n"
	for _, tt := range []struct {
		name    string
		before  func(e *idetest.Editor, uri string) // the edit, after it was made from the text
		answer  idetest.Answer
		want    error
		buffer  string
		unsaved bool
	}{
		{name: "made and saved", buffer: "one\nTWO\nthree\nfour\nfive\n"},
		{name: "typed elsewhere meanwhile", before: func(e *idetest.Editor, uri string) { e.Type(uri, 23, 23, "!") }, want: ide.ErrRefused, buffer: "one\ntwo\nthree\nfour\nfive!\n", unsaved: true},
		{name: "typed where it goes", before: func(e *idetest.Editor, uri string) { e.Type(uri, 4, 7, "2") }, want: ide.ErrUnseen, buffer: "one\n2\nthree\nfour\nfive\n", unsaved: true},
		{name: "closed meanwhile", before: func(e *idetest.Editor, uri string) { e.Close(uri) }, want: ide.ErrRefused},
		{name: "refused by the editor", answer: idetest.Answer{Refuse: ide.ErrRefused}, want: ide.ErrRefused, buffer: text},
		{name: "not made in spite of the answer", answer: idetest.Answer{Lie: true}, want: ide.ErrUnseen, buffer: text},
		{name: "shown after the answer", answer: idetest.Answer{Echo: 50 * time.Millisecond}, buffer: "one\nTWO\nthree\nfour\nfive\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.write("a.txt", text)
			uri := w.uri("a.txt")
			e, _ := w.editor(w.dir)
			e.OnEdit = func(int, ide.Edit) idetest.Answer { return tt.answer }
			e.Open(uri, text)
			ws, m, a := w.mirror(w.dir)
			d := ws.Snapshot().DocumentAt(w.path("a.txt"))
			if tt.before != nil {
				tt.before(e, uri)
			}
			if err := a.Apply(t.Context(), edit(d)); !errors.Is(err, tt.want) || (err == nil) != (tt.want == nil) {
				t.Errorf("the error is %v, want %v", err, tt.want)
			}
			if got := e.Text(uri); got != tt.buffer {
				t.Errorf("the buffer is %q", got)
			}
			m.Refresh(t.Context())
			if d := ws.Snapshot().DocumentAt(w.path("a.txt")); (d != nil) != e.IsOpen(uri) || d != nil && (d.Text.String() != tt.buffer || d.Unsaved != tt.unsaved) {
				t.Errorf("the document is %+v", d)
			}
		})
	}
}

// TestRenameAndDelete have the editor rename and delete what it has open.
func TestRenameAndDelete(t *testing.T) {
	w := newWorld(t)
	w.write("a.txt", "one\n")
	e, _ := w.editor(w.dir)
	e.Open(w.uri("a.txt"), "one\n")
	ws, m, a := w.mirror(w.dir)
	d := ws.Snapshot().DocumentAt(w.path("a.txt"))
	out := ide.Edit{Files: []ide.FileEdit{{Document: d, RenameTo: filepath.Join(w.state, "b.txt")}}}
	if err := a.Apply(t.Context(), out); !errors.Is(err, ide.ErrRefused) {
		t.Errorf("renamed out of the workspace: %v", err)
	}
	if err := a.Apply(t.Context(), ide.Edit{Files: []ide.FileEdit{{Document: d, RenameTo: w.path("b.txt")}}}); err != nil {
		t.Fatal(err)
	}
	if got := shown(ws); got != `b.txt="one\n"` {
		t.Errorf("after the renaming: %s", got)
	}
	if err := a.Apply(t.Context(), ide.Edit{Files: []ide.FileEdit{{Document: ws.Snapshot().DocumentAt(w.path("b.txt")), Delete: true}}}); err != nil {
		t.Fatal(err)
	}
	m.Refresh(t.Context())
	if l, _ := filepath.Glob(w.path("*")); len(l) != 0 || shown(ws) != "" {
		t.Errorf("left: %v, open: %s", l, shown(ws))
	}
}

// TestTwoEditors have the same file open.
func TestTwoEditors(t *testing.T) {
	w := newWorld(t)
	w.write("a.txt", "one\n")
	uri := w.uri("a.txt")
	first, _ := w.editor(w.dir)
	second, s := w.editor(w.dir)
	first.Open(uri, "one\n")
	second.Open(uri, "one\n")
	ws, m, a := w.mirror(w.dir)
	second.Type(uri, 0, 3, "two")
	m.Refresh(t.Context())
	if got := shown(ws); got != `a.txt="two\n"*` {
		t.Errorf("unsaved text does not count: %s", got)
	}
	apply := func() error {
		return a.Apply(t.Context(), ide.Edit{Files: []ide.FileEdit{{Document: ws.Snapshot().DocumentAt(w.path("a.txt")), Splices: []ide.Splice{{A: 0, B: 0, Text: "zero\n"}}}}})
	}
	if err := apply(); err != nil || second.Text(uri) != "zero\ntwo\n" || first.Text(uri) != "one\n" {
		t.Errorf("edited to %q and %q: %v", second.Text(uri), first.Text(uri), err)
	}
	first.Type(uri, 0, 3, "three")
	m.Refresh(t.Context())
	if err := apply(); !errors.Is(err, ide.ErrRefused) || !strings.Contains(err.Error(), "two editors") {
		t.Errorf("with unsaved text in both: %v", err)
	}
	s.Close()
	if m.Refresh(t.Context()); shown(ws) != `a.txt="three\n"*` {
		t.Errorf("after the end of one: %s", shown(ws))
	}
}

// TestOtherFoldersAreNotShown: a process sees what is in folders of both.
func TestOtherFoldersAreNotShown(t *testing.T) {
	w := newWorld(t)
	for _, name := range []string{"in", "in-side", "other"} {
		if err := os.Mkdir(w.path(name), 0o755); err != nil {
			t.Fatal(err)
		}
		w.write(name+"/a.txt", "")
	}
	in, whole := w.path("in"), w.dir
	ews := w.workspace(ide.UTF8, whole)
	e := idetest.New(ews)
	own := &roots{[]string{in}}
	s, err := buffers.Serve(t.Context(), buffers.ServerOptions{
		Folder: w.state, Workspace: ews, Folders: own, Applier: ide.NewApplier(ews, e), Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, name := range []string{"in", "in-side", "other"} {
		e.Open(w.uri(name+"/a.txt"), "open in "+name)
	}
	above, m, _ := w.mirror(whole)
	if got := shown(above); got != `a.txt="open in in"` {
		t.Errorf("the folder above sees %s", got)
	}
	other, mo, _ := w.mirror(w.path("other"))
	if got := shown(other); got != "" {
		t.Errorf("another folder sees %s", got)
	}
	own.folders = []string{in, w.path("other")}
	if err := s.FoldersChanged(); err != nil {
		t.Fatal(err)
	}
	m.Refresh(t.Context())
	mo.Refresh(t.Context())
	if got := shown(above); got != `a.txt="open in in" a.txt="open in other"` {
		t.Errorf("after a folder was added, the folder above sees %s", got)
	}
	if got := shown(other); got != `a.txt="open in other"` {
		t.Errorf("after a folder was added, it sees %s", got)
	}
}

// TestAHungProcessCostsOneWait: it costs one wait.
func TestAHungProcessCostsOneWait(t *testing.T) {
	w := newWorld(t)
	w.write("a.txt", "one\n")
	if err := os.Mkdir(w.state, 0o700); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", filepath.Join(w.state, "hung.sock"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close() // it accepts nothing
	w.announce("hung")
	e, _ := w.editor(w.dir)
	e.Open(w.uri("a.txt"), "two\n")
	begun := time.Now()
	ws, m, _ := w.mirror(w.dir)
	if first := time.Since(begun); first > 5*time.Second {
		t.Errorf("the first look took %v", first)
	}
	if got := shown(ws); got != `a.txt="two\n"` {
		t.Errorf("of the other editor it sees %s", got)
	}
	begun = time.Now()
	for range 100 {
		m.Refresh(t.Context())
	}
	if more := time.Since(begun); more > 5*time.Second {
		t.Errorf("a hundred more took %v", more)
	}
}

// TestLongPaths: the path of a socket may be longer than the system takes.
func TestLongPaths(t *testing.T) {
	w := newWorld(t)
	w.state = filepath.Join(w.state, strings.Repeat("long", 25))
	w.write("a.txt", "")
	e, _ := w.editor(w.dir)
	e.Open(w.uri("a.txt"), "open")
	if ws, _, _ := w.mirror(w.dir); shown(ws) != `a.txt="open"` {
		t.Errorf("it sees %s", shown(ws))
	}
}

// TestATwistedMirror: many look and edit while the user types, and what they see in the
// end is what the editor has.
func TestATwistedMirror(t *testing.T) {
	w := newWorld(t)
	w.write("a.txt", "")
	uri := w.uri("a.txt")
	e, _ := w.editor(w.dir)
	e.Open(uri, strings.Repeat("line\n", 200))
	var all sync.WaitGroup
	type view struct {
		ws *ide.Workspace
		m  *buffers.Mirror
	}
	var views []view
	outcomes := make(chan map[string]error, 3)
	for i := range 3 {
		ws, m, a := w.mirror(w.dir)
		views = append(views, view{ws, m})
		all.Go(func() {
			mine := map[string]error{}
			for n := range 30 {
				d := ws.Snapshot().DocumentAt(w.path("a.txt"))
				at := d.Text.LineStart(150 + 15*i)
				line := fmt.Sprintf("agent %d, edit %d\n", i, n)
				mine[line] = a.Apply(t.Context(), ide.Edit{Files: []ide.FileEdit{{Document: d, Splices: []ide.Splice{{A: at, B: at, Text: line}}}}})
				m.Refresh(t.Context())
			}
			outcomes <- mine
		})
	}
	all.Go(func() {
		for range 200 {
			e.Type(uri, 0, 0, "typed\n")
		}
	})
	all.Wait()
	close(outcomes)
	text, made := e.Text(uri), 0
	for mine := range outcomes {
		for line, err := range mine {
			n := strings.Count(text, line)
			switch {
			case err == nil && n == 1:
				made++
			case err == nil, errors.Is(err, ide.ErrRefused) && n != 0, n > 1:
				t.Errorf("%d times in the text: %s, of which was reported: %v", n, line, err)
			}
		}
	}
	if made == 0 {
		t.Error("no edit was made")
	}
	if got := strings.Count(text, "typed\n"); got != 200 {
		t.Errorf("%d of 200 typed lines are left", got)
	}
	for _, v := range views {
		v.m.Refresh(t.Context())
		if got := v.ws.Snapshot().DocumentAt(w.path("a.txt")).Text.String(); got != text {
			t.Error("a mirror has another text than the editor")
		}
	}
}
