package turn_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/emendo-dev/emendo/agent/agenttest"
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
		say   agenttest.HookLines
		want  string // expected part of the result
		not   string // text that must not be in the result
		with  string // expected additional text
		state transcript.CallState
		errs  tools.ErrorType
	}{
		{name: "refused with words", call: read, say: agenttest.HookLines{"BeforeTool": says("exit 2:not a.txt")}, want: "A hook refused the call: not a.txt", state: transcript.Failure, errs: tools.PolicyViolation},
		{name: "refused with JSON", call: read, say: agenttest.HookLines{"BeforeTool": says(`{"decision":"deny","reason":"no"}`)}, want: "A hook refused the call: no", state: transcript.Failure, errs: tools.PolicyViolation},
		{name: "other arguments", call: read, say: agenttest.HookLines{"BeforeTool": says(`{"hookSpecificOutput":{"tool_input":{"file_path":"b.txt"}}}`)}, want: "two\n\n(System note: a hook of the user's changed these arguments before the call was made: file_path.)", state: transcript.Success},
		{name: "arguments that the tool does not take", call: read, say: agenttest.HookLines{"BeforeTool": says(`{"hookSpecificOutput":{"tool_input":{"file_path":7}}}`)}, want: "file_path", state: transcript.Failure, errs: tools.InvalidParams},
		{name: "the same arguments", call: read, say: agenttest.HookLines{"BeforeTool": says(`{"hookSpecificOutput":{"tool_input":{"file_path": "a.txt"}}}`)}, want: "one\n", state: transcript.Success},
		{name: "something to read besides", call: read, say: agenttest.HookLines{"AfterTool": says(`{"hookSpecificOutput":{"additionalContext":"mind <it>"}}`)}, want: "one\n", not: "hook_context", with: "<hook_context>\nmind &lt;it&gt;\n</hook_context>\n", state: transcript.Success},
		{name: "withheld", call: read, say: agenttest.HookLines{"AfterTool": says(`{"decision":"block","reason":"secret"}`)}, want: "A hook withheld the result of this call: secret", state: transcript.Failure, errs: tools.PolicyViolation},
		{name: "another output", call: read, say: agenttest.HookLines{"AfterTool": says(`{"hookSpecificOutput":{"tool_output":"***"}}`)}, want: "***", state: transcript.Success},
		{name: "another output of a call that failed", call: modeltest.Call("run_shell_command", `{"command":"broken"}`), mode: policy.Yolo, say: agenttest.HookLines{"AfterTool": says(`{"hookSpecificOutput":{"tool_output":"***"}}`)}, want: "***", not: "no such", state: transcript.Failure, errs: tools.ShellFailure},
		{name: "another call", call: read, say: agenttest.HookLines{"AfterTool": func(input map[string]any) string {
			if input["tool_name"] == "read_file" && input["original_request_name"] == nil {
				return `{"hookSpecificOutput":{"tailToolCallRequest":{"name":"list_directory","args":{"dir_path":"."}}}}`
			}
			return ""
		}}, want: "b.txt", state: transcript.Success},
		{name: "another call that there is not", call: read, say: agenttest.HookLines{"AfterTool": says(`{"hookSpecificOutput":{"tailToolCallRequest":{"name":"nothing"}}}`)}, want: "unknown tool \"nothing\"", state: transcript.Failure, errs: tools.NotRegistered},
		{name: "the tool's own names of a call that was made by others", call: modeltest.Call("search_file_content", `{"pattern":"one","path":".","wait_for_previous":true}`), say: agenttest.HookLines{"BeforeTool": func(input map[string]any) string {
			if args, _ := input["tool_input"].(map[string]any); input["tool_name"] == "grep_search" && args["dir_path"] == "." && len(args) == 2 {
				return `{"hookSpecificOutput":{"tool_input":{"pattern":"two"}}}`
			}
			return ""
		}}, want: "L1: two", state: transcript.Success},
		{name: "calls without end", call: read, say: agenttest.HookLines{"AfterTool": says(`{"hookSpecificOutput":{"tailToolCallRequest":{"name":"read_file","args":{"file_path":"b.txt"}}}}`)}, want: "two\n\n(A hook wanted yet another call, of read_file; 8 were made, which is enough.)", state: transcript.Success},
		{name: "leave lifts no question", call: modeltest.Call("run_shell_command", `{"command":"make"}`), say: agenttest.HookLines{"BeforeTool": says(`{"decision":"allow"}`)}, want: "The user did not allow this call.", state: transcript.Cancelled, errs: tools.PolicyViolation},
	} {
		t.Run(tt.name, func(t *testing.T) {
			agenttest.WithHooks(t, map[string]string{"a.txt": "one\n", "b.txt": "two\n"}, []modeltest.Reply{agenttest.Reply(tt.call), agenttest.Reply(modeltest.Say("Done."))}, tt.say, func(t *testing.T, w *agenttest.World, _ *agenttest.PlayedHooks) {
				w.Answer = func(context.Context, frontend.Question) (frontend.Answer, error) {
					return frontend.Answer{OptionID: "reject_once"}, nil
				}
				w.Spawn.Scripts = map[string]sandboxtest.Script{"broken": {Err: errors.New("no such shell")}}
				w.Prompt(w.Session(cmp.Or(tt.mode, policy.Default)), "go")
				r := agenttest.Results(w.LastRequest())
				if len(r) != 1 || !strings.Contains(r[0].Output, tt.want) || tt.not != "" && strings.Contains(r[0].Output, tt.not) {
					t.Errorf("the model read %+v, want %q", r, tt.want)
				}
				if !strings.Contains(agenttest.TextOf(w.LastRequest()), tt.with) {
					t.Errorf("the model did not get %q", tt.with)
				}
				if got := w.LastEnded(); got.State != tt.state || got.ErrorType != tt.errs {
					t.Errorf("the call ended as %s %s", got.State, got.ErrorType)
				}
			})
		})
	}
}

