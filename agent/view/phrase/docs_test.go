package phrase_test

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/view/phrase"
)

var update = flag.Bool("update", false, "write docs/view.md")

// Authors of clients read docs/view.md: it lists every text with its code. With -update the
// list is written.
func TestThePageListsEveryText(t *testing.T) {
	page, err := os.ReadFile("../../../docs/view.md")
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		page = withCodes(string(page))
		if err := os.WriteFile("../../../docs/view.md", page, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var listed []string
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z_.]+)` \\| (.*) \\|$").FindAllStringSubmatch(string(page), -1) {
		if want := strings.ReplaceAll(phrase.English(m[1]), "|", "\\|"); m[2] != want {
			t.Errorf("docs/view.md says %q for %s, want %q", m[2], m[1], want)
		}
		listed = append(listed, m[1])
	}
	if codes := phrase.Codes(); !slices.Equal(listed, codes) {
		t.Errorf("docs/view.md lists\n%q\nwant\n%q", listed, codes)
	}
}

// withCodes returns the page with the list of all codes, which is its last part.
func withCodes(page string) []byte {
	const head = "| code | text |\n| --- | --- |\n"
	before, _, _ := strings.Cut(page, head)
	var b strings.Builder
	b.WriteString(before + head)
	for _, code := range phrase.Codes() {
		fmt.Fprintf(&b, "| `%s` | %s |\n", code, strings.ReplaceAll(phrase.English(code), "|", "\\|"))
	}
	return []byte(b.String())
}
