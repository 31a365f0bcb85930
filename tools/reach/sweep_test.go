package reach

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestSweep(t *testing.T) {
	root := t.TempDir()
	put := func(name string) {
		p := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	link := func(to, name string) {
		if err := os.Symlink(to, filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{
		".git/config", "main.go", ".env", "a/b/c/.env", "a/.VSCode/settings.json", "a/x.code-workspace", "node_modules/p/.env", "testdata/.env", "a/fixtures/.env", "HEAD",
		"bare/HEAD", "bare/objects/x", "bare/refs/x", "bare/hooks/x", "tree/HEAD", "tree/commondir", "half/HEAD", "half/refs/x", "1/2/3/4/5/6/7/8/9/.env", "sub/.git",
	} {
		put(name)
	}
	for n := range 100 {
		put(fmt.Sprintf("cache/%02x/.env", n))
	}
	put("few/ab/.env")
	link("main.go", "a/.envrc")
	link("..", "a/up")
	s := &sweep{secret: func(p string) bool { return filepath.Base(p) == ".env" }}
	check := func(name string, protected, hidden, links []string) {
		t.Helper()
		f, err := s.search([]string{root})
		if err != nil {
			t.Fatal(err)
		}
		f.protected = append(f.protected, f.git...)
		for _, l := range []*[]string{&f.protected, &f.hidden, &f.links} {
			for i, p := range *l {
				(*l)[i], _ = filepath.Rel(root, p)
			}
			slices.Sort(*l)
		}
		if diff := cmp.Diff([][]string{protected, hidden, links}, [][]string{f.protected, f.hidden, f.links}); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
	}
	protected := []string{".git", "a/.VSCode", "a/x.code-workspace", "bare", "bare/HEAD", "sub/.git", "tree", "tree/HEAD"}
	check("at first", protected, []string{".env", "1/2/3/4/5/6/7/8/9/.env", "a/b/c/.env", "few/ab/.env"}, []string{"a/.envrc"})
	put("a/b/.env")
	check("a new file", protected, []string{".env", "1/2/3/4/5/6/7/8/9/.env", "a/b/.env", "a/b/c/.env", "few/ab/.env"}, []string{"a/.envrc"})
	for _, e := range s.folders { // not changed recently
		e.read = e.read.Add(time.Hour)
	}
	read := s.folders[filepath.Join(root, "few/ab")].read
	check("looked at again", protected, []string{".env", "1/2/3/4/5/6/7/8/9/.env", "a/b/.env", "a/b/c/.env", "few/ab/.env"}, []string{"a/.envrc"})
	if !s.folders[filepath.Join(root, "few/ab")].read.Equal(read) {
		t.Error("a folder that has not changed was read again")
	}
	if err := os.Remove(filepath.Join(root, "a/b/c/.env")); err != nil { // this changes its folder
		t.Fatal(err)
	}
	check("a file less", protected, []string{".env", "1/2/3/4/5/6/7/8/9/.env", "a/b/.env", "few/ab/.env"}, []string{"a/.envrc"})
	if err := os.RemoveAll(filepath.Join(root, "few")); err != nil {
		t.Fatal(err)
	}
	check("a folder less", protected, []string{".env", "1/2/3/4/5/6/7/8/9/.env", "a/b/.env"}, []string{"a/.envrc"})
}

// A secret stays hidden when its folder is moved, and is forgotten when it is
// removed.
func TestMovedSecretStaysHidden(t *testing.T) {
	for _, name := range []string{".env", ".npmrc"} { // the latter is protected too
		t.Run(name, func(t *testing.T) { testASecretThatIsMoved(t, name) })
	}
}

func testASecretThatIsMoved(t *testing.T, name string) {
	p := newProject(t, "conf/"+name, "main.go", "testdata/"+name, "node_modules/p/"+name, "a/b/c/d/e/f/g/h/i/x")
	s := &sweep{secret: func(p string) bool { return filepath.Base(p) == name }}
	at := "conf"
	for _, to := range []string{"conf", "testdata/conf", "node_modules/conf", "a/b/c/d/e/f/g/h/i/conf", "testdata/conf", "other"} {
		if to != at {
			p.move(at, to)
		}
		at = to
		for range 2 { // it is remembered
			f, err := s.search([]string{p.folder})
			if diff := cmp.Diff([]string{p.at(at + "/" + name)}, f.hidden); diff != "" || err != nil {
				t.Errorf("%s: %v (-want +got)\n%s", at, err, diff)
			}
		}
	}
	p.remove(at)
	if f, err := s.search([]string{p.folder}); f.hidden != nil || err != nil {
		t.Errorf("what is gone is hidden: %v, %v", f.hidden, err)
	}
}
