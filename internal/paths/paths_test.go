package paths

import (
	"errors"
	"os"
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

func TestLinksToFolders(t *testing.T) {
	dir := t.TempDir()
	file, link, broken := filepath.Join(dir, "file"), filepath.Join(dir, "link"), filepath.Join(dir, "broken")
	if err := errors.Join(os.WriteFile(file, nil, 0o600), os.Symlink(dir, link), os.Symlink(filepath.Join(dir, "missing"), broken)); err != nil {
		t.Fatal(err)
	}
	type answers struct{ Exists, IsFile, IsFolder, IsRealFolder bool }
	for path, want := range map[string]answers{
		dir:                            {Exists: true, IsFolder: true, IsRealFolder: true},
		file:                           {Exists: true, IsFile: true},
		link:                           {Exists: true, IsFolder: true},
		broken:                         {Exists: true},
		filepath.Join(dir, "missing"):  {},
		filepath.Join(file, "missing"): {},
	} {
		if got := (answers{Exists(path), IsFile(path), IsFolder(path), IsRealFolder(path)}); got != want {
			t.Errorf("%s: got %+v, want %+v", path, got, want)
		}
	}
}

func TestAbsolute(t *testing.T) {
	folder := t.TempDir()
	for path, want := range map[string]string{
		"a/../b":                     filepath.Join(folder, "b"),
		"../x":                       filepath.Join(filepath.Dir(folder), "x"),
		"":                           folder,
		filepath.Join(folder, "c"):   filepath.Join(folder, "c"),
		filepath.Dir(folder) + "/./": filepath.Dir(folder),
	} {
		if got := Absolute(path, folder); got != want {
			t.Errorf("Absolute(%q, %q) = %q, want %q", path, folder, got, want)
		}
	}
}
