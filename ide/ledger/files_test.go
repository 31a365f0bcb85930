package ledger_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/ide/ledger"
)

// whole proposes an operation on a whole file.
func (w *world) whole(name string, op ledger.Op, text, newName string) ledger.ChangeSet {
	w.t.Helper()
	p := ledger.Proposed{Path: w.path(name), Op: op, New: text}
	if op != ledger.Create {
		p.Base = w.view(name)
		if op == ledger.Rename {
			p.New, p.NewPath = p.Base.Text.String(), w.path(newName)
		}
	}
	return w.proposeFile(p)
}

func TestWholeFiles(t *testing.T) {
	const text = "package a\n"
	for _, c := range []struct {
		name  string
		do    func(w *world)
		want  string // the states
		disk  map[string]string
		edits int
	}{
		{
			name: "a new file is not there before it is accepted", do: func(w *world) { w.whole("n.go", ledger.Create, text, "") },
			want: "pending: pending", disk: map[string]string{"n.go": "missing"},
		},
		{
			name: "and there after", do: func(w *world) {
				w.whole("n.go", ledger.Create, text, "")
				w.decide("set1", 0, ledger.Accept)
			}, want: "accepted: accepted", disk: map[string]string{"n.go": text},
		},
		{
			name: "in folders that are not there yet", do: func(w *world) {
				w.whole("x/y/n.go", ledger.Create, text, "")
				w.decide("set1", 0, ledger.Accept)
			}, want: "accepted: accepted", disk: map[string]string{"x/y/n.go": text},
		},
		{
			name: "an empty new file is made", do: func(w *world) {
				w.whole("n.go", ledger.Create, "", "")
				w.decide("set1", 0, ledger.Accept)
			}, want: "accepted: accepted", disk: map[string]string{"n.go": ""},
		},
		{
			name: "rejecting an accepted new file takes it away", do: func(w *world) {
				w.whole("n.go", ledger.Create, text, "")
				w.decide("set1", 0, ledger.Accept)
				w.decide("set1", 0, ledger.Reject)
			}, want: "rejected: rejected", disk: map[string]string{"n.go": "missing"},
		},
		{
			name: "made by someone else meanwhile", do: func(w *world) {
				w.whole("n.go", ledger.Create, text, "")
				w.write("n.go", "theirs\n")
				w.decide("set1", 0, ledger.Accept)
			}, want: "conflicted: conflicted", disk: map[string]string{"n.go": "theirs\n"},
		},
		{
			name: "made by someone else and empty", do: func(w *world) {
				w.whole("n.go", ledger.Create, text, "")
				w.write("n.go", "")
				w.decide("set1", 0, ledger.Accept)
			}, want: "conflicted: conflicted", disk: map[string]string{"n.go": ""},
		},
		{
			name: "open in the editor as an unsaved buffer: the buffer gets the text", do: func(w *world) {
				w.e.Open(w.uri("n.go"), "")
				w.whole("n.go", ledger.Create, text, "")
				w.decide("set1", 0, ledger.Accept)
				w.want("the buffer", w.text("n.go"), text)
			}, want: "accepted: accepted", disk: map[string]string{"n.go": "missing"}, edits: 1,
		},
		{
			name: "a later change of a new file that is pending brings it along", do: func(w *world) {
				w.whole("n.go", ledger.Create, text, "")
				w.propose("n.go", text+"var x int\n")
				w.decide("set2", 0, ledger.Accept)
				w.want("the later one", w.states("set2"), "accepted: accepted")
			}, want: "accepted: accepted", disk: map[string]string{"n.go": text + "var x int\n"},
		},
		{
			name: "and is rejected with it", do: func(w *world) {
				w.whole("n.go", ledger.Create, text, "")
				w.propose("n.go", text+"var x int\n")
				w.decide("set1", 0, ledger.Reject)
				w.want("the later one", w.states("set2"), "rejected: rejected")
			}, want: "rejected: rejected", disk: map[string]string{"n.go": "missing"},
		},
		{
			name: "a removed file goes when it is accepted", do: func(w *world) {
				w.whole("a.go", ledger.Delete, "", "")
				w.want("before", w.disk("a.go"), "a\n")
				w.decide("set1", 0, ledger.Accept)
			}, want: "accepted: accepted", disk: map[string]string{"a.go": "missing"},
		},
		{
			name: "and comes back when that is rejected", do: func(w *world) {
				w.whole("a.go", ledger.Delete, "", "")
				w.decide("set1", 0, ledger.Accept)
				w.decide("set1", 0, ledger.Reject)
			}, want: "rejected: rejected", disk: map[string]string{"a.go": "a\n"},
		},
		{
			name: "a file to be removed that has changed stays", do: func(w *world) {
				w.whole("a.go", ledger.Delete, "", "")
				w.write("a.go", "changed\n")
				w.decide("set1", 0, ledger.Accept)
			}, want: "conflicted: conflicted", disk: map[string]string{"a.go": "changed\n"},
		},
		{
			name: "an open file is removed by the editor", do: func(w *world) {
				w.e.Open(w.uri("a.go"), "a\n")
				w.whole("a.go", ledger.Delete, "", "")
				w.decide("set1", 0, ledger.Accept)
				if w.e.IsOpen(w.uri("a.go")) {
					w.t.Error("the file is still open")
				}
			}, want: "accepted: accepted", disk: map[string]string{"a.go": "missing"}, edits: 1,
		},
		{
			name: "typing in an open file that would be removed is a conflict", do: func(w *world) {
				w.e.Open(w.uri("a.go"), "a\n")
				w.whole("a.go", ledger.Delete, "", "")
				w.typed("a.go", "a", "b")
				w.decide("set1", 0, ledger.Accept)
			}, want: "conflicted: conflicted", disk: map[string]string{"a.go": "a\n"},
		},
		{
			name: "a closed file is renamed on disk", do: func(w *world) {
				w.whole("a.go", ledger.Rename, "", "b.go")
				w.decide("set1", 0, ledger.Accept)
			}, want: "accepted: accepted", disk: map[string]string{"a.go": "missing", "b.go": "a\n"},
		},
		{
			name: "and back", do: func(w *world) {
				w.whole("a.go", ledger.Rename, "", "b.go")
				w.decide("set1", 0, ledger.Accept)
				w.decide("set1", 0, ledger.Reject)
			}, want: "rejected: rejected", disk: map[string]string{"a.go": "a\n", "b.go": "missing"},
		},
		{
			name: "an open file is renamed by the editor", do: func(w *world) {
				w.e.Open(w.uri("a.go"), "a\n")
				w.whole("a.go", ledger.Rename, "", "b.go")
				w.decide("set1", 0, ledger.Accept)
			}, want: "accepted: accepted", disk: map[string]string{"a.go": "missing", "b.go": "a\n"}, edits: 1,
		},
		{
			name: "and back", do: func(w *world) {
				w.e.Open(w.uri("a.go"), "a\n")
				w.whole("a.go", ledger.Rename, "", "b.go")
				w.decide("set1", 0, ledger.Accept)
				w.decide("set1", 0, ledger.Reject)
				if !w.e.IsOpen(w.uri("a.go")) || w.e.IsOpen(w.uri("b.go")) {
					w.t.Error("the editor has not switched to the new path")
				}
			}, want: "rejected: rejected", disk: map[string]string{"a.go": "a\n", "b.go": "missing"}, edits: 2,
		},
		{
			name: "a rename never covers a file", do: func(w *world) {
				w.write("b.go", "b\n")
				w.whole("a.go", ledger.Rename, "", "b.go")
				if r := w.decide("set1", 0, ledger.Accept); len(r.Conflicts) != 1 || !strings.Contains(r.Conflicts[0].Reason, "b.go") {
					w.t.Errorf("got %+v", r)
				}
			}, want: "conflicted: conflicted", disk: map[string]string{"a.go": "a\n", "b.go": "b\n"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				w.write("a.go", "a\n")
				c.do(w)
				w.want("the states", w.states("set1"), c.want)
				for name, want := range c.disk {
					w.want(name, w.disk(name), want)
				}
				if n := len(w.e.Edits()); n != c.edits {
					t.Errorf("%d edits, want %d", n, c.edits)
				}
			})
		})
	}
}

