package turn_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/agenttest"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/internal/redact"
)

func TestAKnownSecretIsRedactedEverywhere(t *testing.T) {
	const key = "the-key-of-this-process-42"
	files := map[string]string{"a.txt": "the key is " + key + "\n"}
	replies := []modeltest.Reply{
		agenttest.Calls("read_file", `{"file_path":"a.txt"}`), agenttest.Calls("grep_search", `{"pattern":"the key"}`),
		{modeltest.Say("It is " + key + ".")},
		{modeltest.FailWith(&model.Error{Kind: model.Invalid, Message: "the key " + key + " and ya29.another-secret are wrong"})},
	}
	agenttest.InWorld(t, files, replies, func(t *testing.T, w *agenttest.World) {
		w.Options = func(o *state.Options) { o.Secrets = redact.New(redact.Secret{Name: "KEY", Value: key}) }
		w.Stop()
		w.Start()
		s := w.Session(policy.Default)
		w.Prompt(s, "look for "+key)
		if got := agenttest.TextOf(w.LastRequest()); strings.Contains(got, "is "+key) || !strings.Contains(got, "[KEY]") {
			t.Errorf("the model got %s", got)
		}
		if _, err := s.Prompt(t.Context(), state.Prompt{Blocks: agenttest.Say("again")}); err == nil {
			t.Error("the turn did not fail")
		}
		for _, u := range w.Updates {
			if e, ok := u.Event.(transcript.Notice); ok && (strings.Contains(e.Description, key) || strings.Contains(e.Description, "another")) {
				t.Errorf("the notice says %s", e.Description)
			}
		}
		w.Agent.Close()
		looked := 0
		err := filepath.WalkDir(w.State, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			looked++
			b, err := os.ReadFile(path)
			if strings.Contains(string(b), key) {
				t.Errorf("%s holds the key", path)
			}
			return err
		})
		if err != nil || looked == 0 {
			t.Errorf("%d files were looked at, %v", looked, err)
		}
	})
}

// The model repeats a key of the prompt in several chunks.
func TestASecretSplitOverChunksIsRedacted(t *testing.T) {
	const first, second = "the-key-of-this-", "process-42-and-more"
	replies := []modeltest.Reply{{modeltest.Think("Use " + first), modeltest.Think(second), modeltest.Say("It is " + first), modeltest.Say(second + ".")}}
	agenttest.InWorld(t, nil, replies, func(t *testing.T, w *agenttest.World) {
		w.Options = func(o *state.Options) { o.Secrets = redact.New(redact.Secret{Name: "KEY", Value: first + second}) }
		w.Stop()
		w.Start()
		w.Prompt(w.Session(policy.Default), "repeat it")
		for _, u := range w.Updates {
			for _, piece := range []string{first, second} {
				if e, ok := u.Event.(transcript.Text); ok && strings.Contains(e.Text, piece) {
					t.Errorf("the answer says %s", e.Text)
				}
				if e, ok := u.Event.(transcript.Thought); ok && strings.Contains(e.Text, piece) {
					t.Errorf("the thought says %s", e.Text)
				}
			}
		}
	})
}

func TestAnEditCannotReplaceASecretByItsPlaceholder(t *testing.T) {
	const key = "the-key-of-this-process-42"
	files := map[string]string{"a.txt": "key = " + key + "\nname = x\n"}
	replies := []modeltest.Reply{
		agenttest.Calls("write_file", `{"file_path":"a.txt","content":"key = [KEY]\nname = y\n"}`),
		agenttest.Calls("replace", `{"file_path":"a.txt","instruction":"x","old_string":"name = x","new_string":"name = y"}`),
		agenttest.Done(),
	}
	agenttest.InWorld(t, files, replies, func(t *testing.T, w *agenttest.World) {
		w.Options = func(o *state.Options) { o.Secrets = redact.New(redact.Secret{Name: "KEY", Value: key}) }
		w.Stop()
		w.Start()
		w.Prompt(w.Session(policy.Yolo), "rename")
		if got := agenttest.Results(w.Model.Requests()[1])[0].Output; !strings.Contains(got, "a secret that is shown to you as [KEY]") {
			t.Errorf("result %q", got)
		}
		b, err := os.ReadFile(filepath.Join(w.Dir, "a.txt"))
		if want := "key = " + key + "\nname = y\n"; err != nil || string(b) != want {
			t.Errorf("the file holds %q, %v", b, err)
		}
	})
}
