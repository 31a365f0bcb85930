package agent_test

import (
	"strings"
	"sync/atomic"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/internal/sandbox"
)

// held is a sandbox with a given survey.
type held struct {
	level sandbox.Level
	known atomic.Bool // calls ask at the same time
}

func (h *held) Survey() sandbox.Survey {
	h.known.Store(true)
	return sandbox.Survey{Level: h.level}
}

func (h *held) Known() (sandbox.Survey, bool) { return sandbox.Survey{Level: h.level}, h.known.Load() }

// The level is reported once known, and nothing is started to find out. Questions about
// commands and the system prompt mention it.
func TestTheSandboxLevelIsReported(t *testing.T) {
	replies := []modeltest.Reply{{modeltest.Call("run_shell_command", `{"command": "curl https://example.com"}`)}, {modeltest.Say("done")}}
	inWorld(t, map[string]string{"a.txt": "one\n"}, replies, func(t *testing.T, w *world) {
		h := &held{level: sandbox.Restricted}
		w.options = func(o *state.Options) { o.Sandbox = h }
		w.stop()
		w.start()
		if got := w.agent.Process.SandboxLevel(); got != "" || h.known.Load() {
			t.Errorf("got %q before it was known, and it was found out: %v", got, h.known.Load())
		}
		w.prompt(w.session(policy.Default), "build it")
		if got := w.agent.Process.SandboxLevel(); got != "B" {
			t.Errorf("got %q", got)
		}
		if len(w.questions) != 1 || w.questions[0].Preview.Sandbox != "B" {
			t.Errorf("asked %+v", w.questions)
		}
		if system := w.last().System; !strings.Contains(system, "Commands run in a sandbox") || !strings.Contains(system, "no network or sockets") {
			t.Error("the prompt does not mention the sandbox")
		}
	})
}
