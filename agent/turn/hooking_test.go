package turn_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/emendo-dev/emendo/agent/agenttest"
	"github.com/emendo-dev/emendo/agent/hooks"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/internal/settings"
)

// says returns a hook with a constant output.
func says(s string) agenttest.HookLine {
	return func(map[string]any) string { return s }
}

// No hook runs in a restricted folder. Once the folder is trusted, SessionStart runs
// with the next prompt.
func TestHooksNeedTrust(t *testing.T) {
	agenttest.WithHooks(t, nil, []modeltest.Reply{agenttest.Reply(modeltest.Say("One.")), agenttest.Reply(modeltest.Say("Two."))}, agenttest.HookLines{"SessionStart": nil, "BeforeAgent": nil}, func(t *testing.T, w *agenttest.World, p *agenttest.PlayedHooks) {
		s := w.Session(policy.Default)
		w.Trusted = false
		w.Prompt(s, "a")
		if len(p.Ran()) > 0 {
			t.Errorf("ran %q in a restricted folder", p.Ran())
		}
		w.Trusted = true
		w.Prompt(s, "b")
		if want := []string{"SessionStart resume", "BeforeAgent b"}; !slices.Equal(p.Ran(), want) {
			t.Errorf("ran %q in a trusted folder", p.Ran())
		}
	})
}

func TestAFailingHookIsReportedOnce(t *testing.T) {
	agenttest.WithHooks(t, nil, []modeltest.Reply{agenttest.Reply(modeltest.Say("One.")), agenttest.Reply(modeltest.Say("Two."))}, agenttest.HookLines{"BeforeAgent": says("exit 2:")}, func(t *testing.T, w *agenttest.World, _ *agenttest.PlayedHooks) {
		s := w.Session(policy.Default)
		w.Prompt(s, "a")
		w.Prompt(s, "b")
		if got, want := w.NoticesOf(transcript.NoticeHook), "The hook BeforeAgent failed: BeforeAgent: exited with code 2 without output. The operation continues without it."; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

// Notices report the actual effect: at events without decisions nothing was refused.
func TestNoticesAboutHooks(t *testing.T) {
	for _, tt := range []struct{ event, notice string }{
		{"SessionStart", "The hook SessionStart ran at SessionStart (0s, ok): no"},
		{"BeforeToolSelection", "The hook BeforeToolSelection ran at BeforeToolSelection (0s, ok): no"},
		{"Notification", "The hook Notification ran at Notification (0s, ok): no"},
		{"BeforeTool", "The hook BeforeTool ran at BeforeTool (0s, blocked)"},
		{"AfterTool", "The hook AfterTool ran at AfterTool (0s, blocked)"},
		{"BeforeAgent", "The hook BeforeAgent ran at BeforeAgent (0s, blocked)"},
		{"BeforeModel", "The hook BeforeModel ran at BeforeModel (0s, blocked)"},
		{"AfterModel", "The hook AfterModel ran at AfterModel (0s, blocked)"},
	} {
		t.Run(tt.event, func(t *testing.T) {
			agenttest.WithHooks(t, nil, []modeltest.Reply{agenttest.Reply(modeltest.Call("run_shell_command", `{"command":"make"}`)), agenttest.Reply(modeltest.Say("Done."))}, agenttest.HookLines{tt.event: says("exit 2:no")}, func(t *testing.T, w *agenttest.World, _ *agenttest.PlayedHooks) {
				w.Prompt(w.Session(policy.Default), "go")
				first, _, _ := strings.Cut(w.NoticesOf(transcript.NoticeHook), "\n")
				if first != tt.notice {
					t.Errorf("got %q, want %q", first, tt.notice)
				}
			})
		})
	}
}

// Cancelling does not wait for a hook.
func TestCancellingEndsAHook(t *testing.T) {
	agenttest.InWorld(t, nil, nil, func(t *testing.T, w *agenttest.World) {
		w.Stop()
		w.Options = func(o *state.Options) {
			o.HookRunner, o.Hooks = agenttest.StuckHook{}, hooks.Config{Hooks: []hooks.Hook{{Event: hooks.BeforeAgent, Source: settings.OfUser, Command: "x"}}}
		}
		w.Start()
		s := w.Session(policy.Default)
		end := w.Begin(s, "go")
		begun := time.Now()
		s.Cancel("")
		e, err := end()
		if err != nil || e.StopReason != transcript.StopCancelled || time.Since(begun) > 200*time.Millisecond {
			t.Errorf("it ended with %s, %v, after %s", e.StopReason, err, time.Since(begun))
		}
	})
}
