package view_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/view"
)

// Authors of clients read docs/view.md: it lists every text with its code.
func TestThePageListsEveryText(t *testing.T) {
	page, err := os.ReadFile("../../docs/view.md")
	if err != nil {
		t.Fatal(err)
	}
	var listed []string
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z_.]+)` \\| (.*) \\|$").FindAllStringSubmatch(string(page), -1) {
		if want := strings.ReplaceAll(view.Phrase(m[1]), "|", "\\|"); m[2] != want {
			t.Errorf("docs/view.md says %q for %s, want %q", m[2], m[1], want)
		}
		listed = append(listed, m[1])
	}
	if codes := view.Codes(); !slices.Equal(listed, codes) {
		t.Errorf("docs/view.md lists\n%q\nwant\n%q", listed, codes)
	}
}
