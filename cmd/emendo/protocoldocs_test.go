package main

import (
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestThePageNamesCommandsFlagsAndStatuses holds docs/protocol.md to what there
// is on the command line.
func TestThePageNamesCommandsFlagsAndStatuses(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("..", "..", "docs", "protocol.md"))
	if err != nil {
		t.Fatal(err)
	}
	page := string(b)
	var words []string
	for _, c := range commands() {
		words = append(words, "`emendo "+c.name)
	}
	f := flag.NewFlagSet("run", flag.ContinueOnError)
	new(runFlags).define(f)
	f.VisitAll(func(f *flag.Flag) {
		if len(f.Name) == 1 {
			words = append(words, "`-"+f.Name)
		} else {
			words = append(words, "--"+f.Name)
		}
	})
	for _, code := range []int{exitOK, exitFailure, exitAuth, exitInput, exitSandbox, exitConfig, exitTurnLimit, exitTool, exitUntrusted} {
		words = append(words, "\n| "+strconv.Itoa(code)+" |")
	}
	for _, word := range words {
		if !strings.Contains(page, word) {
			t.Errorf("docs/protocol.md does not say %q", word)
		}
	}
}
