package agent_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/internal/sandbox/sandboxtest"
	"github.com/emendo-dev/emendo/tools"
)

func TestHooksRunForCalls(t *testing.T) {
	read := modeltest.Call("read_file", `{"file_path":"a.txt"}`)
	for _, tt := range []struct {
		name  string
		call  modeltest.Step
		mode  policy.Mode
		say   lines
		want  string // expected part of the result
		not   string // text that must not be in the result
		with  string // expected additional text
		state transcript.CallState
		errs  tools.ErrorType
	}{
		{name: "refused with words", call: read, say: lines{"BeforeTool": says("exit 2:not a.txt")}, want: "A hook refused the call: not a.txt", state: transcript.Failure, errs: tools.PolicyViolation},
		{name: "refused with JSON", call: read, say: lines{"BeforeTool": says(`{"decision":"deny","reason":"no"}`)}, want: "A hook refused the call: no", state: transcript.Failure, errs: tools.PolicyViolation},
		{name: "other arguments", call: read, say: lines{"BeforeTool": says(`{"hookSpecificOutput":{"tool_input":{"file_path":"b.txt"}}}`)}, want: "two\n\n(System note: a hook of the user's changed these arguments before the call was made: file_path.)", state: transcript.Success},
		{name: "arguments that the tool does not take", call: read, say: lines{"BeforeTool": says(`{"hookSpecificOutput":{"tool_input":{"file_path":7}}}`)}, want: "file_path", state: transcript.Failure, errs: tools.InvalidParams},
		{name: "the same arguments", call: read, say: lines{"BeforeTool": says(`{"hookSpecificOutput":{"tool_input":{"file_path": "a.txt"}}}`)}, want: "one\n", state: transcript.Success},
		{name: "something to read besides", call: read, say: lines{"AfterTool": says(`{"hookSpecificOutput":{"additionalContext":"mind <it>"}}`)}, want: "one\n", not: "hook_context", with: "<hook_context>\nmind &lt;it&gt;\n</hook_context>\n", state: transcript.Success},
		{name: "withheld", call: read, say: lines{"AfterTool": says(`{"decision":"block","reason":"secret"}`)}, want: "A hook withheld the result of this call: secret", state: transcript.Failure, errs: tools.PolicyViolation},
		{name: "another output", call: read, say: lines{"AfterTool": says(`{"hookSpecificOutput":{"tool_output":"***"}}`)}, want: "***", state: transcript.Success},
		{name: "another output of a call that failed", call: modeltest.Call("run_shell_command", `{"command":"broken"}`), mode: policy.Yolo, say: lines{"AfterTool": says(`{"hookSpecificOutput":{"tool_output":"***"}}`)}, want: "***", not: "no such", state: transcript.Failure, errs: tools.ShellFailure},
		{name: "another call", call: read, say: lines{"AfterTool": func(input map[string]any) string {
			if input["tool_name"] == "read_file" && input["original_request_name"] == nil {
				return `{"hookSpecificOutput":{"tailToolCallRequest":{"name":"list_directory","args":{"dir_path":"."}}}}`
			}
			return ""
		}}, want: "b.txt", state: transcript.Success},
		{name: "another call that there is not", call: read, say: lines{"AfterTool": says(`{"hookSpecificOutput":{"tailToolCallRequest":{"name":"nothing"}}}`)}, want: "unknown tool \"nothing\"", state: transcript.Failure, errs: tools.NotRegistered},
		{name: "the tool's own names of a call that was made by others", call: modeltest.Call("search_file_content", `{"pattern":"one","path":".","wait_for_previous":true}`), say: lines{"BeforeTool": func(input map[string]any) string {
			if args, _ := input["tool_input"].(map[string]any); input["tool_name"] == "grep_search" && args["dir_path"] == "." && len(args) == 2 {
				return `{"hookSpecificOutput":{"tool_input":{"pattern":"two"}}}`
			}
			return ""
		}}, want: "L1: two", state: transcript.Success},
		{name: "calls without end", call: read, say: lines{"AfterTool": says(`{"hookSpecificOutput":{"tailToolCallRequest":{"name":"read_file","args":{"file_path":"b.txt"}}}}`)}, want: "two\n\n(A hook wanted yet another call, of read_file; 8 were made, which is enough.)", state: transcript.Success},
		{name: "leave lifts no question", call: modeltest.Call("run_shell_command", `{"command":"make"}`), say: lines{"BeforeTool": says(`{"decision":"allow"}`)}, want: "The user did not allow this call.", state: transcript.Cancelled, errs: tools.PolicyViolation},
	} {
		t.Run(tt.name, func(t *testing.T) {
			hooked(t, map[string]string{"a.txt": "one\n", "b.txt": "two\n"}, []modeltest.Reply{reply(tt.call), reply(modeltest.Say("Done."))}, tt.say, func(t *testing.T, w *world, _ *played) {
				w.answer = func(context.Context, frontend.Question) (frontend.Answer, error) {
					return frontend.Answer{OptionID: "reject_once"}, nil
				}
				w.spawn.Scripts = map[string]sandboxtest.Script{"broken": {Err: errors.New("no such shell")}}
				w.prompt(w.session(cmp.Or(tt.mode, policy.Default)), "go")
				r := results(w.last())
				if len(r) != 1 || !strings.Contains(r[0].Output, tt.want) || tt.not != "" && strings.Contains(r[0].Output, tt.not) {
					t.Errorf("the model read %+v, want %q", r, tt.want)
				}
				if !strings.Contains(all(w.last()), tt.with) {
					t.Errorf("the model did not get %q", tt.with)
				}
				if got := w.over(); got.State != tt.state || got.ErrorType != tt.errs {
					t.Errorf("the call ended as %s %s", got.State, got.ErrorType)
				}
			})
		})
	}
}

