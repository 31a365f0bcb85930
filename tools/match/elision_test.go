package match

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestOrdinaryTextHasNoElisions has texts that people write, with dots and words that
// placeholders have too.
func TestOrdinaryTextHasNoElisions(t *testing.T) {
	for name, text := range map[string]string{
		"protocol.py": "class Shop(Protocol):\n    def price(self, name: str) -> int:\n        ...\n\n    @overload\n    def stock(self) -> int: ...\n",
		"docstring.py": "def f():\n    \"\"\"Adds.\n\n    >>> for x in y:\n    ...     print(x)\n    ...\n    ... rest of the code\n    \"\"\"\n    x = Field(...,\n        gt=0)\n" +
			"    try:\n        g()\n    except KeyError:\n        # It was there before.\n        ...\n    return x[..., 0]\n",
		"stub.pyi":          "class Shop:\n    ...\n\nx: int\n...\n",
		"sections.py":       "class A:\n    # Existing methods\n\n    def f(self):\n        pass\n\n    # the remaining functions\n    def g(self):\n        pass\n",
		"end.yaml":          "a: 1\n...\n---\nb: 2\n",
		"Button.tsx":        "export const Button = ({ kind, ...rest }) => (\n  <button\n    {...rest}\n    {...existing}\n  />\n);\nconst all = [\n  ...existing,\n  ...rest\n];\nfunction f(\n  a,\n  ...rest\n) {}\n",
		"tree.md":           "# Layout\n\n```\nsrc/\n  main.ts\n  ...\n// ... existing code ...\n```\n\n...\n\n- ...\n\n## Other stream methods...\n\n...output omitted...\n",
		"notes.txt":         "...\nand so on\n... etc.\n",
		"LICENSE":           "...\n",
		"model.R":           "f <- function(x,\n              ...) {\n  g(\n    ...\n  )\n}\n",
		"Shop.pm":           "sub price { ... }\nsub stock {\n    ...\n}\n\n=head1 USE\n\n    # ... existing code ...\n    ...\n\n=cut\n\n1;\n",
		"print.c":           "int print(const char *format,\n          ...);\nint log(\n    const char *format, /* as above */\n    ...\n);\n/* Calls it:\n   f();\n   ...\n   // ... existing code ...\n */\n",
		"body.go":           "// The rest of the body.\nvar x = 1\n\n// Package a has\n//\n//\tf()\n//\t...\n//\n// and other things ...\nfunc f(args ...int) { g(args...) } // see https://example.com/...\n\nvar s = `\n// ... existing code ...\n...\n`\n",
		"example_test.go":   "func Example() {\n\tr := f()\n\t// ...\n\n\tg(r)\n}\n",
		"vararg.lua":        "local args = { ... }\nlocal a = select(1,\n  ...\n)\n",
		"sentences.go":      "// wait for the rest of the line\n// keep the existing order of hooks\n// Omitted fields keep their values.\n// Other lengths...\nvar rest = s[1:]\nvar unchanged = true\nlog(\"rest of code ...\")\nlog(\"loading...\")\n// ......\n",
		"existing_users.py": "# existing users are kept; see the code\nx = 1  # ... as documented\nprint('...')\n",
		"forward.rb":        "def f(...)\n  g(\n    ...\n  )\nend\n",
		"page.html":         "<pre>\nfn f() { ... }\n...\n</pre>\n",
	} {
		if got := Elisions(name, text, ""); len(got) > 0 {
			t.Errorf("%s: seen as left out: %q", name, got)
		}
	}
}

func TestElisions(t *testing.T) {
	for _, tt := range []struct{ name, text, old, want string }{
		{"a.go", "a\n\t// ... existing code ...\nb\n// ... existing code ...\n...\n", "", "// ... existing code ...|..."},
		{"a.go", "  // ...   existing code ...\n", "// ... existing code ...\n", ""},
		{"a.go", "x := 1\n// ...\n", "x := 2\n", "// ..."},
		{"a.go", "// Package a is\n// ...\npackage a\n", "x", ""},
		{"a.py", "def f():\n    x = 1\n    ...\n    return x\n", "", "..."},
		{"a.ts", "f() {\n  ...rest of the code\n}\n", "", "...rest of the code"},
		{"a.ts", "// existing code\nf();\n", "", ""},
		{"a.ts", "f() {\n  // rest of the function\n}\n", "", "// rest of the function"},
		{`dir\a.JSON`, "{\n  \"a\": 1,\n  \"b\": 2\n  ...\n}\n", "", "..."},
		{"a.md", "one\n\n... rest of the document unchanged ...\n", "", "... rest of the document unchanged ..."},
		{"Makefile", "all:\n\t# ... existing rules ...\n", "", "# ... existing rules ..."},
	} {
		if got := strings.Join(Elisions(tt.name, tt.text, tt.old), "|"); got != tt.want {
			t.Errorf("%s %q: got %q, want %q", tt.name, tt.text, got, tt.want)
		}
	}
}

// TestFilesOfPeopleHaveNoElisions measures how often the rule doubts files that people
// wrote, as if they were new: Go's standard library, and Python's where it is
// installed.
func TestFilesOfPeopleHaveNoElisions(t *testing.T) {
	if testing.Short() {
		t.Skip("reads all files of Go and of Python")
	}
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	files, doubted := doubtedBelow(t, filepath.Join(strings.TrimSpace(string(out)), "src"), "")
	t.Logf("Go: %d of %d files", len(doubted), files)
	if len(doubted) > 0 || files < 5000 {
		t.Errorf("doubted of %d files of Go: %q", files, doubted)
	}
	// sysconfig names the folder; without Python there is nothing to measure.
	if out, err = exec.Command("python3", "-c", "import sysconfig; print(sysconfig.get_paths()['stdlib'])").Output(); err != nil {
		return
	}
	files, doubted = doubtedBelow(t, strings.TrimSpace(string(out)), ".py")
	t.Logf("Python: %d of %d files", len(doubted), files)
	if 10000*len(doubted) > 5*files {
		t.Errorf("doubted of %d files of Python: %q", files, doubted)
	}
}

// doubtedBelow returns how many text files with that extension are below a folder, and
// in which of them the rule sees what.
func doubtedBelow(t *testing.T, dir, ext string) (files int, doubted []string) {
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() || !strings.HasSuffix(path, ext) {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil || !utf8.Valid(text) {
			return err
		}
		files++
		name, err := filepath.Rel(dir, path)
		if found := Elisions(name, string(text), ""); len(found) > 0 {
			doubted = append(doubted, name+": "+found[0])
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files, doubted
}
