package tools

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/ide/ledger"
)

// change returns what a call proposes for one file, or the error that the model
// reads.
func (w *world) change(tool Tool, args string) (ledger.Proposed, Edits, string) {
	w.t.Helper()
	a, err := w.prepare(tool, args)
	var e *Error
	switch {
	case errors.As(err, &e):
		return ledger.Proposed{}, Edits{}, w.text(Result{Err: e})
	case err != nil:
		w.t.Fatal(err)
	}
	edits := a.Effect.(Edits)
	if len(edits.Files) != 1 || a.Run != nil {
		w.t.Fatalf("action %+v", a)
	}
	return edits.Files[0], edits, strings.ReplaceAll(a.Title, w.dir, "DIR")
}

// fileWorld has every kind of file that can be moved or deleted, and some that
// cannot.
func fileWorld(t *testing.T) *world {
	w := newWorld(t, map[string]string{
		"a.txt": "old\n", "b.txt": "", "sub/c.txt": "c\n", "image.bin": "\x00\x01", ".env": "KEY=hunter2\n",
		".emendoignore": "private/\n", "private/p.txt": "p\n",
	})
	w.editing()
	w.link("link.txt", "a.txt")
	w.link("folder", "sub")
	w.open("a.txt", "unsaved\n")
	w.w.Open("untitled:Untitled-1", "", 1, "text")
	return w
}

func TestMoveFile(t *testing.T) {
	cases := []struct {
		name, from, to string
		want           string // the title, or the error
	}{
		{name: "a file with unsaved text", from: "a.txt", to: "sub/d.txt", want: "Move a.txt to sub/d.txt"},
		{name: "to folders that are not there yet", from: "b.txt", to: "x/y/b.txt", want: "Move b.txt to x/y/b.txt"},
		{name: "absolute paths", from: "DIR/b.txt", to: "DIR/x.txt", want: "Move b.txt to x.txt"},
		{name: "through a linked folder", from: "folder/c.txt", to: "c.txt", want: "Move sub/c.txt to c.txt"},
		{name: "only the case of the name", from: "b.txt", to: "B.txt", want: "Move b.txt to B.txt"},
		{name: "a missing file", from: "no.txt", to: "x.txt", want: "file_not_found: cannot move no.txt: ..."},
		{name: "a folder", from: "sub", to: "x", want: "target_is_directory: cannot move sub: it is a folder; use run_shell_command"},
		{name: "a binary file", from: "image.bin", to: "x.bin", want: "read_content_failure: cannot move image.bin: it is a binary file, which cannot be reviewed; use run_shell_command"},
		{name: "a link", from: "link.txt", to: "x.txt", want: "invalid_tool_params: cannot move link.txt: it is a symbolic link to a.txt; use run_shell_command, or name the file itself"},
		{name: "a document that is not a file", from: "untitled:Untitled-1", to: "x.txt", want: "invalid_tool_params: cannot move untitled:Untitled-1: it is not a file on disk but a document of the editor"},
		{name: "onto a file", from: "b.txt", to: "sub/c.txt", want: "attempt_to_create_existing_file: cannot move b.txt to sub/c.txt: that file exists already; delete it first if it is to be replaced"},
		{name: "onto itself", from: "b.txt", to: "sub/../b.txt", want: "edit_no_change: b.txt is already there; nothing was changed"},
		{name: "into a folder", from: "b.txt", to: "sub", want: "invalid_tool_params: cannot move b.txt to sub: that names a folder; pass the new path with the file's name"},
		{name: "into a folder that is not there yet", from: "b.txt", to: "new/", want: "invalid_tool_params: cannot move b.txt to new/: that names a folder; ..."},
		{name: "out of the workspace", from: "b.txt", to: "/x.txt", want: "path_not_in_workspace: /x.txt is outside the workspace ..."},
		{name: "an excluded file", from: "private/p.txt", to: "p.txt", want: "permission_denied: cannot change private/p.txt: ..."},
		{name: "to where a file would be excluded", from: "b.txt", to: "private/b.txt", want: "permission_denied: cannot change private/b.txt: ..."},
		{name: "nothing", from: "", to: "x.txt", want: "invalid_tool_params: invalid params: source_path is empty"},
		{name: "to nothing", from: "b.txt", to: " ", want: "invalid_tool_params: invalid params: destination_path is empty"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			w := fileWorld(t)
			args, err := json.Marshal(map[string]string{"source_path": c.from, "destination_path": c.to})
			if err != nil {
				t.Fatal(err)
			}
			if _, _, got := w.change(MoveFile, string(args)); !matches(got, c.want) {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

func TestAMoveProposesARename(t *testing.T) {
	w := fileWorld(t)
	f, e, _ := w.change(MoveFile, `{"source_path":"a.txt","destination_path":"folder/d.txt"}`)
	if f.Op != ledger.Rename || f.Path != w.path("a.txt") || f.NewPath != w.path("sub/d.txt") || f.New != "unsaved\n" || f.Base.Text.String() != f.New {
		t.Errorf("proposed %+v", f)
	}
	if diff := cmp.Diff([]string{w.path("a.txt"), w.path("folder/d.txt")}, e.Given); diff != "" {
		t.Errorf("given (-want +got):\n%s", diff)
	}
}
