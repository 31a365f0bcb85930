package walk

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/ide/ignore"
)

// newTree makes a folder of the files; a value that begins with "->" makes a
// link, and a name that ends in a slash a folder.
func newTree(t *testing.T, files map[string]string) (tree *disk.Tree, top string) {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		path := filepath.Join(top, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if target, ok := strings.CutPrefix(text, "->"); ok {
			err = os.Symlink(target, path)
		} else if strings.HasSuffix(name, "/") {
			err = os.MkdirAll(path, 0o755)
		} else {
			err = os.WriteFile(path, []byte(text), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if tree, err = disk.NewTree([]string{top}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tree.Close() })
	return tree, top
}

// collect walks and returns what it finds, with links and folders marked as by ls.
func collect(t *testing.T, tree *disk.Tree, name string, o Options) []string {
	t.Helper()
	p, err := tree.Resolve(name)
	if err != nil {
		t.Fatal(err)
	}
	found := []string{}
	for f, err := range Files(t.Context(), tree, p, o) {
		if err != nil {
			found = append(found, "error: "+err.Error())
			continue
		}
		mark := map[fs.FileMode]string{fs.ModeDir: "/", fs.ModeSymlink: "@"}[f.Type]
		found = append(found, f.Rel+mark)
	}
	return found
}

func rules(t *testing.T, tree *disk.Tree, name string) *ignore.Rules {
	t.Helper()
	p, err := tree.Resolve(name)
	if err != nil {
		t.Fatal(err)
	}
	r, err := ignore.Load(t.Context(), tree, p, ignore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestFilesRespectOptions(t *testing.T) {
	tree, _ := newTree(t, map[string]string{
		".git/config": "", ".gitignore": "*.log\n/out/\n", ".github/ci.yml": "", ".env": "",
		"main.go": "", "a.log": "", "out/x": "", "sub/out/x": "", "sub/.gitignore": "!keep.log\n*.tmp\n", "sub/keep.log": "", "sub/a.log": "", "sub/a.tmp": "",
		"sub/deep/b.tmp": "", "sub/deep/c.go": "", "node_modules/m/index.js": "", "empty/": "", "sub-2/x": "", "sub.go": "",
		"link": "->main.go", "loop": "->loop", "sub/up": "->..", "out-of-here": "->/", "gone": "->nowhere",
	})
	links := "gone@ link@ loop@ "
	for _, c := range []struct {
		name string
		dir  string
		o    Options
		want string
	}{
		{"everything but .git", ".", Options{}, ".env .github/ci.yml .gitignore a.log " + links + "main.go node_modules/m/index.js out/x out-of-here@ sub/.gitignore sub/a.log sub/a.tmp sub/deep/b.tmp sub/deep/c.go sub/keep.log sub/out/x sub/up@ sub-2/x sub.go"},
		{"what git's rules leave", ".", Options{Rules: rules(t, tree, "."), Exclude: DefaultExclude}, ".env .github/ci.yml .gitignore " + links + "main.go out-of-here@ sub/.gitignore sub/deep/c.go sub/keep.log sub/out/x sub/up@ sub-2/x sub.go"},
		{"nothing hidden", ".", Options{Rules: rules(t, tree, "."), Exclude: DefaultExclude, SkipHidden: true}, links + "main.go out-of-here@ sub/deep/c.go sub/keep.log sub/out/x sub/up@ sub-2/x sub.go"},
		{"folders too", "sub", Options{Rules: rules(t, tree, "sub"), Folders: true}, ".gitignore deep/ deep/c.go keep.log out/ out/x up@"},
		{"a folder inside", "sub/deep", Options{Rules: rules(t, tree, "sub/deep")}, "c.go"},
		{"an empty folder", "empty", Options{Folders: true}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := strings.Fields(c.want)
			// WalkDir's order: by the name in each folder.
			for _, c.o.Workers = range []int{0, 1, 2, 16} {
				got := collect(t, tree, c.dir, c.o)
				if !sameOrder(got, want) {
					t.Errorf("%d workers:\ngot  %v\nwant %v", c.o.Workers, got, want)
				}
			}
		})
	}
}

// sameOrder compares two lists, the second of which was put down in the order
// of whole paths, after bringing it into that of names.
func sameOrder(got, want []string) bool {
	slices.SortFunc(want, func(a, b string) int {
		return slices.Compare(strings.Split(a, "/"), strings.Split(b, "/"))
	})
	return slices.Equal(got, want)
}

// A made-up tree with rules at many levels is listed as git lists it.
func TestFilesEqualGitLsFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("compares thousands of files with git")
	}
	r := rand.New(rand.NewPCG(7, 7))
	names := []string{"a", "b", "c.o", "d.log", "build", "x y", ".h", "é"}
	lines := []string{"*.o", "*.log", "build/", "/a", "!c.o", "b/**/c.o", "**/x y", ".h", "!a/b", "[ab]/d.log"}
	files := map[string]string{}
	for range 4000 {
		var path []string
		for range 1 + r.IntN(6) {
			path = append(path, names[r.IntN(len(names))]+fmt.Sprint(r.IntN(2))[:r.IntN(2)])
		}
		name := strings.Join(path, "/") + "/file." + names[r.IntN(len(names))]
		files[name] = ""
		if r.IntN(40) == 0 {
			files[strings.Join(path, "/")+"/.gitignore"] = lines[r.IntN(len(lines))] + "\n" + lines[r.IntN(len(lines))] + "\n"
		}
	}
	files[".gitignore"] = "*.log\n!build\n"
	tree, top := newTree(t, files)
	run := func(args ...string) string {
		cmd := exec.Command("git", args...)
		cmd.Dir = top
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + top, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull}
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("git %v: %v", args, err)
		}
		return string(out)
	}
	run("init", "-q", "--template=", ".")
	want := strings.Split(strings.TrimSuffix(run("ls-files", "-co", "-z", "--exclude-standard"), "\x00"), "\x00")
	got := collect(t, tree, ".", Options{Rules: rules(t, tree, ".")})
	if !sameOrder(got, want) {
		t.Errorf("got %d files, git lists %d", len(got), len(want))
	}
	if len(want) < 500 || len(want) > len(files)*9/10 {
		t.Errorf("%d of %d files say too little", len(want), len(files))
	}
}