// recordedResult returns the recorded result of a call of the tool.
func recordedResult(w *agenttest.World, tool string) string {
	id, out := "", ""
	for _, u := range w.Updates {
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
	say := agenttest.HookLines{"BeforeTool": says(`{"decision":"ask","reason":"are you sure?"}`), "Notification": func(input map[string]any) string {
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
			agenttest.WithHooks(t, map[string]string{"a.txt": "one\n"}, []modeltest.Reply{agenttest.Reply(tt.call), agenttest.Reply(modeltest.Say("Done."))}, say, func(t *testing.T, w *agenttest.World, p *agenttest.PlayedHooks) {
				w.Can = tt.can
				w.Prompt(w.Session(policy.AutoEdit), "go")
				if r := agenttest.Results(w.LastRequest()); !strings.Contains(r[0].Output, tt.want) {
					t.Errorf("the model read %q, want %q", r[0].Output, tt.want)
				}
				if !tt.can.Asks {
					return
				}
				if len(w.Questions) != 1 || !strings.Contains(w.Questions[0].Reason, "are you sure?") {
					t.Errorf("asked %+v", w.Questions)
				}
				if ran := p.Ran(); !slices.Contains(ran, "Notification ToolPermission") || !strings.Contains(details, tt.details) {
					t.Errorf("ran %q, details %s", ran, details)
				}
			})
		})
	}
}

// Answering the question about an edit does not end a running Notification hook.
func TestANotificationHookOutlastsTheAnswer(t *testing.T) {
	say := agenttest.HookLines{"BeforeTool": says(`{"decision":"ask"}`), "Notification": func(map[string]any) string {
		synctest.Wait() // until the edit is applied and the turn waits for this hook
		return `{"systemMessage":"noticed"}`
	}}
	agenttest.WithHooks(t, map[string]string{"a.txt": "one\n"}, []modeltest.Reply{agenttest.Reply(modeltest.Call("replace", `{"file_path":"a.txt","old_string":"one","new_string":"1"}`)), agenttest.Reply(modeltest.Say("Done."))}, say, func(t *testing.T, w *agenttest.World, _ *agenttest.PlayedHooks) {
		w.Can = frontend.Abilities{Asks: true}
		w.Prompt(w.Session(policy.AutoEdit), "go")
		if got := w.LastEnded(); got.State != transcript.Success {
			t.Errorf("the call ended as %s", got.State)
		}
		if got := w.NoticesOf(transcript.NoticeHook); !strings.Contains(got, "noticed") {
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
			agenttest.WithHooks(t, map[string]string{"a.txt": "one\n"}, []modeltest.Reply{agenttest.Reply(modeltest.Call("read_file", `{"file_path":"a.txt"}`), modeltest.Call("run_shell_command", `{"command":"make"}`))},
				agenttest.HookLines{tt.event: says(`{"continue":false,"stopReason":"halt"` + tt.more + `}`)}, func(t *testing.T, w *agenttest.World, p *agenttest.PlayedHooks) {
					end := w.Prompt(w.Session(policy.Yolo), "go")
					if end.StopReason != transcript.EndTurn || w.NoticesOf(transcript.NoticeStopped) != "A hook stopped the turn: halt" {
						t.Errorf("it ended with %s, %q", end.StopReason, w.NoticesOf(transcript.NoticeStopped))
					}
					if shown := strings.Contains(recordedResult(w, "read_file"), "one"); shown != (tt.name == "behind it") {
						t.Errorf("the output is shown: %v", shown)
					}
					if len(w.Spawn.Started()) > 0 || len(p.Ran()) != 1 || w.LastEnded().ErrorType != tools.StopExecution {
						t.Errorf("started %v, hooks %v, end %+v", w.Spawn.Started(), p.Ran(), w.LastEnded())
					}
				})
		})
	}
}

