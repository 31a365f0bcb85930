package tools

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestListDirectory(t *testing.T) {
	w := newWorld(t, map[string]string{
		".git/config":                 "",
		".gitignore":                  "*.log\n/build/\n",
		".emendoignore":               "private/\n",
		"b.go":                        "12345",
		"A.go":                        "",
		"x.log":                       "",
		"build/out":                   "",
		"sub/inner.go":                "",
		"links/folder/alt/x.txt":      "",
		"links/folder/alt/y.txt":      "",
		"links/folder/alt/z.txt":      "",
		"links/folder/alt/keep/k.txt": "",
		"private/p":                   "",
		"empty/":                      "",
		"logs/only.log":               "",
		"two\nlines":                  "",
		"[x].tsx":                     "",
		"links/inside.go":             "123",
		"links/folder/in.go":          "",
	})
	w.link("links/loop", "loop")
	w.link("links/gone", "nothing")
	w.link("links/away", "/etc")
	w.link("links/b", "../b.go")
	w.link("links/sub", "../sub")
	w.open("b.go", "typed text")
	w.open("c.go", "new")
	w.open("fresh/deep/d.go", "new")
	w.open("typed.log", "ignored")

	cases := []struct {
		name string
		args string
		want string
	}{
		{
			"the session's folder", `{"dir_path":"."}`,
			"In the folder DIR:\n[DIR] empty\n[DIR] fresh (new, unsaved)\n[DIR] links\n[DIR] logs\n[DIR] sub\n" +
				".emendoignore (9 bytes)\n.gitignore (14 bytes)\n[x].tsx (0 bytes)\nA.go (0 bytes)\nb.go (10 bytes, unsaved)\nc.go (3 bytes, new, unsaved)\ntwo\\nlines (0 bytes)\n(5 ignored)\n",
		},
		{
			"without git's rules", `{"dir_path":"","file_filtering_options":{"respect_git_ignore":false}}`,
			"invalid_tool_params: invalid params: dir_path is empty",
		},
		{
			"alternatives and paths to leave out", `{"dir_path":"DIR/links/folder/alt","ignore":["{x,y}.txt","./links/folder/alt/z.txt"]}`,
			"In the folder DIR/links/folder/alt:\n[DIR] keep\n(3 ignored)\n",
		},
		{
			"an extended glob", `{"dir_path":"DIR","ignore":["*.go","!(a).txt"]}`,
			"invalid_tool_params: invalid params: ignore[1]: extended glob !(a) is not supported; use {a,b} for alternatives, and a second call or an exclusion for the rest",
		},
		{
			"names to leave out", `{"dir_path":"DIR","ignore":["*.go","f?esh","[x]*","*links","empty","logs","sub","*lines"]}`,
			"In the folder DIR:\n.emendoignore (9 bytes)\n.gitignore (14 bytes)\n(15 ignored)\n",
		},
		{
			"links", `{"dir_path":"links"}`,
			"In the folder DIR/links:\n[DIR] folder\n[DIR] sub (link to sub)\naway (link to outside the workspace)\nb (5 bytes, link to b.go)\ngone (broken link)\ninside.go (3 bytes)\nloop (link, part of a loop)\n",
		},
		{"by way of a link", `{"dir_path":"links/sub"}`, "In the folder DIR/sub:\ninner.go (0 bytes)\n"},
		{"empty", `{"dir_path":"empty"}`, "The folder DIR/empty is empty.\n"},
		{"all of it ignored", `{"dir_path":"logs"}`, "The folder DIR/logs is empty except for ignored entries.\n(1 ignored)\n"},
		{"an ignored folder", `{"dir_path":"build"}`, "The folder DIR/build is empty except for ignored entries.\n(1 ignored)\n"},
		{"an ignored folder without the rules", `{"dir_path":"build","file_filtering_options":{"respect_git_ignore":false}}`, "In the folder DIR/build:\nout (0 bytes)\n"},
		{"what the user hides stays hidden", `{"dir_path":"private","file_filtering_options":{"respect_git_ignore":false,"respect_gemini_ignore":false}}`, "The folder DIR/private is empty except for ignored entries.\n(1 ignored)\n"},
		{"a folder that only the editor has", `{"dir_path":"fresh"}`, "In the folder DIR/fresh:\n[DIR] deep (new, unsaved)\n"},
		{"a file", `{"dir_path":"b.go"}`, "path_is_not_a_directory: b.go is a file, not a folder; use read_file"},
		{"nothing there", `{"dir_path":"nope"}`, "file_not_found: cannot find nope: no such file or folder; use glob to find files by name"},
		{"outside", `{"dir_path":".."}`, "path_not_in_workspace: .. is outside the workspace (DIR)"},
		{"no folder", `{}`, "invalid_tool_params: invalid params: dir_path is required"},
		{"a misspelt option", `{"dir_path":".","file_filtering_options":{"respect_gitignore":true}}`, "invalid_tool_params: invalid params: unknown parameter file_filtering_options.respect_gitignore; the parameters are dir_path, ignore, file_filtering_options"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if d := cmp.Diff(w.text(w.call(ListDirectory, c.args)), c.want); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestListDirectoryIsBounded(t *testing.T) {
	files := map[string]string{}
	for i := range 2000 {
		files[fmt.Sprintf("%04d%s", i, strings.Repeat("x", 96))] = ""
	}
	w := newWorld(t, files)
	r := w.call(ListDirectory, `{"dir_path":"."}`)
	if len(r.Output) > outputLimit || !strings.Contains(r.Output, " more not shown; ") || !strings.HasSuffix(r.Output, ")\n") {
		t.Errorf("%d bytes that end in %q", len(r.Output), r.Output[len(r.Output)-100:])
	}
	if r.Summary != "Found 2000 items" {
		t.Errorf("summary %q", r.Summary)
	}
}
