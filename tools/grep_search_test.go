package tools

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestGrepSearch(t *testing.T) {
	w := newWorld(t, map[string]string{
		".git/config":         "needle\n",
		".gitignore":          "*.gen\n/out/\n",
		".emendoignore":       "private/\n",
		"a.go":                "package a\nfunc Needle() {}\n// end\n",
		"b.go":                "package b\n",
		"sub/c.go":            "a Needle here\nand a NEEDLE there\n",
		".github/ci.yml":      "dotted: hay\n",
		"build/out.log":       "built: hay\n",
		"x.gen":               "generated: hay\n",
		"out/o.txt":           "put out: hay\n",
		"private/p.txt":       "hidden: hay\n",
		"node_modules/m/i.js": "depended: hay\n",
		".env":                "KEY=topsecret\n",
		"conf/server.pem":     "topsecret\n",
		"crlf.txt":            "first one\r\nlast one\r\n",
		"latin":               "na\xefve caf\xe9\n",
		"utf16":               "\xff\xfew\x00i\x00d\x00e\x00\n\x00",
		"bin":                 "bintext\x00\x01",
		"wide.txt":            "head\n" + strings.Repeat("x", 3000) + " far away " + strings.Repeat("y", 3000) + "\n",
		"many.txt":            strings.Repeat("many words\nother\n", 300),
		"open.go":             "on disk\n",
		"two\nlines":          "odd name\n",
		"special.c":           "int main(void) { return a[0]; }\n",
		"huge.txt":            "huge\n" + strings.Repeat("0123456789abcde\n", 10<<16),
	})
	w.open("open.go", "typed text\n")
	w.open("fresh/n.go", "brand new text\n")
	w.link("link.txt", "a.go")

	cases := []struct {
		name string
		args string
		want string
	}{
		{
			"the lines around one match", `{"pattern":"func needle"}`,
			"Found 1 match for func needle in 1 file in DIR:\n---\nFile: a.go\nL1- package a\nL2: func Needle() {}\nL3- // end\n---\n(not searched, may hold secrets: .env, conf/server.pem)\n(not searched, larger than 10 MiB: huge.txt)\n",
		},
		{
			"case counts", `{"pattern":"NEEDLE","case_sensitive":true,"include_pattern":"*.go"}`,
			"Found 1 match for NEEDLE in 1 file in DIR:\n---\nFile: sub/c.go\nL1- a Needle here\nL2: and a NEEDLE there\n---\n",
		},
		{
			"several files in order", `{"pattern":"needle","include_pattern":"*.go","context":0}`,
			"Found 3 matches for needle in 2 files in DIR:\n---\nFile: a.go\nL2: func Needle() {}\n---\nFile: sub/c.go\nL1: a Needle here\nL2: and a NEEDLE there\n---\n",
		},
		{"lines that do not count", `{"pattern":"needle","include_pattern":"*.go","exclude_pattern":"func|there","context":0}`, "Found 1 match for needle in 1 file in DIR:\n---\nFile: sub/c.go\nL1: a Needle here\n---\n"},
		{"names alone", `{"pattern":"needle","include_pattern":"*.go","names_only":true}`, "Found 2 files with a line that matches needle in DIR:\na.go\nsub/c.go\n"},
		{"one of each file", `{"pattern":"needle","include_pattern":"*.go","max_matches_per_file":1,"context":0}`, "Found 2 matches for needle in 2 files in DIR:\n---\nFile: a.go\nL2: func Needle() {}\n---\nFile: sub/c.go\nL1: a Needle here\n---\n"},
		{"so many in all", `{"pattern":"needle","include_pattern":"*.go","total_max_matches":2,"context":0}`, "Found 2 matches for needle in 2 files in DIR (the limit; there may be more):\n---\nFile: a.go\nL2: func Needle() {}\n---\nFile: sub/c.go\nL1: a Needle here\n---\n"},
		{"context after", `{"pattern":"package a","after":1,"include_pattern":"*.go"}`, "Found 1 match for package a in 1 file in DIR:\n---\nFile: a.go\nL1: package a\nL2- func Needle() {}\n---\n"},
		{"context before", `{"pattern":"// end","before":1,"include_pattern":"*.go"}`, "Found 1 match for // end in 1 file in DIR:\n---\nFile: a.go\nL2- func Needle() {}\nL3: // end\n---\n"},
		{"hidden files and build are searched", `{"pattern":": hay","include_pattern":"!huge*","context":0}`, "Found 2 matches for : hay in 2 files in DIR:\n---\nFile: .github/ci.yml\nL1: dotted: hay\n---\nFile: build/out.log\nL1: built: hay\n---\n(not searched, may hold secrets: .env, conf/server.pem)\n"},
		{"ignored too", `{"pattern":": hay","include_pattern":"!huge*","names_only":true,"no_ignore":true}`, "Found 5 files with a line that matches : hay in DIR:\n.github/ci.yml\nbuild/out.log\nnode_modules/m/i.js\nout/o.txt\nx.gen\n(not searched, may hold secrets: .env, conf/server.pem)\n"},
		{"secrets are not printed", `{"pattern":"topsecret","include_pattern":"!huge*"}`, "No line matches topsecret in DIR.\n(not searched, may hold secrets: .env, conf/server.pem)\n"},
		{"secrets are not printed by name", `{"pattern":"topsecret","dir_path":".env"}`, "permission_denied: cannot search .env: it may hold secrets; read_file can read it if the user agrees"},
		{"an end before CRLF", `{"pattern":"one$","include_pattern":"crlf.txt","context":0}`, "Found 2 matches for one$ in 1 file in DIR:\n---\nFile: crlf.txt\nL1: first one\nL2: last one\n---\n"},
		{"Latin-1", `{"pattern":"CAFÉ","include_pattern":"latin"}`, "Found 1 match for CAFÉ in 1 file in DIR:\n---\nFile: latin\nL1: naïve café\n---\n"},
		{"UTF-16", `{"pattern":"wide","include_pattern":"utf16"}`, "Found 1 match for wide in 1 file in DIR:\n---\nFile: utf16\nL1: wide\n---\n"},
		{"binary", `{"pattern":"bintext","include_pattern":"bin"}`, "No line matches bintext in DIR.\n(not searched: 1 binary file)\n"},
		{"far to the right", `{"pattern":"far away","include_pattern":"wide.txt","context":0}`, "Found 1 match for far away in 1 file in DIR:\n---\nFile: wide.txt\nL2: [truncated] ..." + strings.Repeat("x", 99) + " far away " + strings.Repeat("y", 391) + "... [truncated]\n---\n"},
		{"what is typed and not saved", `{"pattern":"typed text"}`, "Found 1 match for typed text in 1 file in DIR:\n---\nFile: open.go\nL1: typed text\n---\n(not searched, may hold secrets: .env, conf/server.pem)\n(not searched, larger than 10 MiB: huge.txt)\n"},
		{"what the disk has under it", `{"pattern":"on disk","include_pattern":"*.go"}`, "No line matches on disk in DIR.\n"},
		{"a file that only the editor has", `{"pattern":"brand new","include_pattern":"*.go"}`, "Found 1 match for brand new in 1 file in DIR:\n---\nFile: fresh/n.go\nL1: brand new text\n---\n"},
		{"in a folder that only the editor has", `{"pattern":"brand new","dir_path":"fresh"}`, "Found 1 match for brand new in 1 file in DIR/fresh:\n---\nFile: fresh/n.go\nL1: brand new text\n---\n"},
		{"one file", `{"pattern":"typed","dir_path":"open.go"}`, "Found 1 match for typed in 1 file in open.go:\n---\nFile: open.go\nL1: typed text\n---\n"},
		{"one file that is ignored", `{"pattern":"x","dir_path":"x.gen"}`, "permission_denied: cannot search x.gen: it is ignored; set no_ignore to search what .gitignore excludes"},
		{"one file that is ignored, all the same", `{"pattern":"generated","dir_path":"x.gen","no_ignore":true}`, "Found 1 match for generated in 1 file in x.gen:\n---\nFile: x.gen\nL1: generated: hay\n---\n"},
		{"an ignored folder", `{"pattern":"x","dir_path":"out"}`, "No line matches x in DIR/out.\n(out is ignored; set no_ignore to search what .gitignore excludes)\n"},
		{"what the user hides stays hidden", `{"pattern":"hidden","dir_path":"private","no_ignore":true}`, "No line matches hidden in DIR/private.\n(private is ignored by .geminiignore or .emendoignore, which only the user can change)\n"},
		{"plain text", `{"pattern":"a[0];","fixed_strings":true,"include_pattern":"*.c"}`, "Found 1 match for a[0]; in 1 file in DIR:\n---\nFile: special.c\nL1: int main(void) { return a[0]; }\n---\n"},
		{"a name of two lines", `{"pattern":"odd name","include_pattern":"two*"}`, "Found 1 match for odd name in 1 file in DIR:\n---\nFile: two\\nlines\nL1: odd name\n---\n"},
		{"paths from the session's folder", `{"pattern":"a needle","dir_path":"sub","include_pattern":"sub/*.go","context":0}`, "Found 2 matches for a needle in 1 file in DIR/sub:\n---\nFile: sub/c.go\nL1: a Needle here\nL2: and a NEEDLE there\n---\n"},
		{"an include that takes nothing", `{"pattern":"x","include_pattern":"*.rs"}`, "No line matches x in DIR.\n(include_pattern matches no file here)\n"},
		{"an include that begins here", `{"pattern":"a needle","include_pattern":"./sub/","names_only":true}`, "Found 1 file with a line that matches a needle in DIR:\nsub/c.go\n"},
		{"a bad pattern", `{"pattern":"func foo("}`, "invalid_tool_params: invalid params: pattern: invalid regular expression: missing closing ): func foo(; to search for plain text, set fixed_strings"},
		{"a bad exclude", `{"pattern":"x","exclude_pattern":"["}`, "invalid_tool_params: invalid params: exclude_pattern: invalid regular expression: missing closing ]: [; to search for plain text, set fixed_strings"},
		{"a bad include", `{"pattern":"x","include_pattern":"["}`, "invalid_tool_params: invalid params: include_pattern: invalid glob [: unclosed [ or {, or a trailing backslash"},
		{"no pattern", `{"pattern":""}`, "invalid_tool_params: invalid params: pattern is empty"},
		{"no matches wanted", `{"pattern":"x","total_max_matches":0}`, "invalid_tool_params: invalid params: total_max_matches: expected at least 1, got 0"},
		{"less than no context", `{"pattern":"x","context":-1}`, "invalid_tool_params: invalid params: context: expected at least 0, got -1"},
		{"outside", `{"pattern":"x","dir_path":".."}`, "path_not_in_workspace: .. is outside the workspace (DIR)"},
		{"nothing there", `{"pattern":"x","dir_path":"nope"}`, "file_not_found: cannot find nope: no such file or folder; use glob to find files by name"},
		{"binary, by name", `{"pattern":"bintext","dir_path":"bin"}`, "No line matches bintext in bin.\n(not searched: 1 binary file)\n"},
		{"too large, by name", `{"pattern":"x","dir_path":"huge.txt"}`, "file_too_large: cannot read huge.txt: it is too large: the limit is 10 MiB; use run_shell_command to extract or change a part"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if d := cmp.Diff(w.text(w.call(GrepSearch, c.args)), c.want); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestGrepContextOfFewMatches(t *testing.T) {
	w := newWorld(t, map[string]string{
		"one.txt":   numbered(1, 200) + "single\n" + numbered(202, 400),
		"two.txt":   numbered(1, 99) + "double\n" + numbered(101, 200) + "double\n" + numbered(202, 300),
		"close.txt": "pair\n" + numbered(2, 5) + "pair\n",
	})
	context := func(from, to int) string {
		var s strings.Builder
		for i := from; i <= to; i++ {
			fmt.Fprintf(&s, "L%d- line %d\n", i, i)
		}
		return s.String()
	}
	for pattern, want := range map[string]string{
		"single": "Found 1 match for single in 1 file in DIR:\n---\nFile: one.txt\n" + context(151, 200) + "L201: single\n" + context(202, 251) + "---\n",
		"double": "Found 2 matches for double in 1 file in DIR:\n---\nFile: two.txt\n" + context(85, 99) + "L100: double\n" + context(101, 115) + "--\n" + context(186, 200) + "L201: double\n" + context(202, 216) + "---\n",
		"pair":   "Found 2 matches for pair in 1 file in DIR:\n---\nFile: close.txt\nL1: pair\n" + context(2, 5) + "L6: pair\n---\n",
	} {
		if d := cmp.Diff(w.text(w.call(GrepSearch, `{"pattern":"`+pattern+`"}`)), want); d != "" {
			t.Error(d)
		}
	}
}

// The limit applies to the same matches whichever goroutine is first.
func TestGrepKeepsItsOrder(t *testing.T) {
	files := map[string]string{}
	for i := range 400 {
		files[fmt.Sprintf("d%02d/f%02d.txt", i/20, i%20)] = fmt.Sprintf("hay\nneedle %d\nneedle again\n", i)
	}
	w := newWorld(t, files)
	first := w.text(w.call(GrepSearch, `{"pattern":"needle","total_max_matches":99}`))
	if !strings.HasPrefix(first, "Found 99 matches for needle in 50 files in DIR (the limit; there may be more):\n---\nFile: d00/f00.txt\nL2: needle 0\nL3: needle again\n---\n") ||
		!strings.HasSuffix(first, "File: d02/f09.txt\nL2: needle 49\n---\n") {
		t.Errorf("got %s", first)
	}
	for range 20 {
		if d := cmp.Diff(w.text(w.call(GrepSearch, `{"pattern":"needle","total_max_matches":99}`)), first); d != "" {
			t.Fatal(d)
		}
	}
}

func TestGrepIsBounded(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": strings.Repeat(strings.Repeat("x", 1000)+"\n", 200)})
	r := w.call(GrepSearch, `{"pattern":"x"}`)
	if len(r.Output) > outputLimit || !strings.Contains(r.Output, "\n(Output truncated:") {
		t.Errorf("%d bytes that end in %q", len(r.Output), r.Output[len(r.Output)-200:])
	}
	if r.Summary != "100 matches in 1 file" {
		t.Errorf("summary %q", r.Summary)
	}
}

func TestGrepTimeout(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "needle\n"})
	want := "No line matches needle in DIR.\n(the search timed out after 1ns; narrow dir_path or include_pattern)\n"
	if got := w.text(w.call(Declare(GrepSearch.spec, pages, GrepSearch.Params, grepSearch{timeout: 1}.prepare), `{"pattern":"needle"}`)); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestGrepCancelled(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "needle\n"})
	a, err := w.prepare(GrepSearch, `{"pattern":"needle"}`)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := a.Run(ctx, func(Progress) {})
	if got, want := w.text(r), "grep_execution_error: the search was cancelled: context canceled"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestGrepReportsUnreadableFiles(t *testing.T) {
	if runtime.GOOS == "windows" || os.Geteuid() == 0 {
		return // permissions have no effect
	}
	w := newWorld(t, map[string]string{"a.txt": "needle\n", "shut/b.txt": "needle\n", "ok.txt": "needle\n"})
	for _, name := range []string{"a.txt", "shut"} {
		if err := os.Chmod(w.path(name), 0); err != nil {
			t.Fatal(err)
		}
		defer os.Chmod(w.path(name), 0o755)
	}
	want := "Found 1 match for needle in 1 file in DIR:\n---\nFile: ok.txt\nL1: needle\n---\n(cannot search a.txt: permission denied)\n(not searched completely: shut: permission denied)\n"
	if got := w.text(w.call(GrepSearch, `{"pattern":"needle"}`)); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestGrepAction(t *testing.T) {
	w := newWorld(t, map[string]string{"a.go": "x\n"})
	a, err := w.prepare(GrepSearch, `{"pattern":"x","dir_path":"a.go"}`)
	if err != nil {
		t.Fatal(err)
	}
	a.Run = nil
	want := Action{Title: "Search x within a.go", Locations: []Location{{Path: w.path("a.go")}}, Effect: Reads{Paths: []string{w.path("a.go")}}}
	if d := cmp.Diff(a, want); d != "" {
		t.Error(d)
	}
}

func TestBadPatterns(t *testing.T) {
	for pattern, want := range map[string]string{
		`func foo(`: "invalid params: pattern: invalid regular expression: missing closing ): func foo(; to search for plain text, set fixed_strings",
		`a)b`:       "invalid params: pattern: invalid regular expression: unexpected ): a)b; to search for plain text, set fixed_strings",
		`ab[z-a]`:   "invalid params: pattern: invalid regular expression: invalid character class range at character 4: z-a; to search for plain text, set fixed_strings",
		`é(?=x)`:    "invalid params: pattern: invalid regular expression: invalid or unsupported Perl syntax at character 2: (?=; RE2 has no look-around",
		`(a)\1`:     "invalid params: pattern: invalid regular expression: invalid escape sequence at character 4: \\1; RE2 has no back-references",
		`a\nb`:      "invalid params: pattern: contains a line end, but matches are within one line; search for one of the lines",
	} {
		_, err := newGrep(Env{}, grepArgs{Pattern: pattern})
		if err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", pattern, err, want)
		}
	}
}
