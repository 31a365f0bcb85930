package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestReadManyFiles(t *testing.T) {
	png := "\x89PNG\r\n\x1a\n\x00\x00"
	files := map[string]string{
		"a.go": "package a\n", "b.go": "package b", "sub/c.go": "package c\n", "sub/d.md": "# d\n", "pic.png": png,
		".env": "KEY=hunter2\n", "key.txt": testKey, ".gitignore": "out/\n", ".git/": "", "out/o.go": "package o\n",
		"we[i]rd.txt": "weird\n", "big.txt": strings.Repeat("x\n", 10_000), "big2.txt": strings.Repeat("0123456789012345678\n", 3000), "big3.txt": strings.Repeat("0123456789012345678\n", 2000),
	}
	const end = "--- End of content ---\n"
	for _, tt := range []struct{ name, args, want string }{
		{name: "two paths", args: `{"include":["b.go","a.go"]}`, want: "--- b.go ---\n\npackage b\n\n--- a.go ---\n\npackage a\n\n" + end},
		{name: "a path twice", args: `{"include":["a.go","*.go","DIR/a.go"],"exclude":["b.*"]}`, want: "--- a.go ---\n\npackage a\n\n" + end},
		{name: "a glob", args: `{"include":["**/*.go"]}`, want: "--- a.go ---\n\npackage a\n\n--- b.go ---\n\npackage b\n\n--- sub/c.go ---\n\npackage c\n\n" + end},
		{name: "a glob without regard to case", args: `{"include":["SUB/*.MD"]}`, want: "--- sub/d.md ---\n\n# d\n\n" + end},
		{name: "a folder, some excluded", args: `{"include":["sub/"],"exclude":["**/*.md"]}`, want: "--- sub/c.go ---\n\npackage c\n\n" + end},
		{name: "a name with brackets", args: `{"include":["we[i]rd.txt"]}`, want: "--- we[i]rd.txt ---\n\nweird\n\n" + end},
		{name: "none there", args: `{"include":["a.go","nope.go"]}`, want: "--- a.go ---\n\npackage a\n\n" + end + "(cannot read nope.go: no such file..."},
		{name: "none matches", args: `{"include":["*.rs"]}`, want: "No file was read.\n(no file matches *.rs)\n"},
		{name: "ignored", args: `{"include":["out/o.go"]}`, want: "No file was read.\n(cannot read out/o.go: the ignore rules..."},
		{name: "secret by its name in a glob", args: `{"include":["*env"]}`, want: "No file was read.\n(no file matches *env)\n(may hold secrets: .env)\n"},
		{name: "secret by its text", args: `{"include":["key.txt"]}`, want: "No file was read.\n(key.txt may hold a secret; if the task needs it, use read_file)\n"},
		{name: "a picture in a glob", args: `{"include":["pic*"]}`, want: "No file was read.\n(pic.png is no text; to attach it, name it in include)\n"},
		{name: "a picture by its name", args: `{"include":["pic.png"]}`, want: "--- pic.png ---\n\npic.png (image/png, 10 bytes) is attached.\n\n" + end},
		{name: "a picture by its extension", args: `{"include":["*.png"]}`, want: "--- pic.png ---\n\npic.png (image/png, 10 bytes) is attached.\n\n" + end},
		{name: "outside", args: `{"include":["../x"]}`, want: "No file was read.\n(../x is outside the workspace..."},
		{name: "a pattern outside", args: `{"include":["../*.go"]}`, want: "path_not_in_workspace: ..."},
		{name: "an empty entry", args: `{"include":[" "]}`, want: "invalid_tool_params: invalid params: include has an empty entry"},
		{name: "nothing", args: `{"include":[]}`, want: "invalid_tool_params: invalid params: include: expected 1 to 50 items, got 0"},
		{name: "a wrong glob", args: `{"include":["a.go"],"exclude":["[x"]}`, want: "invalid_tool_params: invalid params: exclude: invalid glob..."},
		{name: "another agent's option", args: `{"include":["a.go"],"recursive":true}`, want: "invalid_tool_params: invalid params: unknown parameter recursive; the parameters are include, exclude"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, files)
			if got := w.text(w.call(ReadManyFiles, tt.args)); !matches(got, tt.want) {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

func TestReadManyFilesReadsWhatTheUserSees(t *testing.T) {
	w := newWorld(t, map[string]string{"a.go": "package old\n"})
	w.open("a.go", "package unsaved\n")
	w.open("new.go", "package fresh\n")
	got := w.text(w.call(ReadManyFiles, `{"include":["*.go"]}`))
	if !strings.Contains(got, "package unsaved") || !strings.Contains(got, "package fresh") || strings.Contains(got, "old") {
		t.Errorf("got %q", got)
	}
}

func TestReadManyFilesIsBounded(t *testing.T) {
	files := map[string]string{}
	for i := range 120 {
		files[fmt.Sprintf("n%03d.txt", i)] = "x\n"
	}
	files["big/a.txt"], files["big/b.txt"], files["big/c.txt"] = strings.Repeat("0123456789012345678\n", 1900), strings.Repeat("0123456789012345678\n", 1900), "small\n"
	w := newWorld(t, files)
	if got := w.text(w.call(ReadManyFiles, `{"include":["n*.txt"]}`)); !strings.Contains(got, "n099.txt") || strings.Contains(got, "n100.txt") || !strings.Contains(got, "(20 files more than the 100 that one call reads; narrow include)") {
		t.Errorf("got %q", got)
	}
	if got := w.text(w.call(ReadManyFiles, `{"include":["big"]}`)); len(got) > outputLimit || !strings.Contains(got, "(big/b.txt did not fit; use read_file)") || !strings.Contains(got, "small") {
		t.Errorf("%d bytes, %q", len(got), got[max(0, len(got)-300):])
	}
}

func TestReadManyFilesStops(t *testing.T) {
	w := newWorld(t, map[string]string{"a.go": "package a\n", "b.go": "package b\n"})
	ctx, cancel := context.WithCancel(t.Context())
	a, err := ReadManyFiles.Prepare(ctx, w.env(), json.RawMessage(`{"include":["*.go"]}`))
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if r := a.Run(ctx, nil); r.Err == nil || r.Err.Type != Cancelled {
		t.Errorf("%+v", r)
	}
}
