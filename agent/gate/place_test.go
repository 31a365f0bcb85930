package gate_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/agenttest"
	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/ide"
)

// Git's data is protected on disk and in the editor.
func TestToolsCannotWriteGitData(t *testing.T) {
	files := map[string]string{"bare/HEAD": "ref: x\n", "bare/objects/x": "", "bare/refs/x": "", "bare/config": "[core]\n", ".git/config": "[core]\n"}
	for _, open := range []bool{false, true} {
		for _, path := range []string{"bare/config", ".git/config", "link", "bare/hooks/post-commit", ".GIT/hooks/pre-commit"} {
			write := agenttest.Calls("write_file", `{"file_path":"`+path+`","content":"evil\n"}`)
			agenttest.InWorld(t, files, []modeltest.Reply{write, agenttest.Done()}, func(t *testing.T, w *agenttest.World) {
				if err := os.Symlink("bare/config", filepath.Join(w.Dir, "link")); err != nil {
					t.Fatal(err)
				}
				if open {
					w.Editor.Open(string(ide.FileURI(filepath.Join(w.Dir, path))), "typed\n")
				}
				w.Prompt(w.Session(policy.Yolo), "write")
				if last := agenttest.Results(w.LastRequest())[0]; !last.Failed || !strings.Contains(last.Output, "is protected") {
					t.Errorf("writing %s, open %v: the model got %q", path, open, last.Output)
				}
				if len(w.Questions) != 0 {
					t.Errorf("writing %s is asked about", path)
				}
			})
		}
	}
}

func TestToolsCannotWriteEmendosFolders(t *testing.T) {
	agenttest.InWorld(t, map[string]string{"config/emendo/settings.json": "{}\n"}, []modeltest.Reply{agenttest.Calls("write_file", `{"file_path":"config/emendo/policies/x.toml","content":"evil\n"}`), agenttest.Done()}, func(t *testing.T, w *agenttest.World) {
		w.Options = func(o *state.Options) { o.Own = []string{filepath.Join(w.Dir, "config", "emendo")} }
		w.Stop()
		w.Start()
		w.Prompt(w.Session(policy.Yolo), "write")
		if last := agenttest.Results(w.LastRequest())[0]; !last.Failed || !strings.Contains(last.Output, "is protected") {
			t.Errorf("the model got %q", last.Output)
		}
	})
}

func TestTheQuestionMentionsHardLinks(t *testing.T) {
	replies := []modeltest.Reply{agenttest.Calls("read_file", `{"file_path":".env"}`), agenttest.Calls("write_file", `{"file_path":".envrc","content":"x\n"}`), agenttest.Done()}
	agenttest.InWorld(t, map[string]string{".env": "KEY=1\n", ".envrc": "y\n"}, replies, func(t *testing.T, w *agenttest.World) {
		for _, name := range []string{".env", ".envrc"} {
			if err := os.Link(filepath.Join(w.Dir, name), filepath.Join(w.Dir, "other"+name)); err != nil {
				t.Fatal(err)
			}
		}
		w.Can = frontend.Abilities{Asks: true}
		w.Prompt(w.Session(policy.Default), "look")
		for i, want := range []string{"The file .env has 2 hard links; its content may be in use elsewhere.", "The file .envrc has 2 hard links; all of them get the new text."} {
			if got := w.Questions[i].Reason; !strings.HasSuffix(got, want) {
				t.Errorf("the reason is %q, want %q in it", got, want)
			}
		}
	})
}
