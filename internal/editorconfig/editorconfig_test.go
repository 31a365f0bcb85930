package editorconfig

import (
	"os"
	"path/filepath"
	"testing"
)

func TestOf(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		".editorconfig":     "root = true\n[*]\nend_of_line = LF\ncharset=utf-8\n\n; old files\n[*.{bat,cmd}]\nend_of_line = crlf\n[/old/**]\ncharset = latin1\n",
		"sub/.editorconfig": "[*.txt]\ncharset = shift_jis\nend_of_line = unset\n",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]Properties{
		"a.go":         {"utf-8", "lf"},
		"x/run.bat":    {"utf-8", "crlf"},
		"old/x/a.c":    {"latin1", "lf"},
		"sub/a.txt":    {"shift_jis", ""},
		"sub/b.cmd":    {"utf-8", "crlf"},
		"sub/old/a.go": {"utf-8", "lf"},
	} {
		if got := Of(filepath.Join(dir, filepath.FromSlash(name))); got != want {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
}
