package tools

import "testing"

func TestReplace(t *testing.T) {
	tests := []struct {
		name       string
		file, open string // on disk, and in the editor when it is open
		args       string // without file_path and instruction
		want       string // the file's bytes or the error; up to "..." if it ends so
	}{
		{name: "exact text", file: "a b c\n", args: `"old_string":"b","new_string":"x"`, want: "a x c\n"},
		{name: "open text wins over the disk", file: "a\n", open: "b\n", args: `"old_string":"b","new_string":"c"`, want: "c\n"},
		{name: "dollar signs are literal", file: "a\n", args: `"old_string":"a","new_string":"$1 $& $$"`, want: "$1 $& $$\n"},
		{name: "several places", file: "a\na\n", args: `"old_string":"a","new_string":"b"`, want: "edit_expected_occurrence_mismatch: cannot edit a.txt: old_string matches 2 places..."},
		{name: "several places on purpose", file: "a\na\n", args: `"old_string":"a","new_string":"b","allow_multiple":true`, want: "b\nb\n"},
		{name: "no such text", file: "total := 1\nreturn total\n", args: `"old_string":"total := 2","new_string":"b"`, want: "edit_no_occurrence_found: cannot edit a.txt: old_string was not found; nothing was changed. Read the file again if it may have changed, and quote its text exactly.\nNearest passage:\n    1\ttotal := 1\nLine 1 has \"= 1\" where old_string has \"= 2\"."},
		{name: "no change", file: "a\n", args: `"old_string":"a","new_string":"a"`, want: "edit_no_change: ..."},
		{name: "an empty old_string on a file with text", file: "a\n", args: `"old_string":"","new_string":"b"`, want: "attempt_to_create_existing_file: ..."},
		{name: "an empty old_string creates", args: `"old_string":"","new_string":"b\n"`, want: "b\n"},
		{name: "a new file with text left out", args: `"old_string":"","new_string":"a\n// ... existing code ...\n"`, want: "invalid_tool_params: ..."},
		{name: "a missing file", args: `"old_string":"a","new_string":"b\n"`, want: "file_not_found: cannot edit a.txt: ..."},
		{name: "text left out", file: "a\nb\n", args: `"old_string":"a","new_string":"x\n// rest of code ..."`, want: "invalid_tool_params: ..."},
		{name: "a missing argument", file: "a\n", args: `"old_string":"a"`, want: "invalid_tool_params: invalid params: new_string is required"},
		{name: "CRLF", file: "a\r\nb\r\n", args: `"old_string":"a\nb","new_string":"a\nx\nb"`, want: "a\r\nx\r\nb\r\n"},
		{name: "mixed line ends", file: "a\r\nb\nc\r\n", args: `"old_string":"b\n","new_string":"x\n"`, want: "a\r\nx\nc\r\n"},
		{name: "Latin-1 keeps its other letters", file: "caf\xe9 na\xefve\nx\n", args: `"old_string":"x","new_string":"\u00e4"`, want: "caf\xe9 na\xefve\n\xe4\n"},
		{name: "GBK gets its own letters", file: "name = \xd0\xa1\xca\xe9\xb5\xea\nx\n", args: `"old_string":"x","new_string":"\u00e9"`, want: "name = \xd0\xa1\xca\xe9\xb5\xea\n\xa8\xa6\n"},
		{name: "what GBK cannot hold", file: "name = \xd0\xa1\xca\xe9\xb5\xea\nx\n", args: `"old_string":"x","new_string":"\u00df"`, want: "edit_preparation_failure: cannot write a.txt: ..."},
		{name: "a euro sign in Windows' encoding", file: "caf\xe9 na\xefve\nx\n", args: `"old_string":"x","new_string":"\u20ac"`, want: "caf\xe9 na\xefve\n\x80\n"},
		{name: "a bad byte stays", file: "na\xc3\xafve \xc3\xa9 \xff\nx\n", args: `"old_string":"x","new_string":"y"`, want: "na\xc3\xafve \xc3\xa9 \xff\ny\n"},
		{name: "what Latin-1 cannot hold", file: "caf\xe9\nx\n", args: `"old_string":"x","new_string":"\u4e16"`, want: "edit_preparation_failure: cannot write a.txt: ..."},
		{name: "a byte order mark", file: "\xef\xbb\xbfa\nb\n", args: `"old_string":"a","new_string":"x"`, want: "\xef\xbb\xbfx\nb\n"},
		{name: "UTF-16", file: "\xff\xfea\x00\n\x00b\x00", args: `"old_string":"a","new_string":"x"`, want: "\xff\xfex\x00\n\x00b\x00"},
		{name: "a binary file", file: "\x00\x01\x02", args: `"old_string":"a","new_string":"x"`, want: "read_content_failure: ..."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			files := map[string]string{"x": ""}
			if tt.file != "" {
				files["a.txt"] = tt.file
			}
			w := newWorld(t, files)
			w.editing()
			if tt.open != "" {
				w.open("a.txt", tt.open)
			}
			if got := w.becomes(Replace, `{"file_path":"a.txt","instruction":"i",`+tt.args+`}`); !matches(got, tt.want) {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

func TestReplaceStaysInTheWorkspace(t *testing.T) {
	w := newWorld(t, map[string]string{"d/": ""})
	w.editing()
	for path, want := range map[string]string{
		"../a": "path_not_in_workspace: ...",
		"/":    "path_not_in_workspace: ...",
		"d":    "target_is_directory: ...",
		"":     "invalid_tool_params: ...",
	} {
		for _, tool := range []Tool{Replace, WriteFile} {
			args := `{"file_path":"` + path + `","instruction":"i","old_string":"a","new_string":"b"}`
			if tool == WriteFile {
				args = `{"file_path":"` + path + `","content":"b"}`
			}
			if got := w.becomes(tool, args); !matches(got, want) {
				t.Errorf("%q: got %q, want %q", path, got, want)
			}
		}
	}
}

func TestFenceIsRemoved(t *testing.T) {
	fenced := `"new_string":"` + "```go\\nx := 2\\n```" + `"`
	for _, tt := range []struct{ name, file, path, args, want string }{
		{"a part of a line", "x := 1\n", "a.go", `"old_string":"x := 1",` + fenced, "x := 2\n"},
		{"a whole line", "x := 1\ny\n", "a.go", `"old_string":"x := 1\n",` + fenced, "x := 2\ny\n"},
		{"a new file", "", "a.go", `"old_string":"",` + fenced, "x := 2\n"},
		{"Markdown", "TODO\n", "a.md", `"old_string":"TODO",` + fenced, "```go\nx := 2\n```\n"},
		{"a file that has fences", "doc\n```\na\n```\n", "a.jl", `"old_string":"doc",` + fenced, "```go\nx := 2\n```\n```\na\n```\n"},
	} {
		files := map[string]string{"x": ""}
		if tt.file != "" {
			files[tt.path] = tt.file
		}
		w := newWorld(t, files)
		w.editing()
		if got := w.becomes(Replace, `{"file_path":"`+tt.path+`",`+tt.args+`}`); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
	w := newWorld(t, map[string]string{"a.go": "x\n"})
	w.editing()
	if got := w.becomes(WriteFile, `{"file_path":"a.go","content":"`+"```go\\npackage a\\n```"+`"}`); got != "package a\n" {
		t.Errorf("write_file: %q", got)
	}
}
