package editors

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// A user who pastes the configuration of a page finds the editor set up.
func TestPages(t *testing.T) {
	for _, c := range []struct {
		program, page, language string
		block                   int // of the page's blocks in the language
		file                    string
		more                    string // another file that has to be there; may be empty
	}{
		{"hx", "helix.md", "toml", 0, ".config/helix/languages.toml", ""},
		{"emacs", "emacs.md", "elisp", 0, ".emacs.d/init.el", ""},
		{"emacs", "emacs.md", "elisp", 1, ".emacs.d/init.el", ""},
		{"emacs", "emacs.md", "elisp", 2, ".emacs.d/init.el", ""},
		{"kate", "kate.md", "json", 0, ".config/kate/lspclient/settings.json", ""},
		{"subl", "sublime.md", "json", 0, ".config/sublime-text/Packages/User/LSP.sublime-settings", ".config/sublime-text/Packages/LSP/boot.py"},
		{"vim", "vim.md", "json", 0, ".vim/coc-settings.json", ""},
		{"vim", "vim.md", "vim", 1, ".vimrc", ""},
		{"nvim", "neovim.md", "lua", 0, ".config/nvim/init.lua", ".local/share/nvim/site/pack/emendo/start/emendo/lua/emendo/init.lua"},
	} {
		t.Run(c.file+" of "+c.page, func(t *testing.T) {
			page, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "docs", c.page))
			if err != nil {
				t.Fatal(err)
			}
			blocks := regexp.MustCompile("(?s)\n```"+c.language+"\n(.*?)```\n").FindAllSubmatch(page, -1)
			if len(blocks) <= c.block {
				t.Fatalf("the page has %d blocks in %s", len(blocks), c.language)
			}
			home := t.TempDir()
			write(t, home, "bin/"+c.program, "")
			write(t, home, "bin/emendo", "")
			write(t, home, c.file, string(blocks[c.block][1]))
			if c.more != "" {
				write(t, home, c.more, "")
			}
			found := Find(t.Context(), Machine{
				OS: "linux", Home: home, Root: filepath.Join(home, "root"), Path: []string{filepath.Join(home, "bin")},
				Env:     func(string) string { return "" },
				Version: func(_ context.Context, program string) (string, error) { return printed[filepath.Base(program)], nil },
			})
			if len(found) != 1 || !found[0].SetUp || found[0].Problem != "" || found[0].Fix != "" {
				t.Errorf("found %+v", found)
			}
		})
	}
}
