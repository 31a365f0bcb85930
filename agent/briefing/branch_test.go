package briefing_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/agenttest"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/state"
)

// The environment names the shell and the folder for temporary files, except in a
// restricted folder, where no commands run.
func TestTheShellIsInTheEnvironment(t *testing.T) {
	const line = "Shell of commands: bash\nFolder for temporary files in commands: $TMPDIR\n"
	for _, trusted := range []bool{true, false} {
		agenttest.InWorld(t, nil, []modeltest.Reply{agenttest.Done()}, func(t *testing.T, w *agenttest.World) {
			w.Trusted = trusted
			w.Options = func(o *state.Options) { o.Shell = func() string { return "bash" } }
			w.Stop()
			w.Start()
			w.Prompt(w.Session(policy.Default), "look")
			if got := strings.Contains(agenttest.TextOf(w.LastRequest()), line); got != trusted {
				t.Errorf("trusted %t: sent %t", trusted, got)
			}
		})
	}
}

func TestTheBranchIsInTheEnvironment(t *testing.T) {
	const commit = "0123456789abcdef0123456789abcdef01234567"
	for _, tt := range []struct {
		name, dir string
		files     map[string]string
		want      string // empty: none
	}{
		{name: "a branch", files: map[string]string{".git/HEAD": "ref: refs/heads/fix/fees\n", ".git/objects/x": "", ".git/refs/x": ""}, want: "Git branch: fix/fees\n"},
		{name: "a folder of a repository", dir: "pkg", files: map[string]string{".git/HEAD": "ref: refs/heads/main\n", ".git/objects/x": "", ".git/refs/x": "", "pkg/a.go": ""}, want: "Git branch: main\n"},
		{name: "no branch", files: map[string]string{".git/HEAD": commit + "\n", ".git/objects/x": "", ".git/refs/x": ""}, want: "Git branch: none, at commit 0123456789ab\n"},
		{name: "a worktree", dir: "tree", files: map[string]string{
			"tree/.git": "gitdir: ../data/worktrees/tree\n", "data/worktrees/tree/HEAD": "ref: refs/heads/side\n", "data/worktrees/tree/commondir": "../..\n",
			"data/worktrees/tree/gitdir": "../../../tree/.git\n", "data/HEAD": "ref: refs/heads/main\n", "data/objects/x": "", "data/refs/x": "",
		}, want: "Git branch: side\n"},
		{name: "data in another directory", dir: "sub", files: map[string]string{".git/HEAD": "ref: refs/heads/outer\n", "sub/.git": "gitdir: ../data\n", "data/HEAD": "ref: refs/heads/inner\n"}, want: "Git branch: inner\n"},
		{name: "no data", dir: "sub", files: map[string]string{".git/HEAD": "ref: refs/heads/outer\n", "sub/.git": "nothing\n"}},
		{name: "an invalid name", files: map[string]string{".git/HEAD": "ref: refs/heads/a\x1b[2Jb\n", ".git/objects/x": "", ".git/refs/x": ""}, want: "Git branch: a\\x1b[2Jb\n"},
		{name: "no repository", files: map[string]string{"a.go": ""}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			agenttest.InWorld(t, tt.files, []modeltest.Reply{agenttest.Done()}, func(t *testing.T, w *agenttest.World) {
				s, err := w.Agent.Create(t.Context(), agent.NewSession{Cwd: filepath.Join(w.Dir, tt.dir)})
				if err != nil {
					t.Fatal(err)
				}
				w.Prompt(s, "look")
				if text := agenttest.TextOf(w.LastRequest()); tt.want != "" && !strings.Contains(text, tt.want) || tt.want == "" && strings.Contains(text, "Git branch") {
					t.Errorf("the model got\n%s", text)
				}
			})
		})
	}
}

func TestANewBranchIsSent(t *testing.T) {
	agenttest.InWorld(t, map[string]string{".git/HEAD": "ref: refs/heads/main\n", ".git/objects/x": "", ".git/refs/x": ""}, []modeltest.Reply{agenttest.Done(), agenttest.Done(), agenttest.Done()}, func(t *testing.T, w *agenttest.World) {
		s := w.Session(policy.Default)
		w.Prompt(s, "one")
		if err := os.WriteFile(filepath.Join(w.Dir, ".git/HEAD"), []byte("ref: refs/heads/fix\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		w.Prompt(s, "two")
		w.Prompt(s, "three")
		if n := counts(w, 2, "Git branch: main", "Git branch: fix", "Date:"); n["Git branch: main"] != 1 || n["Git branch: fix"] != 1 || n["Date:"] != 1 {
			t.Errorf("sent: %v", n)
		}
	})
}
