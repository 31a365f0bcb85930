package ignore

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/ide/disk"
)

// git runs git without the configuration of the user who runs the test.
func git(t testing.TB, dir, stdin string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "LC_ALL=C",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_OPTIONAL_LOCKS=0",
	}
	cmd.Stdin = strings.NewReader(stdin)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil && errs.Len() > 0 { // check-ignore also fails when nothing is ignored
		t.Fatalf("git %v: %v: %s", args, err, &errs)
	}
	return string(out)
}

// The cases are the same on every run: folders with a few files of rules each,
// made of pieces that trip matchers, and the same entries below all of them.
const (
	sets = 400
	seed = 20260117
)

var pieces = []string{
	"*", "**", "***", "?", "/", "/", "a", "b", "foo", "bar", "baz", ".", "-", "_", " ", "\\", "\\ ", "\\*", "\\?", "\\[", "\\!", "\\#", "!", "#",
	"[ab]", "[a-c]", "[!a]", "[^a]", "[]-]", "[]a]", "[!]a]", "[a-]", "[-a]", "[\\]]", "[a\\-c]", "[z-a]", "[[:alpha:]]", "[[:digit:][:space:]]",
	"[[:upper:]]", "[[:nope:]]", "[[:alpha:", "[", "]", "[a", "[[]", "[/]", "[.]", "[[:punct:]]", "[[::]]", "[[:]", "{a,b}", "*.o", "*.txt", "é", "\xff", "\t", "foo/", "/**/", "**/", "/**", "/*",
}

var wholes = []string{
	"*", "/*", "**", "/**", "**/", "*/", "!*/", "!foo", "foo/*", "foo/**", "**/foo", "foo/**/bar", "a/**/b", "bar/**", "/foo/", "!foo/bar", "*.o", "!keep.o", "a/b", "/a", "b/",
	"foo ", "foo\\ ", "foo\\  ", "foo \\", "foo  ", "\\#x", "\\!x", "#x", "", " ", "foo\t", "!", "/", "//", "a//b", "./a", "../a", "a/.", "foo**bar", "**foo", "foo**", "a**/b", "f*/b*", "*/*/*",
	"foo\\", "[", "[]", "[]]", "[!]]", "\\\\", "**/**/**", "*a*b*", "?", "??", "f?o", "f??", ".*", "*.*", "*.", "foo/bar/", "/foo/bar", "foo\\/bar", "fo\\o", "[f]oo", "[f-f]oo/", "!!foo", "!/foo", "!#x", "!\\!x",
}

var folders = []string{"a", "a/b", "a/b/foo", "b", "foo", "foo/bar", "foo/bar/baz", "foo/a/b", "bar", "bar/foo", ".hid", "foo bar", "a-b", "x"}

var files = []string{
	"a.o", "keep.o", "c", "-", "]", "[", "\\", "foo ", "foo  ", " ", "#x", "!x", "é", "foo.txt", "A", "7", "*", "?", "fooXbar", "foo\t", "_", "ab", "aab", "foo\\", "x\xff",
	"a/c", "a/foo", "a/a.o", "a/b/c", "a/b/foo/bar", "a/b/foo/keep.o", "b/foo", "b/a", "foo/c", "foo/foo", "foo/x.txt", "foo/bar/c", "foo/bar/b", "foo/bar/baz/a", "foo/bar/baz/keep.o", "foo/a/b/c",
	"foo/b", "bar/b", "bar/foo/bar", "bar/foo/a.o", ".hid/foo", ".hid/a.o", "foo bar/a", "a-b/b", "x/a/b", "x/foo", "foo/a b", "foo/-", "a/]", "a/b/!x", "a/b/#x",
}

func lineOf(r *rand.Rand) string {
	if r.IntN(3) == 0 {
		return wholes[r.IntN(len(wholes))]
	}
	var s strings.Builder
	if r.IntN(5) == 0 {
		s.WriteByte('!')
	}
	for range 1 + r.IntN(5) {
		s.WriteString(pieces[r.IntN(len(pieces))])
	}
	if r.IntN(8) == 0 {
		s.WriteString([]string{" ", "  ", "\\ ", "/", "/ "}[r.IntN(5)])
	}
	return s.String()
}

