package idetest_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/idetest"
)

const uri = "untitled:a"

func TestWorkspaceMirrorsTheEditor(t *testing.T) {
	for _, c := range []struct {
		name          string
		whole, merged bool
	}{{name: "each change reported"}, {name: "whole texts reported", whole: true}, {name: "changes reported as one", merged: true}} {
		t.Run(c.name, func(t *testing.T) {
			w := ide.NewWorkspace(nil, ide.UTF16)
			e := idetest.New(w)
			e.Whole, e.Merged = c.whole, c.merged
			check := func(want string) {
				t.Helper()
				if got := w.Snapshot().Document(uri).Text.String(); got != want || e.Text(uri) != want {
					t.Errorf("the workspace holds %q, the editor %q, want %q", got, e.Text(uri), want)
				}
			}
			e.Open(uri, "é𝄞\r\nb\r\nc\r\n")
			e.Type(uri, 2, 6, "x")
			check("éx\r\nb\r\nc\r\n")
			d := w.Snapshot().Document(uri)
			edit := ide.Edit{Label: "two", Files: []ide.FileEdit{{Document: d, Splices: []ide.Splice{{A: 0, B: 3, Text: "a"}, {A: 8, B: 9, Text: "C"}}}}}
			if err := e.ApplyEdit(t.Context(), edit); err != nil {
				t.Fatal(err)
			}
			check("a\r\nb\r\nC\r\n")
			if err := e.ApplyEdit(t.Context(), edit); !errors.Is(err, ide.ErrRefused) {
				t.Errorf("an edit from an older version: got %v", err)
			}
			if label := e.Undo(); label != "two" {
				t.Errorf("undid %q", label)
			}
			check("éx\r\nb\r\nc\r\n")
			e.Undo()
			check("é𝄞\r\nb\r\nc\r\n")
			e.Redo()
			e.Redo()
			check("a\r\nb\r\nC\r\n")
			if e.Redo() != "" {
				t.Error("it redid what was not there")
			}
		})
	}
}

func TestLateUpdatesKeepTheirOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := ide.NewWorkspace(nil, ide.UTF16)
		e := idetest.New(w)
		e.OnEdit = func(int, ide.Edit) idetest.Answer { return idetest.Answer{Echo: time.Second} }
		e.Open(uri, "a\n")
		d := w.Snapshot().Document(uri)
		if err := e.ApplyEdit(t.Context(), ide.Edit{Files: []ide.FileEdit{{Document: d, Splices: []ide.Splice{{A: 0, B: 1, Text: "b"}}}}}); err != nil {
			t.Fatal(err)
		}
		e.Type(uri, 0, 0, "x")
		if got := w.Snapshot().Document(uri).Text.String(); got != "a\n" {
			t.Errorf("reported too early: %q", got)
		}
		e.Wait()
		if got := w.Snapshot().Document(uri).Text.String(); got != "xb\n" {
			t.Errorf("got %q", got)
		}
	})
}
