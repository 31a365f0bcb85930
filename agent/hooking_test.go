package agent_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emendo-dev/emendo/agent/hooks"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/tools/user"
)

// line returns what a hook prints for its input; nil prints nothing.
type line func(input map[string]any) string

// lines are the outputs of hooks, by their commands.
type lines map[string]line

// played runs hooks with scripted outputs, by their commands.
type played struct {
	says lines

	mu     sync.Mutex
	events []string // events and their subjects
}

func (p *played) Run(ctx context.Context, c hooks.Command) (hooks.Ran, error) {
	input := map[string]any{}
	if err := json.Unmarshal(c.Input, &input); err != nil {
		return hooks.Ran{}, err
	}
	say := p.says[c.Line]
	what := c.Line
	for _, name := range []string{"tool_name", "prompt", "source", "reason", "trigger", "notification_type"} {
		if s, ok := input[name].(string); ok {
			what += " " + s
		}
	}
	p.mu.Lock()
	p.events = append(p.events, what)
	p.mu.Unlock()
	if say == nil {
		return hooks.Ran{}, nil
	}
	out := say(input)
	if rest, ok := strings.CutPrefix(out, "exit 2:"); ok {
		return hooks.Ran{Stderr: []byte(rest), Exit: sandbox.Exit{Code: 2}}, nil
	}
	return hooks.Ran{Stdout: []byte(out)}, nil
}

func (p *played) ran() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.events)
}

// says returns a hook with a constant output.
func says(s string) line {
	return func(map[string]any) string { return s }
}

// hooked runs f in a world with hooks of the user. Each hook runs at the event named by
// its command.
func hooked(t *testing.T, files map[string]string, replies []modeltest.Reply, say lines, f func(t *testing.T, w *world, p *played)) {
	t.Helper()
	p := &played{says: say}
	inWorld(t, files, replies, func(t *testing.T, w *world) {
		var all []hooks.Hook
		for line := range say {
			event, _, _ := strings.Cut(line, "-")
			all = append(all, hooks.Hook{Event: hooks.Event(event), Source: hooks.User, Command: line})
		}
		w.stop()
		w.options = func(o *state.Options) {
			o.HookRunner, o.Hooks = p, hooks.Config{Hooks: all}
			o.Tools = append(o.Tools, user.NewWriteTodos())
		}
		w.start()
		f(t, w, p)
	})
}

// noticesOf returns the titles and descriptions of the notices with that code.
func (w *world) noticesOf(code transcript.NoticeCode) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var l []string
	for _, u := range w.updates {
		if e, ok := u.Event.(transcript.Notice); ok && e.Code == code {
			l = append(l, strings.TrimSuffix(e.Title+": "+e.Description, ": "))
		}
	}
	return strings.Join(l, "\n")
}

func reply(steps ...modeltest.Step) modeltest.Reply { return modeltest.Reply(steps) }

// No hook runs in a restricted folder. Once the folder is trusted, SessionStart runs
// with the next prompt.
func TestHooksNeedTrust(t *testing.T) {
	hooked(t, nil, []modeltest.Reply{reply(modeltest.Say("One.")), reply(modeltest.Say("Two."))}, lines{"SessionStart": nil, "BeforeAgent": nil}, func(t *testing.T, w *world, p *played) {
		s := w.session(policy.Default)
		w.trusted = false
		w.prompt(s, "a")
		if len(p.ran()) > 0 {
			t.Errorf("ran %q in a restricted folder", p.ran())
		}
		w.trusted = true
		w.prompt(s, "b")
		if want := []string{"SessionStart resume", "BeforeAgent b"}; !slices.Equal(p.ran(), want) {
			t.Errorf("ran %q in a trusted folder", p.ran())
		}
	})
}

func TestAFailingHookIsReportedOnce(t *testing.T) {
	hooked(t, nil, []modeltest.Reply{reply(modeltest.Say("One.")), reply(modeltest.Say("Two."))}, lines{"BeforeAgent": says("exit 2:")}, func(t *testing.T, w *world, _ *played) {
		s := w.session(policy.Default)
		w.prompt(s, "a")
		w.prompt(s, "b")
		if got, want := w.noticesOf(transcript.NoticeHook), "The hook BeforeAgent failed: BeforeAgent: exited with code 2 without output. The operation continues without it."; got != want {
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
			hooked(t, nil, []modeltest.Reply{reply(modeltest.Call("run_shell_command", `{"command":"make"}`)), reply(modeltest.Say("Done."))}, lines{tt.event: says("exit 2:no")}, func(t *testing.T, w *world, _ *played) {
				w.prompt(w.session(policy.Default), "go")
				first, _, _ := strings.Cut(w.noticesOf(transcript.NoticeHook), "\n")
				if first != tt.notice {
					t.Errorf("got %q, want %q", first, tt.notice)
				}
			})
		})
	}
}

// Cancelling does not wait for a hook.
func TestCancellingEndsAHook(t *testing.T) {
	inWorld(t, nil, nil, func(t *testing.T, w *world) {
		w.stop()
		w.options = func(o *state.Options) {
			o.HookRunner, o.Hooks = stuck{}, hooks.Config{Hooks: []hooks.Hook{{Event: hooks.BeforeAgent, Source: hooks.User, Command: "x"}}}
		}
		w.start()
		s := w.session(policy.Default)
		end := w.begin(s, "go")
		begun := time.Now()
		s.Cancel("")
		e, err := end()
		if err != nil || e.StopReason != transcript.StopCancelled || time.Since(begun) > 200*time.Millisecond {
			t.Errorf("it ended with %s, %v, after %s", e.StopReason, err, time.Since(begun))
		}
	})
}

// stuck runs hooks that do not end on their own.
type stuck struct{}

func (stuck) Run(ctx context.Context, _ hooks.Command) (hooks.Ran, error) {
	<-ctx.Done()
	return hooks.Ran{}, nil
}
