package house

import (
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// follow makes [TestRecipesAreFollowed] make each change of testdata/recipes in a copy of the
// tree and run its tests, which takes minutes.
var follow = flag.Bool("recipes", false, "make the changes of testdata/recipes and run their tests")

// A recipe is a section of CONTRIBUTING.md: the files that a common change touches.
type recipe struct {
	name  string
	files []string // in backquotes, with a slash or an end
}

// A change is an example of a recipe: a patch in testdata/recipes with a head of lines
// "KEY: VALUE".
type change struct {
	name   string
	recipe string
	most   int      // Go product files that it may touch
	code   string   // the file that uses the new thing, which a recipe cannot name
	tests  []string // the arguments of go test that show that it works
	patch  string
	files  []string // that it touches
}

const contributing = "CONTRIBUTING.md"

var (
	recipeName = regexp.MustCompile(`(?m)^\*\*(.+)\*\*$`)
	quotedPath = regexp.MustCompile("`([A-Za-z0-9_*./-]+(?:/[A-Za-z0-9_*.-]*|\\.(?:go|md|json|jsonl|ts|lua)))`")
	patchPath  = regexp.MustCompile(`(?m)^\+\+\+ b/(\S+)`)
)

// recipes returns the recipes of the page.
func (t tree) recipes() (all []recipe) {
	_, text, _ := strings.Cut(string(t.files[contributing]), "\n## Recipes\n")
	at := recipeName.FindAllStringSubmatchIndex(text, -1)
	for i, m := range at {
		end := len(text)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		r := recipe{name: text[m[2]:m[3]]}
		for _, q := range quotedPath.FindAllStringSubmatch(text[m[1]:end], -1) {
			r.files = append(r.files, strings.TrimSuffix(q[1], "/"))
		}
		all = append(all, r)
	}
	return all
}

// lacks reports whether a path of a recipe is neither a file nor a folder of the tree, nor
// below a folder of a file that the recipe names before. NAME and * stand for any name. The
// tree does not have what is in testdata.
func (t tree) lacks(name string, before []string) bool {
	if strings.HasPrefix(name, ".") || strings.Contains(name, "...") || strings.Contains(name, "testdata") {
		return false
	}
	pattern := strings.ReplaceAll(name, "NAME", "*")
	folders := []string{""}
	for _, b := range before {
		for ; b != "." && b != "/"; b = path.Dir(b) {
			folders = append(folders, b+"/")
		}
	}
	for _, folder := range folders {
		for _, all := range []map[string]bool{t.unread, t.names()} {
			for p := range all {
				for ; p != "."; p = path.Dir(p) {
					if ok, _ := path.Match(folder+pattern, p); ok {
						return false
					}
				}
			}
		}
	}
	return true
}

// names returns the paths of the sources and pages.
func (t tree) names() map[string]bool {
	all := map[string]bool{}
	for p := range t.files {
		all[p] = true
	}
	return all
}

// recipesNameFiles holds CONTRIBUTING.md to the files that its recipes name.
func recipesNameFiles(t tree) (problems []string) {
	for _, r := range t.recipes() {
		for i, name := range r.files {
			if t.lacks(name, r.files[:i]) {
				problems = append(problems, fmt.Sprintf("%s: the recipe %q names %s, which is not there", contributing, r.name, name))
			}
		}
	}
	return problems
}

// readChanges reads the examples in a folder.
func readChanges(fsys fs.FS) (all []change, err error) {
	names, err := fs.Glob(fsys, "*.patch")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			return nil, err
		}
		c := change{name: name, patch: string(text)}
		head, _, _ := strings.Cut(c.patch, "\ndiff --git ")
		for line := range strings.Lines(head) {
			key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
			switch key {
			case "Recipe":
				c.recipe = value
			case "Go product files":
				c.most, err = strconv.Atoi(value)
			case "Code":
				c.code = value
			case "Test":
				c.tests = append(c.tests, value)
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
		}
		for _, m := range patchPath.FindAllStringSubmatch(c.patch, -1) {
			c.files = append(c.files, m[1])
		}
		all = append(all, c)
	}
	return all, nil
}

