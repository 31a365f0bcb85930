package agent_test

import (
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
)

// TestFilesThatAPromptNamesGoAlong whole, but for what the model is not to see.
func TestFilesThatAPromptNamesGoAlong(t *testing.T) {
	files := map[string]string{
		"main.go": "package main // one\n", "a b.txt": "with a blank\n", "docs/x.md": "of the docs\n", "made.txt": "made\n", ".gitignore": "made.txt\n", ".git/HEAD": "",
		".env": "KEY=hunter2\n", "private.md": "not for models\n", ".emendoignore": "private.md\n", "long.txt": strings.Repeat("a long line\n", 10_000),
	}
	for _, tt := range []struct {
		name, prompt string
		sent         []string // of the texts
		told         string
	}{
		{name: "one, with a full stop behind it", prompt: "Explain @main.go.", sent: []string{"// one"}},
		{name: "in brackets, and twice", prompt: "Explain it (@main.go) and @./main.go", sent: []string{"// one"}},
		{name: "with a blank", prompt: `See @a\ b.txt`, sent: []string{"with a blank"}},
		{name: "in quotes", prompt: `See @"a b.txt"`, sent: []string{"with a blank"}},
		{name: "several", prompt: "@docs/x.md\n@main.go", sent: []string{"of the docs", "// one"}},
		{name: "one that git ignores", prompt: "@made.txt", sent: []string{"made\n"}},
		{name: "by its absolute path", prompt: "@$DIR/main.go", sent: []string{"// one"}},
		{name: "a folder", prompt: "What is in @docs?"},
		{name: "no file", prompt: "Ask @alice, me@main.go, @Override"},
		{name: "a secret", prompt: "@.env", told: ".env was not sent: The file looks as if it holds secrets."},
		{name: "one that is kept from models", prompt: "@private.md", told: "private.md was not sent: The ignore rules (.geminiignore or .emendoignore) exclude it."},
		{name: "a long one", prompt: "@long.txt", sent: []string{"(the rest is left out: the file has 10000 lines)"}},
		{name: "outside", prompt: "@/etc/hostname @../x"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inWorld(t, files, []modeltest.Reply{done()}, func(t *testing.T, w *world) {
				prompt := strings.ReplaceAll(tt.prompt, "$DIR", w.dir)
				w.prompt(w.session(policy.Default), prompt)
				asked := all(w.last())
				if n := strings.Count(asked, "<file_part"); n != len(tt.sent) {
					t.Errorf("%d files are sent, want %d", n, len(tt.sent))
				}
				for _, text := range tt.sent {
					if strings.Count(asked, text) != 1 {
						t.Errorf("%q is not sent once", text)
					}
				}
				if !strings.Contains(asked, prompt) || strings.Contains(asked, "hunter2") || strings.Contains(asked, "not for models") || len(asked) > 100_000 {
					t.Errorf("the model is asked %.2000s", asked)
				}
				if told := w.noticesOf(transcript.NoticeNotSent); told != tt.told {
					t.Errorf("the user is told %q", told)
				}
			})
		})
	}
}

// TestAFileThatIsAttachedAndNamedGoesOnce, as clients send both.
func TestAFileThatIsAttachedAndNamedGoesOnce(t *testing.T) {
	inWorld(t, map[string]string{"main.go": "package main // one\n"}, []modeltest.Reply{done()}, func(t *testing.T, w *world) {
		blocks := append(say("Explain @main.go"), transcript.Block{Type: transcript.ResourceBlock, URI: w.uri("main.go"), Text: "package main // one\n"})
		if _, err := w.session(policy.Default).Prompt(t.Context(), state.Prompt{Blocks: blocks}); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(all(w.last()), "// one"); n != 1 {
			t.Errorf("it is sent %d times", n)
		}
	})
}
