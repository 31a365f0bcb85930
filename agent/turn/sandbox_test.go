package turn_test

import (
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/agenttest"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/internal/sandbox"
)

// The level is reported once known, and nothing is started to find out. Questions about
// commands and the system prompt mention it.
func TestTheSandboxLevelIsReported(t *testing.T) {
	replies := []modeltest.Reply{{modeltest.Call("run_shell_command", `{"command": "curl https://example.com"}`)}, {modeltest.Say("done")}}
	agenttest.InWorld(t, map[string]string{"a.txt": "one\n"}, replies, func(t *testing.T, w *agenttest.World) {
		h := &agenttest.SandboxOf{Level: sandbox.Restricted}
		w.Options = func(o *state.Options) { o.Sandbox = h }
		w.Stop()
		w.Start()
		if got := w.Agent.Process.SandboxLevel(); got != "" || h.Surveyed.Load() {
			t.Errorf("got %q before it was known, and it was found out: %v", got, h.Surveyed.Load())
		}
		w.Prompt(w.Session(policy.Default), "build it")
		if got := w.Agent.Process.SandboxLevel(); got != "B" {
			t.Errorf("got %q", got)
		}
		if len(w.Questions) != 1 || w.Questions[0].Preview.Sandbox != "B" {
			t.Errorf("asked %+v", w.Questions)
		}
		if system := w.LastRequest().System; !strings.Contains(system, "Commands run in a sandbox") || !strings.Contains(system, "no network or sockets") {
			t.Error("the prompt does not mention the sandbox")
		}
	})
}
