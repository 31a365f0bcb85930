package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestProtocolPageNamesCommandsFlagsAndStatuses checks that docs/protocol.md documents the
// whole command line.
func TestProtocolPageNamesCommandsFlagsAndStatuses(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("..", "..", "docs", "protocol.md"))
	if err != nil {
		t.Fatal(err)
	}
	page := string(b)
	var words []string
	for _, c := range (process{}).program().Subcommands {
		words = append(words, "`emendo "+c.Name)
		for _, f := range c.Flags() {
			switch last := len(f.Names) - 1; {
			case c.Name != "run":
			case last > 0:
				words = append(words, "`"+f.Names[0], f.Names[last])
			default:
				words = append(words, f.Names[0])
			}
		}
	}
	for _, s := range statuses {
		if s.code < 128 {
			words = append(words, "\n| "+strconv.Itoa(s.code)+" |")
		}
	}
	for _, word := range words {
		if !strings.Contains(page, word) {
			t.Errorf("docs/protocol.md lacks %q", word)
		}
	}
}