func TestClosedFiles(t *testing.T) {
	base := numbered(25)
	for _, c := range []struct {
		name string
		do   func(w *world)
		want string
		disk string
	}{
		{name: "accepted hunks are written", do: func(w *world) { w.decide("set1", 1, ledger.Accept) }, want: "pending: accepted pending", disk: capitals(base, 3)},
		{
			name: "rejecting an accepted one takes exactly that back", do: func(w *world) {
				w.decide("set1", 0, ledger.Accept)
				w.decide("set1", 1, ledger.Reject)
			}, want: "partial: rejected accepted", disk: capitals(base, 20),
		},
		{
			name: "text that was added elsewhere on disk moves hunks", do: func(w *world) {
				w.write("a.go", "added\n"+base)
				w.decide("set1", 0, ledger.Accept)
			}, want: "accepted: accepted accepted", disk: "added\n" + capitals(base, 3, 20),
		},
		{
			name: "text that was changed on disk is a conflict", do: func(w *world) {
				w.write("a.go", replaceOnce(base, "line 3\n", "line three\n"))
				w.decide("set1", 0, ledger.Accept)
			}, want: "partial: conflicted accepted", disk: replaceOnce(capitals(base, 20), "line 3\n", "line three\n"),
		},
		{
			name: "a file that is gone is a conflict", do: func(w *world) {
				_ = os.Remove(w.path("a.go"))
				w.decide("set1", 0, ledger.Accept)
			}, want: "conflicted: conflicted conflicted", disk: "missing",
		},
		{
			name: "opened with other text: what stands is pending", do: func(w *world) {
				w.e.Open(w.uri("a.go"), "unsaved\n"+replaceOnce(base, "line 20\n", "line twenty\n"))
				w.want("open", w.states("set1"), "pending: pending conflicted")
				w.e.Close(w.uri("a.go"))
			}, want: "pending: pending conflicted", disk: base,
		},
		{
			name: "closed unsaved: pending hunks are where the disk has them", do: func(w *world) {
				w.e.Open(w.uri("a.go"), base)
				w.e.Type(w.uri("a.go"), 0, 0, "unsaved\n")
				w.e.Close(w.uri("a.go"))
				w.decide("set1", 0, ledger.Accept)
			}, want: "accepted: accepted accepted", disk: capitals(base, 3, 20),
		},
		{
			name: "decided hunks are not followed past the closing of their document", do: func(w *world) {
				w.e.Open(w.uri("a.go"), base)
				w.decide("set1", 0, ledger.Accept)
				w.e.Close(w.uri("a.go")) // unsaved
			}, want: "accepted: accepted accepted", disk: base,
		},
		{
			name: "an accepted one that was saved and closed can be undone", do: func(w *world) {
				w.e.Open(w.uri("a.go"), base)
				w.decide("set1", 0, ledger.Accept)
				w.e.SaveFile(w.uri("a.go"))
				w.e.Close(w.uri("a.go"))
				w.decide("set1", 2, ledger.Reject)
			}, want: "partial: accepted rejected", disk: capitals(base, 3),
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				w.write("a.go", base)
				w.propose("a.go", capitals(base, 3, 20))
				c.do(w)
				w.want("the states", w.states("set1"), c.want)
				w.want("the disk", w.disk("a.go"), c.disk)
			})
		})
	}
}

