package paths

import (
	"path/filepath"
	"testing"
)

func TestCutFolder(t *testing.T) {
	for _, c := range []struct{ name, path, folder, rel string }{
		{"the folder itself", "/a/b", "/a/b", "."},
		{"a file in it", "/a/b/c", "/a/b", "c"},
		{"further down", "/a/b/c/d", "/a", "b/c/d"},
		{"the root contains everything", "/a", "/", "a"},
		{"the root itself", "/", "/", "."},
		{"a trailing separator", "/a/b", "/a/", "b"},
		{"dots that stay in it", "/a/x/../b", "/a", "b"},
		{"a name that begins with dots", "/a/..b", "/a", "..b"},
		{"its parent", "/a", "/a/b", ""},
		{"dots that lead out of it", "/a/../b", "/a", ""},
		{"a folder whose name begins the same", "/ab/c", "/a", ""},
		{"a relative path", "b", "/a", ""},
		{"no folder", "/a", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			path, folder := filepath.FromSlash(c.path), filepath.FromSlash(c.folder)
			rel, ok := CutFolder(path, folder)
			if filepath.ToSlash(rel) != c.rel || ok != (c.rel != "") {
				t.Errorf("CutFolder(%q, %q) = %q, %t, want %q", path, folder, rel, ok, c.rel)
			}
			if Within(path, folder) != ok || WithinAny(path, []string{filepath.FromSlash("/elsewhere"), folder}) != ok {
				t.Errorf("Within and WithinAny do not agree with CutFolder(%q, %q), which is %t", path, folder, ok)
			}
		})
	}
	if WithinAny("/a", nil) {
		t.Error("a path is within one of no folders")
	}
}