// changesAreSmall checks that each example touches as few Go files of the product as its
// head promises, and only those that its recipe names.
func (t tree) changesAreSmall(changes []change) (problems []string) {
	recipes := map[string]recipe{}
	for _, r := range t.recipes() {
		recipes[r.name] = r
	}
	for _, c := range changes {
		r, ok := recipes[c.recipe]
		if !ok {
			problems = append(problems, fmt.Sprintf("%s: there is no recipe %q in %s, but %q", c.name, c.recipe, contributing, slices.Sorted(maps.Keys(recipes))))
			continue
		}
		var product []string
		for _, f := range c.files {
			if !slices.Contains([]string{".go", ".ts", ".tsx", ".lua", ".py"}, path.Ext(f)) || strings.HasSuffix(f, ".test.ts") || strings.HasSuffix(f, "_test.go") || t.generated[f] || slices.ContainsFunc(strings.Split(path.Dir(f), "/"), isDouble) {
				continue
			}
			product = append(product, f)
			if f != c.code && !r.names(f) {
				problems = append(problems, fmt.Sprintf("%s: changes %s, which the recipe %q does not name", c.name, f, c.recipe))
			}
		}
		if len(product) > c.most {
			problems = append(problems, fmt.Sprintf("%s: changes %d Go files of the product, more than %d: %s", c.name, len(product), c.most, strings.Join(product, ", ")))
		}
	}
	return problems
}

// names reports whether one of the recipe's paths is the file, or stands for it. A name
// without a folder is in that of a path before it.
func (r recipe) names(file string) bool {
	folders := []string{"."}
	for _, name := range r.files {
		for _, folder := range folders {
			pattern := strings.ReplaceAll(path.Join(folder, name), "NAME", "*")
			if whole, _ := path.Match(pattern, file); whole || strings.HasPrefix(file, pattern+"/") {
				return true
			}
		}
		if strings.Contains(name, "/") {
			folders = []string{".", path.Dir(name)}
		}
	}
	return false
}

// promised are the changes that stay small, with the most Go files of the product that each
// may touch. A provider touches its own package beside them.
var promised = map[string]int{"A session event": 5, "A state of a hunk": 5, "A tool": 4, "A setting": 4, "A provider": 2, "An item of a conversation": 5, "A question of emendo's own": 5}

func TestRecipesHold(t *testing.T) {
	const folder = "testdata/recipes"
	changes, err := readChanges(os.DirFS(folder))
	if err != nil {
		t.Fatal(err)
	}
	house := plant(t, os.DirFS("../.."))
	for _, problem := range house.changesAreSmall(changes) {
		t.Error(problem)
	}
	have := map[string]int{}
	for _, c := range changes {
		have[c.recipe] = c.most
		if len(c.tests) == 0 {
			t.Errorf("%s: no line \"Test: …\" in its head", c.name)
		}
		if out, err := apply(t, "../..", filepath.Join(folder, c.name), "--check"); err != nil {
			t.Errorf("%s no longer applies: bring it up to date (%v)\n%s", c.name, err, out)
		}
	}
	for name, most := range promised {
		if n, ok := have[name]; !ok || n > most {
			t.Errorf("%s has no example of %q with at most %d Go files of the product", folder, name, most)
		}
	}
}

// apply applies a patch to a folder.
func apply(t *testing.T, dir, patch string, options ...string) ([]byte, error) {
	t.Helper()
	full, err := filepath.Abs(patch)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("git", slices.Concat([]string{"apply", "-C1", "--whitespace=nowarn"}, options, []string{full})...)
	cmd.Dir = dir
	return cmd.CombinedOutput()
}

func TestRecipesAreFollowed(t *testing.T) {
	if !*follow {
		t.Log("only with -recipes, as in make nightly")
		return
	}
	changes, err := readChanges(os.DirFS("testdata/recipes"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range changes {
		t.Run(c.recipe, func(t *testing.T) {
			dir := t.TempDir()
			copyTree(t, "../..", dir)
			if out, err := apply(t, dir, filepath.Join("testdata/recipes", c.name)); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			for _, args := range append([]string{"build ./..."}, c.tests...) {
				if !strings.HasPrefix(args, "build ") {
					args = "test " + args
				}
				cmd := exec.Command("go", strings.Fields(args)...)
				cmd.Dir = dir
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Errorf("go %s: %v\n%s", args, err, out)
				}
			}
		})
	}
}

// copyTree copies the files that git knows.
func copyTree(t *testing.T, from, to string) {
	t.Helper()
	cmd := exec.Command("git", "ls-files", "-z")
	cmd.Dir = from
	list, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for name := range strings.SplitSeq(strings.TrimRight(string(list), "\x00"), "\x00") {
		source := filepath.Join(from, name)
		info, err := os.Lstat(source)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		text, err := os.ReadFile(source)
		if err != nil {
			t.Fatal(err)
		}
		target := filepath.Join(to, name)
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(target, text, info.Mode()); err != nil {
			t.Fatal(err)
		}
	}
}
