package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestChmod(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	outside := filepath.Join(t.TempDir(), "outside")
	for _, name := range []string{outside, filepath.Join(dir, "file")} {
		if err := os.WriteFile(name, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	tree, err := NewTree([]string{dir})
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	for _, c := range []struct {
		name, file string
		link       string // what takes the file's place after the path was resolved
		want       error
	}{
		{name: "a file", file: "file"},
		{name: "no file", file: "none", want: fs.ErrNotExist},
		{name: "a link that has taken its place", file: "gone", link: outside, want: ErrMoved},
		{name: "a folder", file: ".", want: ErrIsDir},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := tree.Resolve(c.file)
			if err != nil {
				t.Fatal(err)
			}
			if c.link != "" {
				if err := os.Symlink(c.link, p.Abs); err != nil {
					t.Fatal(err)
				}
			}
			if err := tree.Chmod(p, 0o755); !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
				t.Errorf("got error %v, want %v", err, c.want)
			}
			if fi, err := os.Stat(p.Abs); c.want == nil && (err != nil || fi.Mode() != 0o755) {
				t.Errorf("got %v, %v", fi.Mode(), err)
			}
		})
	}
	if fi, err := os.Stat(outside); err != nil || fi.Mode() != 0o644 {
		t.Errorf("outside: %v, %v", fi.Mode(), err)
	}
}
