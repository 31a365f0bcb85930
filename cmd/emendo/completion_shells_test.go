//go:build shells && unix

package main

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestFishCompletes runs fish itself.
func TestFishCompletes(t *testing.T) {
	w, _ := completing(t)
	for _, tt := range completions {
		t.Run(tt.line, func(t *testing.T) {
			got := w.shell("fish", "--no-config", "-c", "emendo completion fish | source\ncomplete -C $argv[1]", tt.line)
			for i, l := range got {
				got[i], _, _ = strings.Cut(l, "\t")
				got[i] = strings.ReplaceAll(got[i], `\ `, " ")
			}
			wantShown(t, got, tt.want)
		})
	}
}

// TestZshCompletes calls the function as zsh's completion does, with zsh's functions
// replaced by ones that print their arguments.
func TestZshCompletes(t *testing.T) {
	w, _ := completing(t)
	const script = `compdef() { :; }
compset() { :; }
_files() { print -rl -- ${words[CURRENT]}*; }
_describe() { print -rl -- "${(@P)2}"; }
source <(emendo completion zsh)
words=("${(@s: :)1}") CURRENT=$#words
_emendo`
	for _, tt := range completions {
		t.Run(tt.line, func(t *testing.T) {
			got := w.shell("zsh", "-c", script, "zsh", tt.line)
			for i, l := range got {
				got[i], _, _ = strings.Cut(l, ":")
			}
			wantShown(t, got, tt.want)
		})
	}
}

// shell runs a shell in the workspace and returns the lines that it prints.
func (w *world) shell(name string, args ...string) []string {
	w.t.Helper()
	program, err := exec.LookPath(name)
	if err != nil {
		w.t.Fatal(err)
	}
	c := exec.CommandContext(w.t.Context(), program, args...)
	c.Dir, c.Env = w.dir, w.env
	out, err := c.Output()
	if err != nil {
		w.t.Fatalf("%s: %v", name, err)
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}

// wantShown compares without order, because shells sort.
func wantShown(t *testing.T, got, want []string) {
	t.Helper()
	got, want = slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))
	if !slices.Equal(got, want) {
		t.Errorf("completed with %q, want %q", got, want)
	}
}
