package agent_test

import (
	"slices"
	"testing"
	"time"

	"github.com/emendo-dev/emendo/agent/hooks"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/state"
)

func TestHooksOfASession(t *testing.T) {
	hooked(t, nil, []modeltest.Reply{reply(modeltest.Say("One.")), reply(modeltest.Say("Two.")), reply(modeltest.Say("A summary.")), reply(modeltest.Say("Three.")), reply(modeltest.Say("Four."))},
		lines{"SessionStart": nil, "SessionEnd": nil, "PreCompress": nil}, func(t *testing.T, w *world, p *played) {
			s := w.session(policy.Default)
			w.prompt(s, "a")
			w.prompt(s, "b")
			if _, err := s.Compact(t.Context(), ""); err != nil {
				t.Fatal(err)
			}
			w.agent.EndSessions(t.Context())
			w.stop()
			w.start()
			s, err := w.agent.Session(t.Context(), s.ID())
			if err != nil {
				t.Fatal(err)
			}
			w.prompt(s, "c")
			w.stop()
			w.start()
			want := []string{"SessionStart startup", "PreCompress manual", "SessionEnd exit", "SessionStart resume", "SessionEnd exit"}
			if got := p.ran(); !slices.Equal(got, want) {
				t.Errorf("ran %q, want %q", got, want)
			}
		})
}

// The end of a process does not wait long for SessionEnd hooks, nor an answer for the
// hooks of its question.
func TestHooksDoNotDelayTheEnd(t *testing.T) {
	inWorld(t, map[string]string{"a.txt": "one\n"}, []modeltest.Reply{reply(modeltest.Call("run_shell_command", `{"command":"make"}`)), reply(modeltest.Say("Done."))}, func(t *testing.T, w *world) {
		w.stop()
		w.options = func(o *state.Options) {
			o.HookRunner, o.Hooks = stuck{}, hooks.Config{Hooks: []hooks.Hook{
				{Event: hooks.SessionEnd, Source: hooks.User, Command: "x"}, {Event: hooks.Notification, Source: hooks.User, Command: "x"},
			}}
		}
		w.start()
		begun := time.Now()
		w.prompt(w.session(policy.Default), "go")
		if took := time.Since(begun); took > 2*time.Second {
			t.Errorf("the answer to a question was heard after %s", took)
		}
		begun = time.Now()
		w.agent.Close()
		if took := time.Since(begun); took > 600*time.Millisecond {
			t.Errorf("it closed after %s", took)
		}
	})
}
