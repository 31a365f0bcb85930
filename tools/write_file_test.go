package tools

import "testing"

func TestWriteFileKeepsFormat(t *testing.T) {
	tests := []struct {
		name string
		file string
		text string // JSON
		want string
	}{
		{name: "a new file", text: `"a\nb"`, want: "a\nb"},
		{name: "a new file with carriage returns", text: `"a\r\nb"`, want: "a\r\nb"},
		{name: "all of it", file: "a\nb\n", text: `"x\n"`, want: "x\n"},
		{name: "an empty file", file: "a\n", text: `""`, want: ""},
		{name: "CRLF", file: "a\r\nb\r\n", text: `"a\nx\nb\n"`, want: "a\r\nx\r\nb\r\n"},
		{name: "CRLF written with CRLF", file: "a\r\nb\r\n", text: `"a\r\nx\r\n"`, want: "a\r\nx\r\n"},
		{name: "line feeds stay when the model writes CRLF", file: "a\nb\n", text: `"a\r\nx\r\n"`, want: "a\nx\n"},
		{name: "line ends changed on purpose", file: "a\nb\n", text: `"a\r\nb\r\n"`, want: "a\r\nb\r\n"},
		{name: "mixed line ends stay with their lines", file: "a\r\nb\nc\r\nd\n", text: `"a\nb\nnew\nc\nD\n"`, want: "a\r\nb\nnew\nc\r\nD\n"},
		{name: "a last line without an end is the model's word", file: "a\nb", text: `"a\nc\n"`, want: "a\nc\n"},
		{name: "a byte order mark", file: "\xef\xbb\xbfa\n", text: `"b\n"`, want: "\xef\xbb\xbfb\n"},
		{name: "a byte order mark written twice", file: "\xef\xbb\xbfa\n", text: `"\ufeffb\n"`, want: "\xef\xbb\xbfb\n"},
		{name: "UTF-16", file: "\xfe\xff\x00a\x00\n", text: `"\u00e9\n"`, want: "\xfe\xff\x00\xe9\x00\n"},
		{name: "Latin-1", file: "caf\xe9\n", text: `"caf\u00e9s\n"`, want: "caf\xe9s\n"},
		{name: "what Latin-1 cannot hold", file: "caf\xe9\n", text: `"\u4e16"`, want: "edit_preparation_failure: cannot write a.txt: ..."},
		{name: "the same text but for line ends", file: "a\r\n", text: `"a\n"`, want: "edit_no_change: ..."},
		{name: "the same bytes", file: "a\n", text: `"a\n"`, want: "edit_no_change: ..."},
		{name: "text left out", file: "a\nb\n", text: `"x\n# ... rest of the file unchanged ...\n"`, want: "invalid_tool_params: ..."},
		{name: "dots that the file has", file: "def f():\n    ...\n", text: `"def g():\n    ...\n"`, want: "def g():\n    ...\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			files := map[string]string{"x": ""}
			if tt.file != "" {
				files["a.txt"] = tt.file
			}
			w := newWorld(t, files)
			w.editing()
			if got := w.becomes(WriteFile, `{"file_path":"a.txt","content":`+tt.text+`}`); !matches(got, tt.want) {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}
