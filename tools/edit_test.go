package tools

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
)

// editing sets up View without pending edits.
func (w *world) editing() {
	w.View = func(ctx context.Context, name string) (ide.File, error) {
		s := w.w.Snapshot()
		if d := s.Document(ide.ParseURI(name)); d != nil {
			return ide.File{Path: d.Path, Document: d, Text: d.Text}, nil
		}
		return s.Read(ctx, name)
	}
}

// becomes returns the bytes that a call would write to a.txt, or the error that the
// model reads.
func (w *world) becomes(tool Tool, args string) string {
	w.t.Helper()
	a, err := w.prepare(tool, args)
	var e *Error
	switch {
	case errors.As(err, &e):
		return w.text(Result{Err: e})
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

// matches reports whether got equals want, or begins with it if want ends in "...".
func matches(got, want string) bool {
	if head, ok := strings.CutSuffix(want, "..."); ok {
		return strings.HasPrefix(got, head)
	}
	return got == want
}

func TestHiddenFilesAreNotQuoted(t *testing.T) {
	w := newWorld(t, map[string]string{".env": "KEY=hunter2\n", "conf/.envrc": "KEY=hunter2\n"})
	w.editing()
	for _, name := range []string{".env", "conf/.envrc"} {
		got := w.becomes(Replace, `{"file_path":"`+name+`","instruction":"i","old_string":"KEY=x","new_string":"y"}`)
		if strings.Contains(got, "hunter") || !strings.HasPrefix(got, "edit_no_occurrence_found: ") {
			t.Errorf("%s: %s", name, got)
		}
		if got := w.becomes(Replace, `{"file_path":"`+name+`","instruction":"i","old_string":"KEY=hunter2","new_string":"y"}`); got != "y\n" {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestEditAction(t *testing.T) {
	w := newWorld(t, map[string]string{"d/a.go": "package a\n\nvar x = 1\n"})
	w.editing()
	a, err := w.prepare(Replace, `{"file_path":"d/a.go","instruction":"i","old_string":"  var x = 1","new_string":"  var x = 2"}`)
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
	a, err = w.prepare(WriteFile, `{"file_path":"new/b.go","content":"x"}`)
	if err != nil {
		t.Fatal(err)
	}
	if f := a.Effect.(Edits).Files[0]; a.Title != "Create new/b.go" || f.Op != "create" || f.Path != w.path("new/b.go") || f.New != "x" {
		t.Errorf("title %q, proposed %+v", a.Title, f)
	}
}

func TestEditsRespectIgnoreFiles(t *testing.T) {
	w := newWorld(t, map[string]string{".emendoignore": "hidden.txt\nprivate/\n", ".geminiignore": "*.gem\n", "hidden.txt": "KEY=hunter2\n", "private/": "", "a.gem": "KEY=hunter2\n"})
	w.link("link.txt", "hidden.txt")
	w.editing()
	for _, name := range []string{"hidden.txt", "a.gem", "link.txt", "private/new.txt", "new.gem"} {
		for _, tool := range []Tool{Replace, WriteFile} {
			args := `{"file_path":"` + name + `","old_string":"KEY=hunter2","new_string":"KEY=x"}`
			if tool == WriteFile {
				args = `{"file_path":"` + name + `","content":"b"}`
			}
			if got := w.becomes(tool, args); !strings.HasPrefix(got, "permission_denied: cannot change "+name+": .geminiignore or .emendoignore excludes it") {
				t.Errorf("%s of %s: %q", tool.Spec().Name, name, got)
			}
		}
	}
	w.IgnoreEmendo = false
	if got := w.becomes(Replace, `{"file_path":"a.gem","old_string":"KEY=hunter2","new_string":"KEY=x"}`); got != "KEY=x\n" {
		t.Errorf("with .geminiignore switched off: %q", got)
	}
	if got := w.becomes(WriteFile, `{"file_path":"hidden.txt","content":"x"}`); !strings.HasPrefix(got, "permission_denied: ") {
		t.Errorf(".emendoignore cannot be switched off: %q", got)
	}
}

func TestNULIsRefused(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "a\nb\n"})
	w.editing()
	const want = "invalid_tool_params: cannot write a.txt: line 2 of the new text has a NUL character (U+0000), which a text file cannot hold; nothing was changed. Write it as an escape sequence of the file's language, such as \\0 or \\x00"
	if got := w.becomes(WriteFile, `{"file_path":"a.txt","content":"x\n\u0000"}`); got != want {
		t.Errorf("write_file: %q", got)
	}
	if got := w.becomes(Replace, `{"file_path":"a.txt","old_string":"b","new_string":"\u0000"}`); got != want {
		t.Errorf("replace: %q", got)
	}
	w.open("a.txt", "a\nb\n\x00")
	if got := w.becomes(Replace, `{"file_path":"a.txt","old_string":"b","new_string":"c"}`); got != "a\nc\n\x00" {
		t.Errorf("beside a NUL that the buffer has already: %q", got)
	}
}

func TestPathWithTrailingSlash(t *testing.T) {
	w := newWorld(t, map[string]string{"d/": ""})
	w.editing()
	for path, want := range map[string]string{
		"newdir/": "invalid_tool_params: cannot create newdir/: a path that ends in a slash names a folder; pass the full path of the file",
		"d/":      "target_is_directory: ...",
	} {
		if got := w.becomes(WriteFile, `{"file_path":"`+path+`","content":"x"}`); !matches(got, want) {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
	}
}

// TestPathsWithAt names files as prompts do: @main.go.
func TestPathsWithAt(t *testing.T) {
	w := newWorld(t, map[string]string{"main.go": "one\n", "docs/x.md": "one\n"})
	w.editing()
	for _, tt := range []struct {
		tool       Tool
		args, want string
	}{
		{ReadFile, `{"file_path":"@main.go"}`, "one\n"},
		{ReadFile, `{"file_path":"@docs/x.md"}`, "one\n"},
		{ListDirectory, `{"dir_path":"@docs"}`, "\nx.md ("},
		{Glob, `{"pattern":"@main.go"}`, "\nDIR/main.go\n"},
		{GrepSearch, `{"pattern":"one","dir_path":"@main.go"}`, "L1: one\n"},
		{GrepSearch, `{"pattern":"one","include_pattern":"@main.go"}`, "L1: one\n"},
		{GrepSearch, `{"pattern":"one","include_pattern":"@docs/*.md"}`, "L1: one\n"},
	} {
		if got := w.text(w.call(tt.tool, tt.args)); !strings.Contains(got, tt.want) {
			t.Errorf("%s %s: %s", tt.tool.Spec().Name, tt.args, got)
		}
	}
	for tool, args := range map[Tool]string{
		Replace:   `{"file_path":"@main.go","old_string":"one","new_string":"two"}`,
		WriteFile: `{"file_path":"@main.go","content":"two\n"}`,
	} {
		a, err := w.prepare(tool, args)
		if err != nil {
			t.Fatal(err)
		}
		if f := a.Effect.(Edits).Files[0]; f.Path != w.path("main.go") || f.New != "two\n" {
			t.Errorf("%s edits %s: %q", tool.Spec().Name, f.Path, f.New)
		}
	}
}

func TestMissingFileSuggestions(t *testing.T) {
	w := newWorld(t, map[string]string{
		".git/": "", ".gitignore": "*.gen\n", "main.go": "", "sub/deep/parser.go": "", "a/twice.go": "", "b/twice.go": "", "confg.gen": "", ".envx": "", "index.ts": "",
	})
	w.editing()
	for name, want := range map[string]string{
		"mian.go":     " (did you mean main.go?)",
		"Main.go":     " (did you mean main.go?)",
		"index.js":    " (did you mean index.ts?)",
		"parser.go":   " (did you mean sub/deep/parser.go?)",
		"sub/main.go": " (did you mean main.go?)",
		"twice.go":    "; use glob to find files by name",
		"x.go":        "; use glob to find files by name",
		"config.gon":  "; use glob to find files by name",
	} {
		if got, want := w.text(w.call(ReadFile, `{"file_path":"`+name+`"}`)), "file_not_found: cannot read "+name+": no such file or folder"+want; got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	if got, want := w.becomes(Replace, `{"file_path":"mian.go","old_string":"a","new_string":"b"}`), "file_not_found: cannot edit mian.go: no such file or folder (did you mean main.go?); to create the file, pass an empty old_string"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestSavedOutputIsSearched(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "x\n"})
	dir := t.TempDir()
	path := filepath.Join(dir, "run_shell_command_1.txt")
	if err := os.WriteFile(path, []byte("one\ntwo needle\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	outputs, err := disk.NewTree([]string{dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { outputs.Close() })
	w.Outputs = outputs
	name, _ := json.Marshal(path)
	if got := w.text(w.call(GrepSearch, `{"pattern":"needle","context":0,"dir_path":`+string(name)+`}`)); !strings.Contains(got, "L2: two needle\n") {
		t.Error(got)
	}
	if got := w.text(w.call(GrepSearch, `{"pattern":"needle"}`)); strings.Contains(got, "two needle") {
		t.Errorf("a search of the workspace: %s", got)
	}
}

// TestDoubtfulPlaceholdersAreAskedAboutOnce writes what may be a placeholder: the
// model is asked whether it is one, and what it then repeats is meant.
func TestDoubtfulPlaceholdersAreAskedAboutOnce(t *testing.T) {
	w := newWorld(t, map[string]string{"a.go": "package a\n\nvar x = 1\n", "b.go": "package b\n"})
	w.editing()
	var doubts Doubts
	w.Doubts = &doubts
	for _, tt := range []struct {
		tool             Tool
		args, want, then string
	}{
		{
			WriteFile, `{"file_path":"a.go","content":"package a\n\n// ... existing code ...\n"}`,
			`invalid_tool_params: cannot write a.go: the new text has what looks like a placeholder for text that was left out: "// ... existing code ...". Nothing was changed. ` +
				`If it is one, write the text that it stands for, or change fewer lines. If it is meant as it is, make the same call again: it will be accepted`,
			"package a\n\n// ... existing code ...\n",
		},
		{
			Replace, `{"file_path":"b.go","old_string":"package b","new_string":"package b\n\n// ... existing code ..."}`,
			`invalid_tool_params: cannot write b.go: the new text has what looks like a placeholder for text that was left out: "// ... existing code ...". Nothing was changed. ...`,
			"package b\n\n// ... existing code ...\n",
		},
		{
			Replace, `{"file_path":"new.go","old_string":"","new_string":"package c\n\n// rest of the file unchanged\n...\n"}`,
			`invalid_tool_params: cannot write new.go: the new text has what looks like a placeholder for text that was left out: "// rest of the file unchanged", "...". Nothing was changed. ` +
				`If it is one, write the text that it stands for. If it is meant as it is, make the same call again: it will be accepted`,
			"package c\n\n// rest of the file unchanged\n...\n",
		},
	} {
		for range 2 { // preparing a call again does not count as repeating it
			if got := w.becomes(tt.tool, tt.args); !matches(got, tt.want) {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		}
		_, err := w.prepare(tt.tool, tt.args)
		var e *Error
		if !errors.As(err, &e) {
			t.Fatal(err)
		}
		doubts.Add(e)
		if got := w.becomes(tt.tool, tt.args); got != tt.then {
			t.Errorf("the second time: %s", got)
		}
	}
	if got := w.becomes(WriteFile, `{"file_path":"a.go","content":"package a\n\n// ... existing code ...\n// rest of the file unchanged\n"}`); !strings.Contains(got, `left out: "// rest of the file unchanged".`) {
		t.Errorf("another doubt: %s", got)
	}
}

func TestOrdinaryFilesAreWritten(t *testing.T) {
	w := newWorld(t, nil)
	w.editing()
	for name, text := range map[string]string{
		"protocol.py": "class Shop(Protocol):\n    def price(self, name: str) -> int:\n        ...\n",
		"end.yaml":    "a: 1\n...\n---\nb: 2\n",
		"rest.tsx":    "export const Button = ({ kind, ...rest }) => (\n  <button\n    {...rest}\n  />\n);\n",
		"tree.md":     "```\nsrc/\n  ...\n```\n",
	} {
		content, _ := json.Marshal(text)
		if got := w.becomes(WriteFile, `{"file_path":"`+name+`","content":`+string(content)+`}`); got != text {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// The lines of a new file end as .editorconfig and .gitattributes want it.
func TestNewFilesHaveTheLineEndsOfTheProject(t *testing.T) {
	w := newWorld(t, map[string]string{
		".git/": "", ".gitattributes": "* text=auto\n*.bat text eol=crlf\n*.vcx eol=crlf\n/lf/*.bat eol=lf\n", "sub/.gitattributes": "*.vcx -text\n",
		".editorconfig": "root = true\n[*.{cmd,txt}]\nend_of_line = crlf\n[*.vcx]\nindent_size = 2\n",
	})
	w.editing()
	for name, want := range map[string]string{
		"a.go": "a\nb\n", "run.bat": "a\r\nb\r\n", "sub/run.bat": "a\r\nb\r\n", "lf/run.bat": "a\nb\n", "a.vcx": "a\r\nb\r\n", "sub/a.vcx": "a\nb\n", "x/run.cmd": "a\r\nb\r\n",
	} {
		if got := w.becomes(WriteFile, `{"file_path":"`+name+`","content":"a\nb\n"}`); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	if got := w.becomes(Replace, `{"file_path":"new.txt","old_string":"","new_string":"a\nb\n"}`); got != "a\r\nb\r\n" {
		t.Errorf("by replace: %q", got)
	}
}
