package langserver_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/emendo-dev/emendo/internal/langserver"
)

// A program is only found outside the folders, by its real path, except that a link to
// rustup keeps its name.
func TestFind(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	work := filepath.Join(base, "work")
	for _, name := range []string{"bin/gopls", "lib/cli.mjs", "lib/rustup", "work/bin/clangd", "bin/inner"} {
		path := filepath.Join(base, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for from, to := range map[string]string{"bin/script": "lib/cli.mjs", "bin/rust-analyzer": "lib/rustup", "bin/linked": "work/bin/clangd"} {
		if err := os.Symlink(filepath.Join(base, to), filepath.Join(base, from)); err != nil {
			t.Fatal(err)
		}
	}
	environ := []string{"PATH=" + filepath.Join(base, "bin") + string(os.PathListSeparator) + filepath.Join(work, "bin")}
	for _, tt := range []struct{ name, found, inside string }{
		{name: "gopls", found: "bin/gopls"},
		{name: "script", found: "lib/cli.mjs"},
		{name: "rust-analyzer", found: "bin/rust-analyzer"},
		{name: "clangd", inside: "work/bin/clangd"},
		{name: "linked", inside: "bin/linked"},
		{name: filepath.Join(work, "bin/clangd"), inside: "work/bin/clangd"},
		{name: "zls"},
	} {
		p := langserver.Program{Name: tt.name}
		found, inside := p.Find(environ, []string{work}), p.Inside(environ, []string{work})
		full := func(name string) string {
			if name == "" {
				return ""
			}
			return filepath.Join(base, name)
		}
		if found != full(tt.found) || inside != full(tt.inside) {
			t.Errorf("%s: found %q, inside %q, want %q and %q", tt.name, found, inside, tt.found, tt.inside)
		}
	}
}