// over returns the last update that ended a call.
func (w *world) over() (last transcript.ToolUpdate) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, u := range w.updates {
		if e, ok := u.Event.(transcript.ToolUpdate); ok && e.Over() {
			last = e
		}
	}
	return last
}

// recordedResult returns the recorded result of a call of the tool.
func recordedResult(w *world, tool string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	id, out := "", ""
	for _, u := range w.updates {
		switch e := u.Event.(type) {
		case transcript.ToolCall:
			if e.Name == tool {
				id = e.CallID
			}
		case transcript.ToolUpdate:
			if e.CallID == id && e.Over() {
				out = e.Output
			}
		}
	}
	return out
}

func TestAHookRequestsAQuestion(t *testing.T) {
	details := "" // details that hooks of the question got
	say := lines{"BeforeTool": says(`{"decision":"ask","reason":"are you sure?"}`), "Notification": func(input map[string]any) string {
		b, _ := json.Marshal(input["details"])
		details = string(b)
		return ""
	}}
	for _, tt := range []struct {
		name    string
		call    modeltest.Step
		can     frontend.Abilities
		want    string
		details string
	}{
		{"about reading", modeltest.Call("read_file", `{"file_path":"a.txt"}`), frontend.Abilities{Asks: true}, "one\n", `"type":"info"`},
		{"about a list that nobody need be asked about", modeltest.Call("write_todos", `{"todos":[]}`), frontend.Abilities{Asks: true}, "", `"tool_name":"write_todos"`},
		{"about an edit in a mode that asks nothing", modeltest.Call("replace", `{"file_path":"a.txt","old_string":"one","new_string":"1"}`), frontend.Abilities{Asks: true}, "applied", `"fileDiff":"--- a.txt\n+++ a.txt\n@@ -1,1 +1,1 @@\n-one\n+1\n","fileName":"a.txt",`},
		{"about a command, which is asked about anyway", modeltest.Call("run_shell_command", `{"command":"make"}`), frontend.Abilities{Asks: true}, "127", `{"command":"make","rootCommand":"make",`},
		{"where nobody is", modeltest.Call("read_file", `{"file_path":"a.txt"}`), frontend.Abilities{}, "no user is available", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			hooked(t, map[string]string{"a.txt": "one\n"}, []modeltest.Reply{reply(tt.call), reply(modeltest.Say("Done."))}, say, func(t *testing.T, w *world, p *played) {
				w.abilities = tt.can
				w.prompt(w.session(policy.AutoEdit), "go")
				if r := results(w.last()); !strings.Contains(r[0].Output, tt.want) {
					t.Errorf("the model read %q, want %q", r[0].Output, tt.want)
				}
				if !tt.can.Asks {
					return
				}
				if len(w.questions) != 1 || !strings.Contains(w.questions[0].Reason, "are you sure?") {
					t.Errorf("asked %+v", w.questions)
				}
				if ran := p.ran(); !slices.Contains(ran, "Notification ToolPermission") || !strings.Contains(details, tt.details) {
					t.Errorf("ran %q, details %s", ran, details)
				}
			})
		})
	}
}

