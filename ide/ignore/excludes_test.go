package ignore

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestUserExcludes(t *testing.T) {
	for _, c := range []struct {
		name  string
		files map[string]string // HOME in a text is the user's folder
		want  string
	}{
		{name: "nothing configured"},
		{name: "where git looks by itself", files: map[string]string{".config/git/ignore": "a\n"}, want: "a\n"},
		{name: "named", files: map[string]string{".gitconfig": "[user]\n\tname = x\n[Core]\n\texcludesfile = ~/mine\n", ".config/git/ignore": "a\n", "mine": "b\n"}, want: "b\n"},
		{name: "quoted, with a comment", files: map[string]string{".gitconfig": "[core] excludesFile = \"HOME/my # rules\" ; all of them\n", "my # rules": "b\n"}, want: "b\n"},
		{name: "the file in home is the stronger", files: map[string]string{".config/git/config": "[core]\nexcludesFile=~/a\n", ".gitconfig": "[core]\nexcludesFile=~/b\n", "a": "a\n", "b": "b\n"}, want: "b\n"},
		{name: "of another section", files: map[string]string{".gitconfig": "[core \"x\"]\nexcludesFile=~/a\n[other]\nexcludesFile=~/a\n", "a": "a\n"}},
		{name: "switched off", files: map[string]string{".gitconfig": "[core]\nexcludesFile =\n", ".config/git/ignore": "a\n"}},
		{name: "missing", files: map[string]string{".gitconfig": "[core]\nexcludesFile = ~/gone\n"}},
		{name: "a folder", files: map[string]string{".gitconfig": "[core]\nexcludesFile = ~/d\n", "d/x": ""}},
		{name: "relative", files: map[string]string{".gitconfig": "[core]\nexcludesFile = a\n", "a": "a\n"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			home := t.TempDir()
			for name, text := range c.files {
				put(t, filepath.Join(home, name), strings.ReplaceAll(text, "HOME", home))
			}
			got, err := UserExcludes(home, "")
			if err != nil || got != c.want {
				t.Errorf("got %q, %v; want %q", got, err, c.want)
			}
		})
	}
	home := t.TempDir()
	put(t, filepath.Join(home, "elsewhere/git/ignore"), "e\n")
	if got, err := UserExcludes(home, filepath.Join(home, "elsewhere")); err != nil || got != "e\n" {
		t.Errorf("in another folder of configuration: %q, %v", got, err)
	}
	put(t, filepath.Join(home, ".config/git/ignore"), strings.Repeat("x\n", Limit))
	if _, err := UserExcludes(home, ""); err == nil {
		t.Error("rules too large to read are not an error")
	}
}