func TestUnlistableFolderIsAGap(t *testing.T) {
	tree, top := newTree(t, map[string]string{
		".git/HEAD": "", "a/1": "", "b/2": "", "b/3": "", "c/4": "", "d/.gitignore": strings.Repeat("x\n", ignore.Limit), "d/5": "",
	})
	p, err := tree.Resolve(".")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for f, err := range Files(t.Context(), tree, p, Options{Rules: rules(t, tree, "."), Workers: 1}) {
		var gap *Gap
		switch {
		case errors.As(err, &gap):
			got = append(got, "gap "+gap.Rel)
		case err != nil:
			t.Fatal(err)
		default:
			got = append(got, f.Rel)
		}
		if f.Rel != "a/1" {
			continue
		}
		// While the walk is at the first file, one folder goes and another
		// becomes a link to the outside.
		if err := errors.Join(os.RemoveAll(filepath.Join(top, "b")), os.RemoveAll(filepath.Join(top, "c")), os.Symlink("/", filepath.Join(top, "c"))); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"a/1", "gap b", "gap c", "gap d", "d/.gitignore", "d/5"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	if got := collect(t, tree, "nowhere", Options{}); len(got) != 1 || !strings.HasPrefix(got[0], "error: .: incomplete listing: list ") {
		t.Errorf("a folder that does not exist: %v", got)
	}
	if got := collect(t, tree, "a/1", Options{}); len(got) != 1 || !strings.HasPrefix(got[0], "error: ") {
		t.Errorf("a file: %v", got)
	}
}

func TestWalkStopsEarly(t *testing.T) {
	files := map[string]string{}
	for i := range 2000 {
		files[fmt.Sprintf("%02d/%02d/%02d", i%20, i/20%20, i)] = ""
	}
	tree, _ := newTree(t, files)
	p, err := tree.Resolve(".")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, err := range Files(t.Context(), tree, p, Options{}) {
		if err != nil {
			t.Fatal(err)
		}
		if n++; n == 10 {
			break
		}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	stop := errors.New("stop")
	var last error
	n = 0
	for _, err := range Files(ctx, tree, p, Options{}) {
		last = err
		if n++; n == 10 {
			cancel(stop)
		}
	}
	if !errors.Is(last, stop) || n > 2000 {
		t.Errorf("after %d entries: %v", n, last)
	}
}
