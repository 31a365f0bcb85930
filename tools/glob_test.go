package tools

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
)

// age sets how many hours ago files were changed.
func (w *world) age(hours map[string]int) {
	w.t.Helper()
	for name, h := range hours {
		at := time.Now().Add(-time.Duration(h) * time.Hour)
		if err := os.Chtimes(w.path(name), at, at); err != nil {
			w.t.Fatal(err)
		}
	}
}

func TestGlob(t *testing.T) {
	w := newWorld(t, map[string]string{
		".git/config.go":       "",
		".gitignore":           "*.gen.go\n/out/\n",
		".emendoignore":        "private/\n",
		"a.go":                 "",
		"B.go":                 "",
		"x.gen.go":             "",
		"sub/c.go":             "",
		"sub/deep/d.go":        "",
		"sub/[slug]/page.tsx":  "",
		"sub/s/page.tsx":       "",
		".github/ci.yml":       "",
		"build/e.go":           "",
		"out/o.go":             "",
		"private/p.go":         "",
		"node_modules/m/m.go":  "",
		"two\nlines.txt":       "",
		"other/main.c":         "",
		"other/main.h":         "",
		"other/with space.txt": "",
	})
	old := map[string]int{}
	for _, name := range []string{"a.go", "B.go", "sub/c.go", "sub/deep/d.go", "build/e.go", "x.gen.go", "out/o.go", "private/p.go", "node_modules/m/m.go", "sub/[slug]/page.tsx", "sub/s/page.tsx", ".github/ci.yml", "two\nlines.txt", "other/main.c", "other/main.h"} {
		old[name] = 100
	}
	old["sub/c.go"], old["build/e.go"] = 2, 1
	w.age(old)
	w.open("sub/new.go", "not saved")
	w.open("out/hidden.go", "not saved, ignored")
	w.link("link.go", "a.go")
	w.link("away.go", "/etc/passwd")
	w.link("loop.go", "loop.go")
	w.link("dir.go", "sub")

	found := func(n int, asked string, names ...string) string {
		return fmt.Sprintf("Found %s that %s %s in DIR, changed in the last 24 hours first:\n", Count(n, "file", "files"), plural(n, "matches", "match"), asked) + "DIR/" + strings.Join(names, "\nDIR/") + "\n"
	}
	cases := []struct {
		name string
		args string
		want string
	}{
		{"at any depth, the newest first", `{"pattern":"**/*.go"}`, found(7, "**/*.go", "sub/new.go", "build/e.go", "sub/c.go", "B.go", "a.go", "link.go", "sub/deep/d.go")},
		{"in the folder alone", `{"pattern":"*.go"}`, found(3, "*.go", "B.go", "a.go", "link.go")},
		{"case does not count", `{"pattern":"b.GO"}`, found(1, "b.GO", "B.go")},
		{"case counts", `{"pattern":"b.GO","case_sensitive":true}`, "No file matches b.GO in DIR; ignored files were not searched.\nTo search subfolders too, use **/b.GO.\n"},
		{"in a folder", `{"pattern":"*.go","dir_path":"sub/deep"}`, "Found 1 file that matches *.go in DIR/sub/deep, changed in the last 24 hours first:\nDIR/sub/deep/d.go\n"},
		{"a name with brackets", `{"pattern":"sub/[slug]/page.tsx"}`, found(2, "sub/[slug]/page.tsx", "sub/[slug]/page.tsx", "sub/s/page.tsx")},
		{"a choice", `{"pattern":"other/*.{c,h}"}`, found(2, "other/*.{c,h}", "other/main.c", "other/main.h")},
		{"names that begin with a dot", `{"pattern":"**/*.yml"}`, found(1, "**/*.yml", ".github/ci.yml")},
		{"a name of two lines", `{"pattern":"*lines.txt"}`, found(1, "*lines.txt", `two\nlines.txt`)},
		{"from here", `{"pattern":"./sub/*.go"}`, found(2, "./sub/*.go", "sub/new.go", "sub/c.go")},
		{"ignored when asked for", `{"pattern":"out/*.go","respect_git_ignore":false}`, found(2, "out/*.go", "out/hidden.go", "out/o.go")},
		{"an ignored folder", `{"pattern":"*.go","dir_path":"out"}`, "No file matches *.go in DIR/out; ignored files were not searched.\nTo search subfolders too, use **/*.go.\n(out is ignored; to search it, set respect_git_ignore and respect_gemini_ignore to false)\n"},
		{"what the user hides stays hidden", `{"pattern":"private/**","respect_git_ignore":false,"respect_gemini_ignore":false}`, "No file matches private/** in DIR; ignored files were not searched.\n"},
		{"dependencies when named", `{"pattern":"node_modules/**/*.go"}`, found(1, "node_modules/**/*.go", "node_modules/m/m.go")},
		{"version control is never shown", `{"pattern":".git/**","respect_git_ignore":false}`, "No file matches .git/** in DIR; ignored files were not searched.\n"},
		{"an absolute pattern", `{"pattern":"DIR/sub/**/*.go"}`, "Found 3 files that match DIR/sub/**/*.go in DIR/sub, changed in the last 24 hours first:\nDIR/sub/new.go\nDIR/sub/c.go\nDIR/sub/deep/d.go\n"},
		{"up and down again", `{"pattern":"sub/../other/*.c"}`, "Found 1 file that matches sub/../other/*.c in DIR/other, changed in the last 24 hours first:\nDIR/other/main.c\n"},
		{"up and out", `{"pattern":"../*"}`, "path_not_in_workspace: .. is outside the workspace (DIR)"},
		{"up and out of a folder", `{"pattern":"../../*","dir_path":"sub"}`, "path_not_in_workspace: sub/../.. is outside the workspace (DIR)"},
		{"an absolute pattern that leads out", `{"pattern":"/etc/*"}`, "path_not_in_workspace: /etc is outside the workspace (DIR)"},
		{"up after a wildcard", `{"pattern":"*/../../x"}`, `invalid_tool_params: invalid params: pattern: ".." after a wildcard: */../../x; pass the folder as dir_path`},
		{"as prompts name it", `{"pattern":"@a.go"}`, found(1, "@a.go", "a.go")},
		{"an extended choice", `{"pattern":"other/*.@(c|h)"}`, found(2, "other/*.@(c|h)", "other/main.c", "other/main.h")},
		{"an extended glob that has no effect here", `{"pattern":"other/!(x).c"}`, "invalid_tool_params: invalid params: pattern: extended glob !(x) is not supported; use {a,b} for alternatives, and a second call or an exclusion for the rest"},
		{"a name with parentheses", `{"pattern":"**/(group)/*"}`, "No file matches **/(group)/* in DIR; ignored files were not searched.\n"},
		{"a folder", `{"pattern":"sub"}`, "No file matches sub in DIR; ignored files were not searched.\nsub is a folder, and glob finds files: use list_directory, or the pattern sub/** to find the files in it.\n"},
		{"a folder nearly named so", `{"pattern":"*","dir_path":"othr"}`, "file_not_found: cannot find othr: no such file or folder (did you mean other?)"},
		{"no pattern", `{"pattern":"  "}`, "invalid_tool_params: invalid params: pattern is empty"},
		{"a bad pattern", `{"pattern":"a{b"}`, "invalid_tool_params: invalid params: pattern: invalid glob a{b: unclosed [ or {, or a trailing backslash"},
		{"a file for a folder", `{"pattern":"*","dir_path":"a.go"}`, "path_is_not_a_directory: a.go is a file, not a folder; use read_file"},
		{"no such folder", `{"pattern":"*","dir_path":"nope"}`, "file_not_found: cannot find nope: no such file or folder; use glob to find files by name"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if d := cmp.Diff(w.text(w.call(Glob, c.args)), c.want); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestGlobSearchesAllFolders(t *testing.T) {
	w := newWorld(t, map[string]string{"one/a.go": "", "two/b.go": "", "three/c.go": ""})
	tree, err := disk.NewTree([]string{w.path("one"), w.path("two")})
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	w.w = ide.NewWorkspace(tree, ide.UTF16)
	w.Dir = w.path("one")
	w.age(map[string]int{"one/a.go": 48, "two/b.go": 48})
	want := "Found 2 files that match *.go in DIR/one and the other folders of the workspace, changed in the last 24 hours first:\nDIR/one/a.go\nDIR/two/b.go\n"
	if got := w.text(w.call(Glob, `{"pattern":"*.go"}`)); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestGlobIsBounded(t *testing.T) {
	files := map[string]string{}
	for i := range 1500 {
		files[fmt.Sprintf("%04d%s", i, strings.Repeat("x", 96))] = ""
	}
	w := newWorld(t, files)
	r := w.call(Glob, `{"pattern":"**"}`)
	if len(r.Output) > outputLimit || !strings.HasSuffix(r.Output, " more not shown; narrow the pattern or dir_path)\n") {
		t.Errorf("%d bytes that end in %q", len(r.Output), r.Output[len(r.Output)-100:])
	}
}
