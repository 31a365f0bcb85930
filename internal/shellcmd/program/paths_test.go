package program_test

import (
	"os/user"
	"path/filepath"
	"slices"
	"testing"

	"github.com/emendo-dev/emendo/internal/shellcmd"
	"github.com/emendo-dev/emendo/internal/shellcmd/shellcmdtest"
)

// Words that begin with a home directory are not literal, but are recorded.
func TestHomes(t *testing.T) {
	t.Setenv("HOME", "/home/me")
	root := "/root"
	if u, err := user.Lookup("root"); err == nil {
		root = u.HomeDir
	}
	for _, c := range []struct{ word, want string }{
		{"~", "/home/me"},
		{"~/x", "/home/me/x"},
		{`~/"a b"/'c'`, "/home/me/a b/c"},
		{"~/../x", "/home/x"},
		{"~root/x", root + "/x"},
		{"$HOME", "/home/me"},
		{"${HOME}/x", "/home/me/x"},
		{`"$HOME/a b"`, "/home/me/a b"},
		{`"${HOME}"/x`, "/home/me/x"},
		{"~nobody-is-called-so/x", ""},
		{"~+/x", ""},
		{`~""/x`, ""},
		{"'~/x'", ""},
		{"a~/x", ""},
		{"$HOMER/x", ""},
		{"${HOME:-/x}/x", ""},
		{"${#HOME}", ""},
		{"${!HOME}", ""},
		{"${HOME}x", ""},
		{"~/$X", ""},
		{"~/*", ""},
	} {
		r := shellcmd.Analyze("a "+c.word+" >"+c.word, "/w", []string{"/w"})
		var want []string
		if c.want != "" {
			want = []string{c.want}
		}
		if p := r.Parts[0]; !slices.Equal(p.Home, want) || c.want != "" && (!slices.Equal(p.Writes, want) || p.Known) {
			t.Errorf("%s is %q as a word and %q as a file that is written, want %q", c.word, p.Home, p.Writes, want)
		}
	}
}

// A written file is named by its directory, links followed, and its own name.
func TestWrittenFiles(t *testing.T) {
	w := shellcmdtest.Workspace(t)
	up := filepath.Dir(w)
	for name, want := range map[string]string{
		"x":                 w + "/x",
		"./sub/../x":        w + "/x",
		"in/x":              w + "/in/x",
		"out/../x":          up + "/x",
		"deep/../x":         w + "/sub/x",
		w + "/out/../x":     up + "/x",
		"out/..":            up + "/elsewhere/..",
		"none/../x":         w + "/x",
		"sub/../in/.vscode": w + "/sub/.vscode",
	} {
		r := shellcmd.Analyze("a > "+name, w, []string{w})
		if got := r.Parts[0].Writes; len(got) != 1 || got[0] != filepath.Clean(want) {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}
