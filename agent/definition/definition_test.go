package definition_test

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/agent/definition"
	"github.com/emendo-dev/emendo/ide/disk"
)

// folderOf returns a folder with these files; a text that begins with "-> " makes
// a link.
func folderOf(t *testing.T, files map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		at := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if target, link := strings.CutPrefix(text, "-> "); link {
			err = os.Symlink(target, at)
		} else {
			err = os.WriteFile(at, []byte(text), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func toml(name string) bool { return path.Ext(name) == ".toml" }
func all(string) bool       { return true }

// texts returns the files that are read, as "name: text" or "name: error".
func texts(fs []definition.File) []string {
	var l []string
	for _, f := range fs {
		what := f.Text
		if f.Err != nil {
			what = "error"
		}
		l = append(l, f.Name+": "+what)
	}
	return l
}

func TestRead(t *testing.T) {
	outside := folderOf(t, map[string]string{"x.toml": "outside"})
	dir := folderOf(t, map[string]string{
		"b.toml": "b", "a.toml": "\ufeffa", "a.md": "no", ".hidden.toml": "h", "sub/c.toml": "c", "skip/d.toml": "d",
		"link.toml": "-> b.toml", "away.toml": "-> " + filepath.Join(outside, "x.toml"), "binary.toml": "\x00", "loop": "-> .",
		"long.toml": strings.Repeat("x", 256<<10+1), "gone.toml": "-> nowhere.toml", "folder.toml/e.toml": "e",
	})
	enter := func(name string) bool { return path.Base(name) != "skip" && path.Base(name) != "loop" }
	tree, err := disk.NewTree([]string{dir})
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	for _, tt := range []struct {
		name   string
		folder definition.Folder
		away   string
	}{
		{"of the user", definition.Folder{Path: dir}, "outside"},
		{"of a project", definition.Folder{Path: dir, Tree: tree}, "error"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := texts(definition.Read(t.Context(), tt.folder, toml, enter))
			want := []string{
				".hidden.toml: h", "a.toml: a", "away.toml: " + tt.away, "b.toml: b", "binary.toml: error", "folder.toml/e.toml: e", "gone.toml: error", "link.toml: b", "long.toml: error", "sub/c.toml: c",
			}
			if diff := cmp.Diff(got, want); diff != "" {
				t.Errorf("got -, want +:\n%s", diff)
			}
		})
	}
}

// A folder that does not exist has no files, and a file is an error. Links that lead
// around in circles end.
func TestReadOfOddFolders(t *testing.T) {
	dir := folderOf(t, map[string]string{"file": "x", "loops/a.toml": "a", "loops/loop": "-> ."})
	if got := definition.Read(t.Context(), definition.Folder{Path: filepath.Join(dir, "none")}, toml, all); len(got) != 0 {
		t.Errorf("no folder: got %v", texts(got))
	}
	if got := definition.Read(t.Context(), definition.Folder{Path: filepath.Join(dir, "file")}, toml, all); len(got) != 1 || got[0].Err == nil {
		t.Errorf("a file: got %v", texts(got))
	}
	got := definition.Read(t.Context(), definition.Folder{Path: filepath.Join(dir, "loops")}, toml, all)
	if len(got) != 9 { // the folder, and eight levels of the link
		t.Errorf("got %d files: %v", len(got), texts(got))
	}
}

func TestReadIsBounded(t *testing.T) {
	files := map[string]string{}
	for i := range 600 {
		files[fmt.Sprintf("%d.toml", i)] = "x"
	}
	if got := definition.Read(t.Context(), definition.Folder{Path: folderOf(t, files)}, toml, all); len(got) != 500 {
		t.Errorf("got %d files", len(got))
	}
}
