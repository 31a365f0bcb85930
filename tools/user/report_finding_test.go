package user_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/tools"
	"github.com/emendo-dev/emendo/tools/user"
)

// What is reported is at lines that the file has, and everything else is refused with what to
// write instead. Lines end as the file's do.
func TestReportFinding(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"a.go": "one\ntwo\nthree\n", "crlf.txt": "ä\r\nzwei 😀\r\ndrei", "cr.txt": "a\rb\rc", "empty.txt": ""} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tree, err := disk.NewTree([]string{dir})
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	w := ide.NewWorkspace(tree, ide.UTF16)
	w.Open(string(ide.FileURI(filepath.Join(dir, "open.go"))), "go", 1, "unsaved\n") // not on disk
	for _, tt := range []struct {
		name, args string
		want       string // the lines, or the error
	}{
		{"a line", `"file_path":"a.go","line":2`, "1 two\n"},
		{"lines", `"file_path":"a.go","line":2,"end_line":3`, "1 two\nthree\n"},
		{"by an absolute path", `"file_path":"` + filepath.ToSlash(dir) + `/a.go","line":1`, "0 one\n"},
		{"of unsaved text", `"file_path":"open.go","line":1`, "0 unsaved\n"},
		{"with CRLF", `"file_path":"crlf.txt","line":1,"end_line":2`, "0 ä\r\nzwei 😀\r\n"},
		{"with CR", `"file_path":"cr.txt","line":2`, "1 b\r"},
		{"the last line without an end", `"file_path":"crlf.txt","line":3`, "2 drei"},
		{"an empty file has one", `"file_path":"empty.txt","line":1`, "0 "},
		{"before the first", `"file_path":"a.go","line":0`, "invalid_tool_params: invalid params: line: a.go has lines 1 to 3, got 0 to 0"},
		{"behind the last", `"file_path":"a.go","line":4`, "invalid_tool_params: invalid params: line: a.go has lines 1 to 3, got 4 to 4"},
		{"that end behind the last", `"file_path":"a.go","line":3,"end_line":4`, "invalid_tool_params: invalid params: line: a.go has lines 1 to 3, got 3 to 4"},
		{"that end before they begin", `"file_path":"a.go","line":3,"end_line":2`, "invalid_tool_params: invalid params: end_line: expected 3 to 202, got 2"},
		{"too many", `"file_path":"a.go","line":1,"end_line":201`, "invalid_tool_params: invalid params: end_line: expected 1 to 200, got 201"},
		{"no file", `"file_path":"b.go","line":1`, "file_not_found: b.go does not exist: report the problem at a line of a file that does"},
		{"a folder", `"file_path":".","line":1`, "target_is_directory: "},
		{"outside", `"file_path":"../a.go","line":1`, "path_not_in_workspace: ../a.go is outside the workspace"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := prepared(t, w, dir, `{`+tt.args+`,"severity":"warning","title":"T","message":"M"}`)
			if got != tt.want && !(strings.Contains(tt.want, ": ") && strings.HasPrefix(got, tt.want)) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	for args, want := range map[string]string{
		`"severity":"fatal","title":"T","message":""`:                                     "severity",
		`"severity":"error","title":" ","message":""`:                                     "title: expected 1 to 300 bytes",
		`"severity":"error","title":"` + strings.Repeat("x", 301) + `","message":""`:      "title: expected 1 to 300 bytes",
		`"severity":"error","title":"T","message":"` + strings.Repeat("x", 4<<10+1) + `"`: "message: expected at most 4096 bytes",
		`"severity":"error","message":""`:                                                 "title is required",
	} {
		if got := prepared(t, w, dir, `{"file_path":"a.go","line":1,`+args+`}`); !strings.Contains(got, want) {
			t.Errorf("%s: got %q, want %q", args, got, want)
		}
	}
}

// prepared returns the lines that a call reports, or its error.
func prepared(t *testing.T, w *ide.Workspace, dir, args string) string {
	t.Helper()
	a, err := user.ReportFinding.Prepare(t.Context(), tools.Env{Snapshot: w.Snapshot(), Dir: dir}, json.RawMessage(args))
	var e *tools.Error
	if errors.As(err, &e) {
		return string(e.Type) + ": " + e.Message
	}
	if err != nil {
		t.Fatal(err)
	}
	f, ok := a.Effect.(tools.Finds)
	if !ok || f.Title != "T" || f.Message != "M" || f.Severity != tools.SeverityWarning {
		t.Errorf("the call is %+v", a)
	}
	return string(rune('0'+f.Lines.First)) + " " + f.Lines.Text
}
