package tools

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
)

// editing prepares calls whose text is the snapshot's: nothing is pending.
func (w *world) editing() {
	w.View = func(ctx context.Context, name string) (ide.File, error) {
		s := w.w.Snapshot()
		if d := s.Document(ide.ParseURI(name)); d != nil {
			return ide.File{Path: d.Path, Document: d, Text: d.Text}, nil
		}
		return s.Read(ctx, name)
	}
}

// becomes is the bytes that a call would have a.txt hold, or the error that
// the model reads.
func (w *world) becomes(tool Tool, args string) string {
	w.t.Helper()
	a, err := w.prepare(tool, args)
	var e *Error
	switch {
	case errors.As(err, &e):
		return w.said(Result{Err: e})
	case err != nil:
		w.t.Fatal(err)
	}
	edits := a.Effect.(Edits)
	if len(edits.Files) != 1 || a.Run != nil || a.Title == "" {
		w.t.Fatalf("action %+v", a)
	}
	f := edits.Files[0]
	if f.Base.Document != nil {
		return f.New
	}
	data, err := disk.Encode(f.New, f.Base.Format)
	if err != nil {
		w.t.Fatal(err)
	}
	return string(data)
}

// matches compares exactly, or, when want ends in "...", up to there.
func matches(got, want string) bool {
	if head, ok := strings.CutSuffix(want, "..."); ok {
		return strings.HasPrefix(got, head)
	}
	return got == want
}

func TestEditsOfHiddenFilesQuoteNothing(t *testing.T) {
	w := newWorld(t, map[string]string{".env": "KEY=hunter2\n", ".gitignore": "secret.txt\n", ".git/": "", "secret.txt": "KEY=hunter2\n"})
	w.editing()
	for _, name := range []string{".env", "secret.txt"} {
		got := w.becomes(NewReplace(), `{"file_path":"`+name+`","instruction":"i","old_string":"KEY=x","new_string":"y"}`)
		if strings.Contains(got, "hunter") || !strings.HasPrefix(got, "edit_no_occurrence_found: ") {
			t.Errorf("%s: %s", name, got)
		}
		if got := w.becomes(NewReplace(), `{"file_path":"`+name+`","instruction":"i","old_string":"KEY=hunter2","new_string":"y"}`); got != "y\n" {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestAnEditSaysWhatItIsAboutAndHowItWasUnderstood(t *testing.T) {
	w := newWorld(t, map[string]string{"d/a.go": "package a\n\nvar x = 1\n"})
	w.editing()
	a, err := w.prepare(NewReplace(), `{"file_path":"d/a.go","instruction":"i","old_string":"  var x = 1","new_string":"  var x = 2"}`)
	if err != nil {
		t.Fatal(err)
	}
	if a.Title != "Edit d/a.go" || len(a.Locations) != 1 || a.Locations[0] != (Location{w.path("d/a.go"), 3}) {
		t.Errorf("title %q, locations %v", a.Title, a.Locations)
	}
	e := a.Effect.(Edits)
	if f := e.Files[0]; f.Path != w.path("d/a.go") || f.URI != ide.FileURI(f.Path) || f.Op != "modify" || f.New != "package a\n\nvar x = 2\n" || f.Base.Hash == (disk.Hash{}) {
		t.Errorf("proposed %+v", f)
	}
	if !strings.Contains(e.Note, "white space") {
		t.Errorf("note %q", e.Note)
	}
	a, err = w.prepare(NewWriteFile(), `{"file_path":"new/b.go","content":"x"}`)
	if err != nil {
		t.Fatal(err)
	}
	if f := a.Effect.(Edits).Files[0]; a.Title != "Create new/b.go" || f.Op != "create" || f.Path != w.path("new/b.go") || f.New != "x" {
		t.Errorf("title %q, proposed %+v", a.Title, f)
	}
}