// A hunk whose text is at its span is accepted, wherever a diff of the two texts would
// place the change.
func TestHunkInAClosedFileIsAcceptedAtItsPlace(t *testing.T) {
	for _, c := range []struct{ name, base, text string }{
		{name: "a line is changed and one added behind it", base: "a\n\n", text: "b\n\nc\n"},
		{name: "one is added before it", base: "\na\nrest\n", text: "c\n\nb\nrest\n"},
		{name: "lines that stand around it are put in", base: "}\n\n}\n", text: "}\n\nx\n}\n\n}\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.write("a", c.base)
			cs := w.propose("a", c.text)
			if r := w.decide(cs.ID, 0, ledger.Accept); len(r.Conflicts) > 0 || len(r.Applied) != 1 {
				t.Errorf("got %+v", r)
			}
			w.want("the states", w.states(cs.ID), "accepted: accepted")
			w.want("the disk", w.disk("a"), c.text)
			w.decide(cs.ID, 0, ledger.Reject)
			w.want("the disk afterwards", w.disk("a"), c.base)
		})
	}
}

// Each contains the hunks that it is based on, and releases them when it is undone.
func TestStackedHunksAreAcceptedTogether(t *testing.T) {
	for _, open := range []bool{false, true} {
		t.Run(fmt.Sprintf("open: %v", open), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				w.write("a", "one\nrest\n")
				if open {
					w.e.Open(w.uri("a"), "one\nrest\n")
				}
				texts := []string{"two\nrest\n", "three\nrest\n", "four\nrest\n"}
				for _, text := range texts {
					w.propose("a", text)
				}
				w.decide("set3", 0, ledger.Accept)
				for i := range texts {
					w.want("the states", w.states(fmt.Sprint("set", i+1)), "accepted: accepted")
				}
				for i, want := range []string{"three\nrest\n", "two\nrest\n", "one\nrest\n"} {
					w.decide(fmt.Sprint("set", 3-i), 0, ledger.Reject)
					w.want("the view", w.view("a").Text.String(), want)
				}
			})
		})
	}
}

