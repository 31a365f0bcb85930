package agent_test

import (
	"slices"
	"testing"
	"time"

	"github.com/emendo-dev/emendo/agent/agenttest"
	"github.com/emendo-dev/emendo/agent/hooks"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/internal/settings"
)

func TestHooksOfASession(t *testing.T) {
	agenttest.WithHooks(t, nil, []modeltest.Reply{agenttest.Reply(modeltest.Say("One.")), agenttest.Reply(modeltest.Say("Two.")), agenttest.Reply(modeltest.Say("A summary.")), agenttest.Reply(modeltest.Say("Three.")), agenttest.Reply(modeltest.Say("Four."))},
		agenttest.HookLines{"SessionStart": nil, "SessionEnd": nil, "PreCompress": nil}, func(t *testing.T, w *agenttest.World, p *agenttest.PlayedHooks) {
			s := w.Session(policy.Default)
			w.Prompt(s, "a")
			w.Prompt(s, "b")
			if _, err := s.Compact(t.Context(), ""); err != nil {
				t.Fatal(err)
			}
			w.Agent.EndSessions(t.Context())
			w.Stop()
			w.Start()
			s, err := w.Agent.Session(t.Context(), s.ID())
			if err != nil {
				t.Fatal(err)
			}
			w.Prompt(s, "c")
			w.Stop()
			w.Start()
			want := []string{"SessionStart startup", "PreCompress manual", "SessionEnd exit", "SessionStart resume", "SessionEnd exit"}
			if got := p.Ran(); !slices.Equal(got, want) {
				t.Errorf("ran %q, want %q", got, want)
			}
		})
}

// The end of a process does not wait long for SessionEnd hooks, nor an answer for the
// hooks of its question.
func TestHooksDoNotDelayTheEnd(t *testing.T) {
	agenttest.InWorld(t, map[string]string{"a.txt": "one\n"}, []modeltest.Reply{agenttest.Reply(modeltest.Call("run_shell_command", `{"command":"make"}`)), agenttest.Reply(modeltest.Say("Done."))}, func(t *testing.T, w *agenttest.World) {
		w.Stop()
		w.Options = func(o *state.Options) {
			o.HookRunner, o.Hooks = agenttest.StuckHook{}, hooks.Config{Hooks: []hooks.Hook{
				{Event: hooks.SessionEnd, Source: settings.OfUser, Command: "x"}, {Event: hooks.Notification, Source: settings.OfUser, Command: "x"},
			}}
		}
		w.Start()
		begun := time.Now()
		w.Prompt(w.Session(policy.Default), "go")
		if took := time.Since(begun); took > 2*time.Second {
			t.Errorf("the answer to a question was heard after %s", took)
		}
		begun = time.Now()
		w.Agent.Close()
		if took := time.Since(begun); took > 600*time.Millisecond {
			t.Errorf("it closed after %s", took)
		}
	})
}
