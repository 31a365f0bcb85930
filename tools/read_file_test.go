package tools

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/ide/ignore"
)

// numbered returns n numbered lines.
func numbered(from, to int) string {
	var s strings.Builder
	for i := from; i <= to; i++ {
		fmt.Fprintf(&s, "line %d\n", i)
	}
	return s.String()
}

func TestReadFile(t *testing.T) {
	files := map[string]string{
		"a.go":          "one\ntwo\nthree\n",
		"open.end":      "one\ntwo",
		"crlf.txt":      "one\r\ntwo\r\n",
		"mixed.txt":     "one\r\ntwo\nthree\rfour",
		"empty":         "",
		"blank":         "\n",
		"long.txt":      numbered(1, 5000),
		"wide.txt":      "short\n" + strings.Repeat("é", 2001) + "\nend\n",
		"broad.txt":     strings.Repeat(strings.Repeat("x", 1999)+"\n", 100),
		"latin":         "caf\xe9 cr\xe8me\n",
		"gbk":           "name = \xd0\xa1\xca\xe9\xb5\xea\n",
		"bad":           "naïve é \xff\n",
		"utf16":         "\xff\xfeh\x00\xe9\x00\n\x00",
		"bom":           "\xef\xbb\xbftext\n",
		"image.png":     "\x89PNG\r\n\x1a\n\x00\x00",
		"pointer.png":   "version https://git-lfs.github.com/spec/v1\n",
		"bmw.txt":       "BM is how a bitmap begins\n",
		"odd.bin":       "ab\x00cd",
		"sub/":          "",
		"@scope/x.go":   "scoped\n",
		"[...slug].tsx": "page\n",
		".env":          "KEY=1\n",
		"huge.txt":      strings.Repeat("0123456789abcde\n", 10<<16+1),
	}
	cases := []struct {
		name string
		args string
		want string
	}{
		{"whole", `{"file_path":"a.go"}`, "one\ntwo\nthree\n"},
		{"absolute path", `{"file_path":"DIR/a.go"}`, "one\ntwo\nthree\n"},
		{"by way of a folder", `{"file_path":"sub/../a.go"}`, "one\ntwo\nthree\n"},
		{"as prompts name it", `{"file_path":"@a.go"}`, "one\ntwo\nthree\n"},
		{"a name that begins so", `{"file_path":"@scope/x.go"}`, "scoped\n"},
		{"a name with dots and brackets", `{"file_path":"[...slug].tsx"}`, "page\n"},
		{"no end of the last line", `{"file_path":"open.end"}`, "one\ntwo"},
		{"line ends of Windows", `{"file_path":"crlf.txt"}`, "one\ntwo\n"},
		{"mixed line ends", `{"file_path":"mixed.txt"}`, "one\ntwo\nthree\nfour"},
		{"Latin-1", `{"file_path":"latin"}`, "[Encoding: windows-1252, as far as the bytes show; edits are written in it.]\ncafé crème\n"},
		{"GBK", `{"file_path":"gbk"}`, "[Encoding: gbk, as far as the bytes show; edits are written in it.]\nname = 小书店\n"},
		{"a bad byte", `{"file_path":"bad"}`, "[Encoding: UTF-8. Bytes that are wrong in it are shown as the characters U+10FE80 to U+10FEFF, and stay as they are where an edit keeps these.]\nnaïve é \U0010feff\n"},
		{"UTF-16", `{"file_path":"utf16"}`, "hé\n"},
		{"byte order mark", `{"file_path":"bom"}`, "text\n"},
		{"empty", `{"file_path":"empty"}`, "[empty is empty.]"},
		{"empty, from its first line", `{"file_path":"empty","start_line":1}`, "[empty is empty.]"},
		{"empty, past its end", `{"file_path":"empty","start_line":2}`, "invalid_tool_params: invalid params: start_line 2 is past the end: empty has 0 lines"},
		{"one blank line", `{"file_path":"blank"}`, "\n"},
		{"a range", `{"file_path":"a.go","start_line":2,"end_line":2}`, "[Lines 2-2 of 3. The content follows.]\ntwo\n"},
		{"a range that is all", `{"file_path":"a.go","start_line":1,"end_line":3}`, "one\ntwo\nthree\n"},
		{"a range past the end", `{"file_path":"a.go","start_line":2,"end_line":9}`, "[Lines 2-3 of 3. The content follows.]\ntwo\nthree\n"},
		{"an end alone", `{"file_path":"a.go","end_line":1}`, "[Lines 1-1 of 3. The content follows.]\none\n"},
		{"a start past the end", `{"file_path":"a.go","start_line":4}`, "invalid_tool_params: invalid params: start_line 4 is past the end: a.go has 3 lines"},
		{"a start after the end", `{"file_path":"a.go","start_line":3,"end_line":2}`, "invalid_tool_params: invalid params: start_line 3 is after end_line 2"},
		{"line zero", `{"file_path":"a.go","start_line":0}`, "invalid_tool_params: invalid params: start_line: expected at least 1, got 0"},
		{"the first 2000 lines", `{"file_path":"long.txt"}`, "[Lines 1-2000 of 5000. To continue, call read_file with start_line 2001. The content follows.]\n" + numbered(1, 2000)},
		{"the next 2000 lines", `{"file_path":"long.txt","start_line":2001}`, "[Lines 2001-4000 of 5000. To continue, call read_file with start_line 4001. The content follows.]\n" + numbered(2001, 4000)},
		{"the last lines", `{"file_path":"long.txt","start_line":4001}`, "[Lines 4001-5000 of 5000. The content follows.]\n" + numbered(4001, 5000)},
		{"more lines when asked for", `{"file_path":"long.txt","start_line":1,"end_line":3000}`, "[Lines 1-3000 of 5000. The content follows.]\n" + numbered(1, 3000)},
		{"a long line", `{"file_path":"wide.txt"}`, "[Lines 1-3 of 3. 1 line longer than 2000 characters is cut. The content follows.]\nshort\n" + strings.Repeat("é", 2000) + "... [truncated]\nend\n"},
		{"more than fits", `{"file_path":"broad.txt"}`, "[Lines 1-31 of 100. To continue, call read_file with start_line 32. The content follows.]\n" + strings.Repeat(strings.Repeat("x", 1999)+"\n", 31)},
		{"an image's name on a text", `{"file_path":"pointer.png"}`, "version https://git-lfs.github.com/spec/v1\n"},
		{"a text that begins like an image", `{"file_path":"bmw.txt"}`, "BM is how a bitmap begins\n"},
		{"binary", `{"file_path":"odd.bin"}`, "read_content_failure: cannot read odd.bin: it is a binary file"},
		{"too large", `{"file_path":"huge.txt"}`, "file_too_large: cannot read huge.txt: it is too large: the limit is 10 MiB; use run_shell_command to extract or change a part"},
		{"lines of an image", `{"file_path":"image.png","start_line":1}`, "invalid_tool_params: invalid params: image.png is image/png and has no lines; omit start_line and end_line"},
		{"a folder", `{"file_path":"sub"}`, "target_is_directory: cannot read sub: it is a folder; use list_directory"},
		{"nothing there", `{"file_path":"b.go"}`, "file_not_found: cannot read b.go: no such file or folder; use glob to find files by name"},
		{"a file taken for a folder", `{"file_path":"a.go/b"}`, "file_not_found: cannot read a.go/b: part of the path is a file, not a folder"},
		{"outside", `{"file_path":"../x"}`, "path_not_in_workspace: ../x is outside the workspace (DIR)"},
		{"outside, absolute", `{"file_path":"/etc/passwd"}`, "path_not_in_workspace: /etc/passwd is outside the workspace (DIR)"},
		{"no path", `{"file_path":" "}`, "invalid_tool_params: invalid params: file_path is empty"},
		{"a path of two lines", `{"file_path":"a.go\nb.go"}`, `invalid_tool_params: invalid params: file_path: contains a control character: a.go\nb.go`},
		{"a name too long", `{"file_path":"` + strings.Repeat("n", 256) + `"}`, "invalid_tool_params: cannot find " + strings.Repeat("n", 256) + ": the path is invalid: names are limited to 255 bytes, paths to 4096"},
		{"a misspelt argument", `{"file_path":"a.go","offset":2}`, "invalid_tool_params: invalid params: unknown parameter offset; the parameters are file_path, start_line, end_line, no_ignore"},
		{"a secret is for the gate to ask about", `{"file_path":".env"}`, "KEY=1\n"},
	}
	w := newWorld(t, files)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if d := cmp.Diff(w.text(w.call(ReadFile, c.args)), c.want); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestReadFileMedia(t *testing.T) {
	w := newWorld(t, map[string]string{
		"image.png": "\x89PNG\r\n\x1a\n\x00\x00",
		"noname":    "\x89PNG\r\n\x1a\n\x00\x00",
		"paper.pdf": "%PDF-1.4 all of it is text",
		"tone.wav":  "RIFF\x00\x00\x00\x00WAVEfmt ",
		"tune.mp3":  "\xff\xfb\x90\x00\x00",
	})
	for name, mime := range map[string]string{
		"image.png": "image/png",
		"noname":    "image/png",
		"paper.pdf": "application/pdf",
		"tone.wav":  "audio/wav",
		"tune.mp3":  "audio/mpeg",
	} {
		r := w.call(ReadFile, `{"file_path":"`+name+`"}`)
		data, err := os.ReadFile(w.path(name))
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(r.Blobs, []Blob{{mime, data}}); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		if want := fmt.Sprintf("%s (%s, %d bytes) is attached.", name, mime, len(data)); r.Output != want {
			t.Errorf("%s: got %q, want %q", name, r.Output, want)
		}
	}
}

func TestReadFileInTheEditor(t *testing.T) {
	w := newWorld(t, map[string]string{"a.go": "saved\n"})
	w.open("a.go", "typed\n")
	w.open("new/b.go", "not saved yet\n")
	w.w.Open("untitled:Untitled-1", "", 1, "a note\n")
	w.link("link.go", "a.go")
	for args, want := range map[string]string{
		`{"file_path":"a.go"}`:                "typed\n",
		`{"file_path":"link.go"}`:             "typed\n",
		`{"file_path":"new/b.go"}`:            "not saved yet\n",
		`{"file_path":"untitled:Untitled-1"}`: "a note\n",
	} {
		if got := w.text(w.call(ReadFile, args)); got != want {
			t.Errorf("%s: got %q, want %q", args, got, want)
		}
	}
}

func TestReadFileAction(t *testing.T) {
	w := newWorld(t, map[string]string{".env": "KEY=1\n"})
	w.link("notes.txt", ".env")
	a, err := w.prepare(ReadFile, `{"file_path":"notes.txt","start_line":1}`)
	if err != nil {
		t.Fatal(err)
	}
	a.Run = nil
	want := Action{
		Title:     "Read notes.txt, from line 1",
		Locations: []Location{{w.path(".env"), 1}},
		Effect:    Reads{Paths: []string{w.path(".env")}, Given: []string{w.path("notes.txt")}},
	}
	if d := cmp.Diff(a, want); d != "" {
		t.Error(d)
	}
}

func TestReadFileLinks(t *testing.T) {
	w := newWorld(t, map[string]string{"a.go": "text\n"})
	w.link("loop", "loop")
	w.link("away", "/etc/passwd")
	w.link("gone", "nothing")
	for args, want := range map[string]string{
		`{"file_path":"loop"}`: "read_content_failure: cannot find loop: its symbolic links form a loop",
		`{"file_path":"away"}`: "path_not_in_workspace: away is outside the workspace (DIR)",
		`{"file_path":"gone"}`: "file_not_found: cannot read gone: no such file or folder; use glob to find files by name",
	} {
		if got := w.text(w.call(ReadFile, args)); got != want {
			t.Errorf("%s: got %q, want %q", args, got, want)
		}
	}
}

func TestReadFileUnreadable(t *testing.T) {
	if runtime.GOOS == "windows" || os.Geteuid() == 0 {
		return // permissions have no effect
	}
	w := newWorld(t, map[string]string{"a.go": "text\n"})
	if err := os.Chmod(w.path("a.go"), 0); err != nil {
		t.Fatal(err)
	}
	want := "permission_denied: cannot read a.go: permission denied"
	if got := w.text(w.call(ReadFile, `{"file_path":"a.go"}`)); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestReadFileCancelled(t *testing.T) {
	w := newWorld(t, map[string]string{"a.go": "text\n"})
	a, err := w.prepare(ReadFile, `{"file_path":"a.go"}`)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if r := a.Run(ctx, func(Progress) {}); r.Err == nil {
		t.Errorf("got %q, want an error", r.Output)
	}
}

func TestReadFileIgnored(t *testing.T) {
	w := newWorld(t, map[string]string{
		".git/config":   "secret",
		".gitignore":    "/build/\n",
		".emendoignore": "private.txt\n",
		"build/out":     "",
		"private.txt":   "",
		"a.go":          "text\n",
	})
	w.link("link", "private.txt")
	w.link("build/a.go", "../a.go")
	w.open("private.txt", "typed")
	const gits, users, own = "the ignore rules (.gitignore) exclude it; read_file with no_ignore reads it", "the ignore rules (.geminiignore or .emendoignore) exclude it, which only the user can change", "it is in git's own folder; use git in run_shell_command to see what git knows"
	for _, c := range []struct{ name, why string }{{"build/out", gits}, {"private.txt", users}, {"link", users}, {"build/a.go", gits}, {".git/config", own}} {
		want := "permission_denied: cannot read " + c.name + ": " + c.why
		if got := w.text(w.call(ReadFile, `{"file_path":"`+c.name+`"}`)); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		got := w.text(w.call(ReadFile, `{"file_path":"`+c.name+`","no_ignore":true}`))
		if read := !strings.HasPrefix(got, "permission_denied: "); read != (c.why == gits) {
			t.Errorf("%s with no_ignore: %q", c.name, got)
		}
	}
}

// What a search can find can be read: a file that git tracks although a rule matches it,
// a dependency, and any other that git ignores when the call says so.
func TestWhatASearchFindsCanBeRead(t *testing.T) {
	w := newWorld(t, map[string]string{
		".gitignore": "node_modules\n*.log\n/gen/\n", "kept.log": "needle\n", "gen/kept.go": "needle\n", "gen/new.go": "needle\n",
		"node_modules/a/index.js": "needle\n",
	})
	w.editing()
	for _, args := range [][]string{{"init", "-q"}, {"add", "--force", "kept.log", "gen/kept.go"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = w.dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
	for _, c := range []struct {
		tool       Tool
		args, want string
	}{
		{ReadFile, `{"file_path":"kept.log"}`, "needle\n"},
		{ReadFile, `{"file_path":"gen/kept.go"}`, "needle\n"},
		{ReadFile, `{"file_path":"gen/new.go"}`, "permission_denied: ..."},
		{ReadFile, `{"file_path":"node_modules/a/index.js"}`, "needle\n"},
		{ReadManyFiles, `{"include":["**/*.log","gen"]}`, "--- kept.log ---\n\nneedle\n\n--- gen/kept.go ---\n\nneedle\n\n..."},
		{ListDirectory, `{"dir_path":"gen"}`, "In the folder DIR/gen:\nkept.go (7 bytes)\n(1 ignored)\n"},
		{Glob, `{"pattern":"**/kept*"}`, "Found 2 files that match **/kept* in DIR, ..."},
		{GrepSearch, `{"pattern":"needle","names_only":true}`, "Found 2 files with a line that matches needle in DIR:\ngen/kept.go\nkept.log\n"},
		{GrepSearch, `{"pattern":"needle","dir_path":"gen/kept.go"}`, "Found 1 match..."},
	} {
		if got := w.text(w.call(c.tool, c.args)); !matches(got, c.want) {
			t.Errorf("%s %s: got %q, want %q", c.tool.Spec().Name, c.args, got, c.want)
		}
	}
	if a, err := w.prepare(Replace, `{"file_path":"kept.log","old_string":"needle","new_string":"pin"}`); err != nil || len(a.Effect.(Edits).Hidden) > 0 {
		t.Errorf("the edit of a tracked file is blind: %v", err)
	}
}

// An error in the ignore rules is not blamed on the file.
func TestUnreadableIgnoreRules(t *testing.T) {
	for _, c := range []struct {
		name string
		make func(w *world)
		want string
	}{
		{"they lead outside", func(w *world) { w.link(".geminiignore", "../shared") }, "cannot read the ignore rules in DIR/.geminiignore: "},
		{"there is no end to them", func(w *world) { w.write(".gitignore", strings.Repeat("x\n", ignore.Limit)) }, "cannot read the ignore rules in DIR/.gitignore: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, map[string]string{".git/": "", "a.go": "text\n"})
			c.make(w)
			for _, call := range []struct {
				tool Tool
				args string
			}{{ReadFile, `{"file_path":"a.go"}`}, {ListDirectory, `{"dir_path":"."}`}, {Glob, `{"pattern":"*"}`}, {GrepSearch, `{"pattern":"x"}`}} {
				got := w.text(w.call(call.tool, call.args))
				if !strings.Contains(got, c.want) || !strings.Contains(got, "fix or remove that file") {
					t.Errorf("%s says %s", call.tool.Spec().Name, got)
				}
			}
		})
	}
}

// A file whose name is stored in one normal form of Unicode is found by the other.
func TestNamesAreFoundInEitherNormalForm(t *testing.T) {
	const composed, decomposed = "caf\u00e9.txt", "cafe\u0301.txt"
	for _, c := range [][2]string{{composed, decomposed}, {decomposed, composed}} {
		w := newWorld(t, map[string]string{c[0]: "text\n"})
		w.editing()
		if got := w.text(w.call(ReadFile, `{"file_path":"`+c[1]+`"}`)); got != "text\n" {
			t.Errorf("%q is read as %q", c[1], got)
		}
		if a, err := w.prepare(WriteFile, `{"file_path":"`+c[1]+`","content":"new\n"}`); err != nil || a.Effect.(Edits).Files[0].Path != w.path(c[0]) {
			t.Errorf("%q is not the file that is edited: %v", c[1], err)
		}
	}
}
