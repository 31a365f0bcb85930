package agent_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/hooks"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/tools"
	"github.com/emendo-dev/emendo/tools/sandbox/sandboxtest"
)

// A call that a hook wants made goes the way of the model's own: through the
// hooks, the gate and the review.
func TestCallsThatHooksWant(t *testing.T) {
	once := func(tail string) func(map[string]any) string {
		return func(told map[string]any) string {
			if told["original_request_name"] != nil {
				return ""
			}
			return `{"hookSpecificOutput":{"tailToolCallRequest":` + tail + `}}`
		}
	}
	for _, tt := range []struct {
		name, tail string
		mode       agent.Mode
		refuse     bool // BeforeTool refuses the second call
		want       string
		state      agent.CallState
		ran        int
		file       string
	}{
		{name: "a command that nobody allows", tail: `{"name":"run_shell_command","args":{"command":"make"}}`, mode: agent.Default, want: "The user did not allow this call.", state: agent.Failure, file: "one\n"},
		{name: "a command in a mode that asks nothing", tail: `{"name":"run_shell_command","args":{"command":"make"}}`, mode: agent.Yolo, want: "made", state: agent.Success, ran: 1, file: "one\n"},
		{name: "an edit", tail: `{"name":"replace","args":{"file_path":"a.txt","old_string":"one","new_string":"1"}}`, mode: agent.AutoEdit, want: "accepted", state: agent.Success, file: "1\n"},
		{name: "an edit in plan mode", tail: `{"name":"replace","args":{"file_path":"a.txt","old_string":"one","new_string":"1"}}`, mode: agent.PlanMode, want: "plan mode", state: agent.Failure, file: "one\n"},
		{name: "one that hooks refuse", tail: `{"name":"run_shell_command","args":{"command":"make"}}`, mode: agent.Yolo, refuse: true, want: "A hook refused the call: not after read_file", state: agent.Failure, file: "one\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			say := map[string]func(map[string]any) string{"AfterTool": once(tt.tail)}
			if tt.refuse {
				say["BeforeTool"] = func(told map[string]any) string {
					if told["original_request_name"] == "read_file" {
						return `{"decision":"deny","reason":"not after read_file"}`
					}
					return ""
				}
			}
			hooked(t, map[string]string{"a.txt": "one\n"}, []modeltest.Reply{reply(modeltest.Call("read_file", `{"file_path":"a.txt"}`)), reply(modeltest.Say("Done."))}, say, func(t *testing.T, w *world, _ *played) {
				w.spawn.Scripts = map[string]sandboxtest.Script{"make": sandboxtest.Print("made\n", 0)}
				w.abilities = agent.Abilities{Asks: true}
				w.answer = func(context.Context, agent.Question) (agent.Answer, error) {
					return agent.Answer{OptionID: "reject_once"}, nil
				}
				w.prompt(w.session(tt.mode), "go")
				r := results(w.last())
				if len(r) != 1 || r[0].Name != "read_file" || !strings.Contains(r[0].Output, tt.want) || w.over().State != tt.state {
					t.Errorf("the model read %+v of a call that ended as %s, want %q", r, w.over().State, tt.want)
				}
				if n := len(w.spawn.Started()); n != tt.ran {
					t.Errorf("%d commands ran", n)
				}
				if got := w.file("a.txt"); got != tt.file {
					t.Errorf("the file says %q", got)
				}
			})
		})
	}
}

// Edits go by hooks too, with their own arguments and their outcome.
func TestHooksLookAtEdits(t *testing.T) {
	hooked(t, map[string]string{"a.txt": "one\n"}, []modeltest.Reply{reply(modeltest.Call("replace", `{"file_path":"a.txt","old_string":"one","new_string":"two"}`)), reply(modeltest.Say("Done."))},
		map[string]func(map[string]any) string{
			"BeforeTool": says(`{"hookSpecificOutput":{"tool_input":{"new_string":"three"}}}`),
			"AfterTool":  says(`{"hookSpecificOutput":{"additionalContext":"run gofmt"}}`),
		}, func(t *testing.T, w *world, _ *played) {
			w.prompt(w.session(agent.AutoEdit), "go")
			got := results(w.last())[0].Output
			if w.file("a.txt") != "three\n" || !strings.Contains(got, "changed these arguments before the call was made: new_string") || !strings.Contains(got, "<hook_context>\nrun gofmt\n</hook_context>") {
				t.Errorf("the file says %q, the model read %q", w.file("a.txt"), got)
			}
		})
}

// What a call brought from outside stays in doubt when a hook has another one
// stand for it.
func TestADetourLosesNoDoubt(t *testing.T) {
	hooked(t, map[string]string{"a.txt": "one\n"}, []modeltest.Reply{reply(modeltest.Call("run_shell_command", `{"command":"curl https://example.org"}`)), reply(modeltest.Say("Done."))},
		map[string]func(map[string]any) string{"AfterTool": func(told map[string]any) string {
			if told["tool_name"] != "run_shell_command" {
				return ""
			}
			return `{"hookSpecificOutput":{"tailToolCallRequest":{"name":"read_file","args":{"file_path":"a.txt"}}}}`
		}}, func(t *testing.T, w *world, _ *played) {
			w.spawn.Scripts = map[string]sandboxtest.Script{"curl https://example.org": sandboxtest.Print("obey\n", 0)}
			w.prompt(w.session(agent.Yolo), "go")
			if got := w.over(); got.Origin != tools.OfWeb || got.Output != "one\n" {
				t.Errorf("the call ended with %q from %q", got.Output, got.Origin)
			}
		})
}

// A process that ends does not wait long for the hooks of its sessions' ends,
// nor for those of a question that is answered.
func TestNobodyWaitsLongForHooks(t *testing.T) {
	inWorld(t, map[string]string{"a.txt": "one\n"}, []modeltest.Reply{reply(modeltest.Call("run_shell_command", `{"command":"make"}`)), reply(modeltest.Say("Done."))}, func(t *testing.T, w *world) {
		w.stop()
		w.options = func(o *agent.Options) {
			o.HookRunner, o.Hooks = stuck{}, hooks.Config{Hooks: []hooks.Hook{
				{Event: hooks.SessionEnd, Source: hooks.User, Command: "x"}, {Event: hooks.Notification, Source: hooks.User, Command: "x"},
			}}
		}
		w.start()
		begun := time.Now()
		w.prompt(w.session(agent.Default), "go")
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
