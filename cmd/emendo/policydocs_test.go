package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/shell"
)

// blocks returns the code blocks of a page in a language.
func blocks(t *testing.T, page, language string) (l []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", page))
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range strings.Split(string(text), "```"+language+"\n")[1:] {
		example, _, _ := strings.Cut(b, "```")
		l = append(l, example)
	}
	return l
}

// TestPolicyPageExamples decides on each command of the page by the page's rules.
func TestPolicyPageExamples(t *testing.T) {
	rules, commands := blocks(t, "policy.md", "toml"), blocks(t, "policy.md", "sh")
	if len(rules) != 1 || len(commands) != 1 {
		t.Fatalf("%d blocks of rules, %d of commands", len(rules), len(commands))
	}
	w := newWorld(t)
	w.put(filepath.Join(w.home, "config", "policies", "mine.toml"), rules[0])
	n := 0
	for line := range strings.Lines(commands[0]) {
		i := strings.LastIndex(line, "# ")
		if i < 0 {
			t.Fatalf("%q has no decision", line)
		}
		command, want := line[:i], strings.TrimSpace(line[i+2:])
		words, err := shell.Fields(command, nil)
		if err != nil || len(words) < 3 || words[0] != "emendo" {
			t.Fatalf("%q is no example: %v", line, err)
		}
		if d, r := w.checked(words[3:]...); d.Decision != want {
			t.Errorf("%s is %s by %s (%s %s), want %s", strings.TrimSpace(command), d.Decision, d.Rule, d.Reason, r.stderr, want)
		}
		n++
	}
	if n < 10 {
		t.Errorf("%d examples", n)
	}
}
