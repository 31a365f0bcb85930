package code

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/internal/langserver/langservertest"
	"github.com/emendo-dev/emendo/tools"
)

var files = map[string]string{
	"a.words": "def one\nuse one bad\n",
	"b.words": "one two.one\n",
	".env":    "KEY=one",
}

func TestTools(t *testing.T) {
	for _, tt := range []struct{ name, tool, args, want string }{
		{"references in unsaved text too", "find_references", `{"file_path": "a.words", "line": 1, "symbol": "one"}`, "File: a.words\nL1: def one\nL2: use one bad\nFile: c.words\nL1: new one"},
		{"the last name of a symbol", "hover", `{"file_path": "a.words", "line": 1, "symbol": "def one"}`, "the word **one**"},
		{"a definition", "go_to_definition", `{"file_path": "c.words", "line": 1, "symbol": "one"}`, "File: a.words\nL1: def one"},
		{"problems", "get_diagnostics", `{"file_path": "a.words"}`, "File: a.words\nL2: error: the word bad (words)"},
		{"no problems", "get_diagnostics", `{"file_path": "c.words"}`, "No errors or warnings."},
		{"an outline", "document_symbols", `{"file_path": "a.words"}`, "File: a.words\nL1: function one"},
		{"symbols by name", "workspace_symbols", `{"query": "on"}`, "File: a.words\nL1: function one"},
		{"a rename", "rename_symbol", `{"file_path": "a.words", "line": 1, "symbol": "one", "new_name": "first"}`, "Rename one to first\na.words: def first\nuse first bad\n\nb.words: empty now\nc.words: new first"},
		{"a symbol on another line", "hover", `{"file_path": "a.words", "line": 1, "symbol": "use"}`, `edit_no_occurrence_found: line 1 of a.words does not contain "use"; lines with it: 2`},
		{"a line that does not exist", "hover", `{"file_path": "a.words", "line": 9, "symbol": "use"}`, "invalid_tool_params: a.words has 3 lines, and no line 9"},
		{"a file outside", "hover", `{"file_path": "/etc/passwd", "line": 1, "symbol": "root"}`, "path_not_in_workspace: /etc/passwd is outside the workspace (DIR)"},
		{"a secret", "document_symbols", `{"file_path": ".env"}`, "permission_denied: cannot read .env: it may hold secrets"},
		{"a missing file", "document_symbols", `{"file_path": "d.words"}`, "file_not_found: cannot read d.words: no such file or folder; use glob to find files by name"},
		{"a bad name", "rename_symbol", `{"file_path": "a.words", "line": 1, "symbol": "one", "new_name": "two words"}`, `invalid_tool_params: invalid params: new_name "two words" is not a name`},
		{"a language without a server", "document_symbols", `{"file_path": "d.txt"}`, "unhandled_exception: no language server answers for this file; use grep_search and read_file"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, langservertest.None, map[string]string{"a.words": files["a.words"], ".env": files[".env"], "b.words": "one", "c.words": "", "d.txt": "x"})
			w.open("b.words", "empty now")
			w.open("c.words", "new one")
			got := strings.TrimSuffix(w.call(tt.tool, tt.args), "\n")
			want := strings.ReplaceAll(tt.want, "\nb.words: empty now", "")
			if got != want {
				t.Errorf("got  %q\nwant %q", got, want)
			}
		})
	}
}

// What a server answers is not trusted: neither types nor places.
func TestAnswersAreNotTrusted(t *testing.T) {
	w := newWorld(t, langservertest.Odd, files)
	for _, tool := range []string{"find_references", "go_to_definition", "hover", "rename_symbol"} {
		args := `{"file_path": "a.words", "line": 1, "symbol": "one"}`
		if tool == "rename_symbol" {
			args = `{"file_path": "a.words", "line": 1, "symbol": "one", "new_name": "two"}`
		}
		if got := w.call(tool, args); !strings.HasPrefix(got, "unhandled_exception: the language server failed") {
			t.Errorf("%s: got %q", tool, got)
		}
	}
	w = newWorld(t, langservertest.Outside, files)
	got := w.call("rename_symbol", `{"file_path": "a.words", "line": 1, "symbol": "one", "new_name": "two"}`)
	if want := "edit_preparation_failure: the rename would change /etc/passwd, which is outside the workspace; nothing was changed"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestRenameRefusesFilesWithPendingEdits(t *testing.T) {
	w := newWorld(t, langservertest.None, files)
	w.pending[filepath.Join(w.dir, "b.words")] = "one more\n"
	got := w.call("rename_symbol", `{"file_path": "a.words", "line": 1, "symbol": "one", "new_name": "two"}`)
	if want := "edit_preparation_failure: the rename would change b.words, which has pending changes of this session; rename when they are decided; nothing was changed"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestAServerThatAnswersEverythingOffersAllTools(t *testing.T) {
	names := func(l []tools.Tool) (names []string) {
		for _, tool := range l {
			names = append(names, tool.Spec().Name)
		}
		return names
	}
	if got, want := names(Offered(newWorld(t, langservertest.None, nil))), names(All()); !slices.Equal(got, want) || len(got) == 0 {
		t.Errorf("the tools are %q, want %q", got, want)
	}
}
