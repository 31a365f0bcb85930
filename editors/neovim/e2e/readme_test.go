//go:build editors

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The commands and the configuration in the README are also in the page, word for word.
func TestTheReadmeAgreesWithThePage(t *testing.T) {
	read := func(name string) string {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(repository, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	readme, page := read("README.md"), read("docs/neovim.md")
	_, section, _ := strings.Cut(readme, "[Neovim](docs/neovim.md)")
	section, _, found := strings.Cut(section, "[Helix]")
	commands, config := shellBlock.FindStringSubmatch(section), configBlock.FindStringSubmatch(section)
	if !found || commands == nil || config == nil {
		t.Fatalf("the README does not say how to set it up:\n%s", section)
	}
	for line := range strings.Lines(commands[1] + config[1]) {
		if !strings.Contains(page, line) {
			t.Errorf("docs/neovim.md does not have %s", line)
		}
	}
}