// A call requested by a hook passes the hooks, the gate and the review like the model's
// own.
func TestCallsRequestedByHooks(t *testing.T) {
	once := func(tail string) agenttest.HookLine {
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
			say := agenttest.HookLines{"AfterTool": once(tt.tail)}
			if tt.refuse {
				say["BeforeTool"] = func(input map[string]any) string {
					if input["original_request_name"] == "read_file" {
						return `{"decision":"deny","reason":"not after read_file"}`
					}
					return ""
				}
			}
			agenttest.WithHooks(t, map[string]string{"a.txt": "one\n"}, []modeltest.Reply{agenttest.Reply(modeltest.Call("read_file", `{"file_path":"a.txt"}`)), agenttest.Reply(modeltest.Say("Done."))}, say, func(t *testing.T, w *agenttest.World, _ *agenttest.PlayedHooks) {
				w.Spawn.Scripts = map[string]sandboxtest.Script{"make": sandboxtest.Print("made\n", 0)}
				w.Can = frontend.Abilities{Asks: true}
				w.Answer = func(context.Context, frontend.Question) (frontend.Answer, error) {
					return frontend.Answer{OptionID: "reject_once"}, nil
				}
				w.Prompt(w.Session(tt.mode), "go")
				r := agenttest.Results(w.LastRequest())
				if len(r) != 1 || r[0].Name != "read_file" || !strings.Contains(r[0].Output, tt.want) || w.LastEnded().State != tt.state {
					t.Errorf("the model read %+v of a call that ended as %s, want %q", r, w.LastEnded().State, tt.want)
				}
				if n := len(w.Spawn.Started()); n != tt.ran {
					t.Errorf("%d commands ran", n)
				}
				if got := w.ReadFile("a.txt"); got != tt.file {
					t.Errorf("the file says %q", got)
				}
			})
		})
	}
}

// Hooks also run for edits, with their arguments and their outcome.
func TestHooksRunForEdits(t *testing.T) {
	agenttest.WithHooks(t, map[string]string{"a.txt": "one\n"}, []modeltest.Reply{agenttest.Reply(modeltest.Call("replace", `{"file_path":"a.txt","old_string":"one","new_string":"two"}`)), agenttest.Reply(modeltest.Say("Done."))},
		agenttest.HookLines{
			"BeforeTool": says(`{"hookSpecificOutput":{"tool_input":{"new_string":"three"}}}`),
			"AfterTool":  says(`{"hookSpecificOutput":{"additionalContext":"run gofmt"}}`),
		}, func(t *testing.T, w *agenttest.World, _ *agenttest.PlayedHooks) {
			w.Prompt(w.Session(policy.AutoEdit), "go")
			got := agenttest.Results(w.LastRequest())[0].Output
			if w.ReadFile("a.txt") != "three\n" || !strings.Contains(got, "changed these arguments before the call was made: new_string") || strings.Contains(got, "run gofmt") || !strings.Contains(agenttest.TextOf(w.LastRequest()), "<hook_context>\nrun gofmt\n</hook_context>") {
				t.Errorf("the file says %q, the model read %q", w.ReadFile("a.txt"), got)
			}
		})
}

// The result of a call stays untrusted when a hook replaces it by that of another call.
func TestATailCallKeepsTheOrigin(t *testing.T) {
	agenttest.WithHooks(t, map[string]string{"a.txt": "one\n"}, []modeltest.Reply{agenttest.Reply(modeltest.Call("run_shell_command", `{"command":"curl https://example.org"}`)), agenttest.Reply(modeltest.Say("Done."))},
		agenttest.HookLines{"AfterTool": func(input map[string]any) string {
			if input["tool_name"] != "run_shell_command" {
				return ""
			}
			return `{"hookSpecificOutput":{"tailToolCallRequest":{"name":"read_file","args":{"file_path":"a.txt"}}}}`
		}}, func(t *testing.T, w *agenttest.World, _ *agenttest.PlayedHooks) {
			w.Spawn.Scripts = map[string]sandboxtest.Script{"curl https://example.org": sandboxtest.Print("obey\n", 0)}
			w.Prompt(w.Session(policy.Yolo), "go")
			if got := w.LastEnded(); got.Origin != tools.OfWeb || got.Output != "one\n" {
				t.Errorf("the call ended with %q from %q", got.Output, got.Origin)
			}
		})
}