// Answering the question about an edit does not end a running Notification hook.
func TestANotificationHookOutlastsTheAnswer(t *testing.T) {
	say := lines{"BeforeTool": says(`{"decision":"ask"}`), "Notification": func(map[string]any) string {
		synctest.Wait() // until the edit is applied and the turn waits for this hook
		return `{"systemMessage":"noticed"}`
	}}
	hooked(t, map[string]string{"a.txt": "one\n"}, []modeltest.Reply{reply(modeltest.Call("replace", `{"file_path":"a.txt","old_string":"one","new_string":"1"}`)), reply(modeltest.Say("Done."))}, say, func(t *testing.T, w *world, _ *played) {
		w.abilities = frontend.Abilities{Asks: true}
		w.prompt(w.session(policy.AutoEdit), "go")
		if got := w.over(); got.State != transcript.Success {
			t.Errorf("the call ended as %s", got.State)
		}
		if got := w.noticesOf(transcript.NoticeHook); !strings.Contains(got, "noticed") {
			t.Errorf("notice %q, want the hook's message", got)
		}
	})
}

// A hook that stops at a call ends the turn. Later calls of the response are not made.
func TestAHookStopsTheTurnAtACall(t *testing.T) {
	for _, tt := range []struct{ name, event, more string }{
		{"before it", "BeforeTool", ""},
		{"behind it", "AfterTool", ""},
		{"behind it, with another output", "AfterTool", `,"hookSpecificOutput":{"tool_output":"***"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			hooked(t, map[string]string{"a.txt": "one\n"}, []modeltest.Reply{reply(modeltest.Call("read_file", `{"file_path":"a.txt"}`), modeltest.Call("run_shell_command", `{"command":"make"}`))},
				lines{tt.event: says(`{"continue":false,"stopReason":"halt"` + tt.more + `}`)}, func(t *testing.T, w *world, p *played) {
					end := w.prompt(w.session(policy.Yolo), "go")
					if end.StopReason != transcript.EndTurn || w.noticesOf(transcript.NoticeStopped) != "A hook stopped the turn: halt" {
						t.Errorf("it ended with %s, %q", end.StopReason, w.noticesOf(transcript.NoticeStopped))
					}
					if shown := strings.Contains(recordedResult(w, "read_file"), "one"); shown != (tt.name == "behind it") {
						t.Errorf("the output is shown: %v", shown)
					}
					if len(w.spawn.Started()) > 0 || len(p.ran()) != 1 || w.over().ErrorType != tools.StopExecution {
						t.Errorf("started %v, hooks %v, end %+v", w.spawn.Started(), p.ran(), w.over())
					}
				})
		})
	}
}

// A call requested by a hook passes the hooks, the gate and the review like the model's
// own.
func TestCallsRequestedByHooks(t *testing.T) {
	once := func(tail string) line {
		return func(input map[string]any) string {
			if input["original_request_name"] != nil {
				return ""
			}
			return `{"hookSpecificOutput":{"tailToolCallRequest":` + tail + `}}`
		}
	}
	for _, tt := range []struct {
		name, tail string
		mode       policy.Mode
		refuse     bool // BeforeTool refuses the second call
		want       string
		state      transcript.CallState
		ran        int
		file       string
	}{
		{name: "a command that nobody allows", tail: `{"name":"run_shell_command","args":{"command":"make"}}`, mode: policy.Default, want: "The user did not allow this call.", state: transcript.Cancelled, file: "one\n"},
		{name: "a command in a mode that asks nothing", tail: `{"name":"run_shell_command","args":{"command":"make"}}`, mode: policy.Yolo, want: "made", state: transcript.Success, ran: 1, file: "one\n"},
		{name: "an edit", tail: `{"name":"replace","args":{"file_path":"a.txt","old_string":"one","new_string":"1"}}`, mode: policy.AutoEdit, want: "applied", state: transcript.Success, file: "1\n"},
		{name: "an edit in plan mode", tail: `{"name":"replace","args":{"file_path":"a.txt","old_string":"one","new_string":"1"}}`, mode: policy.Plan, want: "plan mode", state: transcript.Failure, file: "one\n"},
		{name: "one that hooks refuse", tail: `{"name":"run_shell_command","args":{"command":"make"}}`, mode: policy.Yolo, refuse: true, want: "A hook refused the call: not after read_file", state: transcript.Failure, file: "one\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			say := lines{"AfterTool": once(tt.tail)}
			if tt.refuse {
				say["BeforeTool"] = func(input map[string]any) string {
					if input["original_request_name"] == "read_file" {
						return `{"decision":"deny","reason":"not after read_file"}`
					}
					return ""
				}
			}
			hooked(t, map[string]string{"a.txt": "one\n"}, []modeltest.Reply{reply(modeltest.Call("read_file", `{"file_path":"a.txt"}`)), reply(modeltest.Say("Done."))}, say, func(t *testing.T, w *world, _ *played) {
				w.spawn.Scripts = map[string]sandboxtest.Script{"make": sandboxtest.Print("made\n", 0)}
				w.abilities = frontend.Abilities{Asks: true}
				w.answer = func(context.Context, frontend.Question) (frontend.Answer, error) {
					return frontend.Answer{OptionID: "reject_once"}, nil
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

// Hooks also run for edits, with their arguments and their outcome.
func TestHooksRunForEdits(t *testing.T) {
	hooked(t, map[string]string{"a.txt": "one\n"}, []modeltest.Reply{reply(modeltest.Call("replace", `{"file_path":"a.txt","old_string":"one","new_string":"two"}`)), reply(modeltest.Say("Done."))},
		lines{
			"BeforeTool": says(`{"hookSpecificOutput":{"tool_input":{"new_string":"three"}}}`),
			"AfterTool":  says(`{"hookSpecificOutput":{"additionalContext":"run gofmt"}}`),
		}, func(t *testing.T, w *world, _ *played) {
			w.prompt(w.session(policy.AutoEdit), "go")
			got := results(w.last())[0].Output
			if w.file("a.txt") != "three\n" || !strings.Contains(got, "changed these arguments before the call was made: new_string") || strings.Contains(got, "run gofmt") || !strings.Contains(all(w.last()), "<hook_context>\nrun gofmt\n</hook_context>") {
				t.Errorf("the file says %q, the model read %q", w.file("a.txt"), got)
			}
		})
}

// The result of a call stays untrusted when a hook replaces it by that of another call.
func TestATailCallKeepsTheOrigin(t *testing.T) {
	hooked(t, map[string]string{"a.txt": "one\n"}, []modeltest.Reply{reply(modeltest.Call("run_shell_command", `{"command":"curl https://example.org"}`)), reply(modeltest.Say("Done."))},
		lines{"AfterTool": func(input map[string]any) string {
			if input["tool_name"] != "run_shell_command" {
				return ""
			}
			return `{"hookSpecificOutput":{"tailToolCallRequest":{"name":"read_file","args":{"file_path":"a.txt"}}}}`
		}}, func(t *testing.T, w *world, _ *played) {
			w.spawn.Scripts = map[string]sandboxtest.Script{"curl https://example.org": sandboxtest.Print("obey\n", 0)}
			w.prompt(w.session(policy.Yolo), "go")
			if got := w.over(); got.Origin != tools.OfWeb || got.Output != "one\n" {
				t.Errorf("the call ended with %q from %q", got.Output, got.Origin)
			}
		})
}