func TestEncodingAndLineEndsAreKept(t *testing.T) {
	w := newWorld(t)
	w.write("latin.txt", "caf\xe9\r\nth\xe9\r\n")
	f := w.view("latin.txt")
	w.propose("latin.txt", "café\r\ntée\r\n")
	w.decide("set1", 0, ledger.Accept)
	w.want("Latin-1 with CRLF", w.disk("latin.txt"), "caf\xe9\r\nt\xe9e\r\n")
	w.write("bom.txt", "\xef\xbb\xbfone\n")
	w.propose("bom.txt", "two\n")
	w.decide("set2", 0, ledger.Accept)
	w.want("a byte order mark", w.disk("bom.txt"), "\xef\xbb\xbftwo\n")
	for _, text := range []string{"caf\xe9\n", "\xef\xbb\xbfone\n", "\xff\xfea\x00\n\x00"} {
		w.write("gone.txt", text)
		f := w.view("gone.txt")
		cs := w.proposeFile(ledger.Proposed{Path: f.Path, Op: ledger.Delete, Base: f})
		w.decide(cs.ID, 0, ledger.Accept)
		w.decide(cs.ID, 0, ledger.Reject)
		w.want("a removal that is undone", w.disk("gone.txt"), text)
		cs = w.propose("gone.txt", "plain\n")
		w.decide(cs.ID, 0, ledger.Accept)
		r := w.decide(cs.ID, 0, ledger.Reject)
		w.want("a text in ASCII that is undone", w.disk("gone.txt"), text)
		if len(r.Conflicts) > 0 {
			t.Errorf("got %+v", r)
		}
	}
	w.write("free.txt", "caf\xe9\n")
	w.decide(w.propose("free.txt", "plain\n").ID, 0, ledger.Accept)
	w.decide(w.propose("free.txt", "日本\n").ID, 0, ledger.Accept)
	w.want("what is ASCII alone may become anything", w.disk("free.txt"), "日本\n")
	_, err := w.l.Propose(context.Background(), ledger.Proposal{SessionID: "s", Files: []ledger.Proposed{
		{Path: f.Path, Op: ledger.Modify, Base: f, New: "日本\r\n"},
	}})
	if !errors.Is(err, disk.ErrEncoding) {
		t.Errorf("a text that the encoding cannot represent: got %v", err)
	}
}

func TestUntitledDocuments(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.e.Open("untitled:Untitled-1", "a\n")
		w.propose("untitled:Untitled-1", "b\n")
		w.decide("set1", 0, ledger.Accept)
		w.want("the text", w.text("untitled:Untitled-1"), "b\n")
		cs, _ := w.l.Get("set1")
		if f := cs.Files[0]; f.Path != "" || f.URI != "untitled:Untitled-1" || !f.Open {
			t.Errorf("got %+v", f)
		}
	})
}

func TestViewOfAFileWithPendingRemoval(t *testing.T) {
	w := newWorld(t)
	w.write("a.go", "a\n")
	w.whole("a.go", ledger.Delete, "", "")
	if _, err := w.l.View(context.Background(), "s", "a.go"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	if f, err := w.l.View(context.Background(), "other", "a.go"); err != nil || f.Text.String() != "a\n" {
		t.Errorf("another session sees %v, %v", f, err)
	}
}

func TestADeletedFileComesBackWithItsPermissions(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // it has no such permissions
	}
	for _, open := range []bool{false, true} {
		t.Run(fmt.Sprintf("open %v", open), func(t *testing.T) {
			w := newWorld(t)
			w.write("run.sh", "echo\n")
			if err := os.Chmod(w.path("run.sh"), 0o775); err != nil {
				t.Fatal(err)
			}
			if open {
				w.open("run.sh", "echo\n")
			}
			w.whole("run.sh", ledger.Delete, "", "")
			w.decide("set1", 0, ledger.Accept)
			if _, err := os.Stat(w.path("run.sh")); !errors.Is(err, fs.ErrNotExist) {
				t.Fatalf("it is still there: %v", err)
			}
			w.decide("set1", 0, ledger.Reject)
			if fi, err := os.Stat(w.path("run.sh")); err != nil || fi.Mode() != 0o775 {
				t.Errorf("it came back with %v, %v", fi, err)
			}
		})
	}
}