func rulesOf(r *rand.Rand) string {
	var s strings.Builder
	if r.IntN(10) == 0 {
		s.WriteString("\ufeff")
	}
	end := "\n"
	if r.IntN(5) == 0 {
		end = "\r\n"
	}
	n := 1 + r.IntN(4)
	for i := range n {
		s.WriteString(lineOf(r))
		if i < n-1 || r.IntN(3) > 0 {
			s.WriteString(end)
		}
	}
	return s.String()
}

func put(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func newTree(t testing.TB, dir string) *disk.Tree {
	t.Helper()
	tree, err := disk.NewTree([]string{dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tree.Close() })
	return tree
}

// newRepository makes a git repository and returns its path, links resolved.
func newRepository(t testing.TB) string {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	git(t, top, "", "init", "-q", "--template=", ".")
	return top
}

func TestIgnoredEqualsGit(t *testing.T) {
	if testing.Short() {
		t.Skip("compares thousands of files with git")
	}
	top := newRepository(t)
	r := rand.New(rand.NewPCG(seed, 0))
	put(t, filepath.Join(top, ".git/info/exclude"), "excluded-*\n/s001*/a/c\n")
	put(t, filepath.Join(top, ".gitignore"), "!excluded-b\n*.topmost\n**/s0002/foo/bar/**\ns0003\n")
	type entry struct {
		path string
		dir  bool
	}
	var entries []entry
	rules := map[string]string{} // of each folder, for the report
	for i := range sets {
		set := fmt.Sprintf("s%04d", i)
		entries = append(entries, entry{set, true})
		for _, name := range folders {
			if err := os.MkdirAll(filepath.Join(top, set, name), 0o755); err != nil {
				t.Fatal(err)
			}
			entries = append(entries, entry{set + "/" + name, true})
		}
		for _, name := range append(files, "excluded-a", "foo/excluded-b", "foo/y.topmost") {
			entries = append(entries, entry{set + "/" + name, false})
		}
		with := []string{"."}
		for range r.IntN(3) {
			with = append(with, folders[r.IntN(len(folders))])
		}
		for _, name := range with {
			text := rulesOf(r)
			put(t, filepath.Join(top, set, name, ".gitignore"), text)
			rules[set] += fmt.Sprintf("%s: %q\n", name, text)
		}
	}
	var ask strings.Builder
	for _, e := range entries {
		ask.WriteString(e.path + "\x00")
	}
	want := map[string]bool{}
	for path := range strings.SplitSeq(git(t, top, ask.String(), "check-ignore", "--no-index", "--stdin", "-z"), "\x00") {
		want[path] = true
	}
	tree := newTree(t, top)
	top1, err := Load(t.Context(), tree, disk.Path{Abs: top, Root: top, Rel: "."}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	// The rules of each folder, and whether it is ignored itself.
	type state struct {
		rules   *Rules
		ignored bool
	}
	known := map[string]state{".": {top1, false}}
	var in func(dir string) state
	in = func(dir string) state {
		s, ok := known[dir]
		if !ok {
			above, name := in(filepath.Dir(dir)), filepath.Base(dir)
			text, _ := os.ReadFile(filepath.Join(top, dir, ".gitignore"))
			s = state{above.rules.Enter(name, string(text)), above.ignored || above.rules.Ignored(name, true)}
			known[dir] = s
		}
		return s
	}
	wrong, ignored := 0, 0
	for _, e := range entries {
		s := in(filepath.Dir(e.path))
		got := s.ignored || s.rules.Ignored(filepath.Base(e.path), e.dir)
		if got {
			ignored++
		}
		if got != want[e.path] {
			if wrong++; wrong <= 20 {
				set, _, _ := strings.Cut(e.path, "/")
				t.Errorf("%q (folder %v): got %v, git says %v, of\n%s", e.path, e.dir, got, want[e.path], rules[set])
			}
		}
	}
	t.Logf("%d of %d entries differ; %d are ignored", wrong, len(entries), ignored)
	if len(entries) < 20000 || ignored < len(entries)/20 || ignored > len(entries)*19/20 {
		t.Error("the cases say too little")
	}
}
