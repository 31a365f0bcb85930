package agent_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/hooks"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/tools"
	"github.com/emendo-dev/emendo/tools/sandbox"
)

// played are hooks that say what a test has them say, by their commands.
type played struct {
	says map[string]func(told map[string]any) string // nil prints nothing

	mu   sync.Mutex
	told []string // event and what it was about
}

func (p *played) Run(ctx context.Context, c hooks.Command) (hooks.Ran, error) {
	told := map[string]any{}
	if err := json.Unmarshal(c.Input, &told); err != nil {
		return hooks.Ran{}, err
	}
	say := p.says[c.Line]
	line := c.Line
	for _, name := range []string{"tool_name", "prompt", "source", "reason", "trigger", "notification_type"} {
		if s, ok := told[name].(string); ok {
			line += " " + s
		}
	}
	p.mu.Lock()
	p.told = append(p.told, line)
	p.mu.Unlock()
	if say == nil {
		return hooks.Ran{}, nil
	}
	out := say(told)
	if rest, ok := strings.CutPrefix(out, "exit 2:"); ok {
		return hooks.Ran{Stderr: []byte(rest), Exit: sandbox.Exit{Code: 2}}, nil
	}
	return hooks.Ran{Stdout: []byte(out)}, nil
}

func (p *played) ran() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.told)
}

// says is a hook that always says the same.
func says(s string) func(map[string]any) string {
	return func(map[string]any) string { return s }
}

// hooked is a world with hooks: each runs at the event that its command names,
// and is the user's.
func hooked(t *testing.T, files map[string]string, replies []modeltest.Reply, say map[string]func(map[string]any) string, f func(t *testing.T, w *world, p *played)) {
	t.Helper()
	p := &played{says: say}
	inWorld(t, files, replies, func(t *testing.T, w *world) {
		var all []hooks.Hook
		for line := range say {
			event, _, _ := strings.Cut(line, "-")
			all = append(all, hooks.Hook{Event: hooks.Event(event), Source: hooks.User, Command: line})
		}
		w.stop()
		w.options = func(o *agent.Options) {
			o.HookRunner, o.Hooks = p, hooks.Config{Hooks: all}
			o.Tools = append(o.Tools, tools.NewWriteTodos())
		}
		w.start()
		f(t, w, p)
	})
}

// noticesOf are titles and descriptions of the notices with that code.
func (w *world) noticesOf(code agent.NoticeCode) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var l []string
	for _, u := range w.updates {
		if e, ok := u.Event.(agent.Notice); ok && e.Code == code {
			l = append(l, strings.TrimSuffix(e.Title+": "+e.Description, ": "))
		}
	}
	return strings.Join(l, "\n")
}

func reply(steps ...modeltest.Step) modeltest.Reply { return modeltest.Reply(steps) }

func TestHooksGoBeforeATurn(t *testing.T) {
	for _, tt := range []struct {
		name    string
		say     map[string]func(map[string]any) string
		want    agent.StopReason
		told    string // what the model reads in the end; empty: it is not asked
		notices agent.NoticeCode
		notice  string
	}{
		{
			name: "what they add is read with the prompt", want: agent.EndTurn,
			say:  map[string]func(map[string]any) string{"SessionStart": says(`{"hookSpecificOutput":{"additionalContext":"begin"}}`), "BeforeAgent": says(`{"hookSpecificOutput":{"additionalContext":"a <b>"}}`)},
			told: "do it\n<hook_context>\nbegin\n</hook_context>\n<hook_context>\na &lt;b&gt;\n</hook_context>\n", notices: agent.NoticeError,
		},
		{
			name: "they refuse the prompt, which is forgotten", want: agent.StopBlocked, notices: agent.NoticeBlocked, notice: "A hook blocked the turn: not this",
			say: map[string]func(map[string]any) string{"BeforeAgent": says(`exit 2:not this`)},
		},
		{
			name: "they stop the turn", want: agent.EndTurn, notices: agent.NoticeStopped, notice: "A hook stopped the turn: later",
			say: map[string]func(map[string]any) string{"BeforeAgent": says(`{"continue":false,"stopReason":"later"}`)},
		},
		{
			name: "the beginning of a session cannot be blocked", want: agent.EndTurn, notices: agent.NoticeBlocked, told: "do it\n",
			say: map[string]func(map[string]any) string{"SessionStart": says(`{"decision":"block","continue":false}`)},
		},
		{
			name: "a message is shown", want: agent.EndTurn, notices: agent.NoticeHook, told: "do it\n", notice: "The hook BeforeAgent ran at BeforeAgent (0s, ok): hello",
			say: map[string]func(map[string]any) string{"BeforeAgent": says(`hello`)},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			hooked(t, nil, []modeltest.Reply{reply(modeltest.Say("Yes."))}, tt.say, func(t *testing.T, w *world, _ *played) {
				s := w.session(agent.Default)
				if end := w.prompt(s, "do it"); end.StopReason != tt.want {
					t.Errorf("it ended with %s", end.StopReason)
				}
				if got := w.noticesOf(tt.notices); got != tt.notice {
					t.Errorf("the notice is %q, want %q", got, tt.notice)
				}
				if tt.told == "" {
					if n := len(w.model.Requests()); n != 0 {
						t.Errorf("the model was asked %d times", n)
					}
				} else if got := all(w.last()); !strings.HasSuffix(got, tt.told) {
					t.Errorf("the model read %q, want %q at its end", got, tt.told)
				}
				// A prompt that was blocked is none for the next turn, nor after a restart; one that was stopped is.
				w.stop()
				w.options = nil
				w.start()
				s, err := w.agent.Session(t.Context(), s.ID())
				if err != nil {
					t.Fatal(err)
				}
				w.model.Replies = append(w.model.Replies, reply(modeltest.Say("Again.")))
				w.prompt(s, "next")
				if got := strings.Contains(all(w.last()), "do it"); got == (tt.want == agent.StopBlocked) {
					t.Errorf("the first prompt is in the history: %v", got)
				}
			})
		})
	}
}

func TestHooksGoBehindATurn(t *testing.T) {
	hooked(t, nil, []modeltest.Reply{reply(modeltest.Say("One.")), reply(modeltest.Say("Two."))}, map[string]func(map[string]any) string{
		"AfterAgent": func(told map[string]any) string {
			if told["stop_hook_active"] == true {
				if told["prompt_response"] != "One.\nTwo." || told["prompt"] != "go" {
					return `{"systemMessage":"it was told otherwise"}`
				}
				return ""
			}
			return `{"decision":"block","reason":"and the tests?"}`
		},
	}, func(t *testing.T, w *world, p *played) {
		end := w.prompt(w.session(agent.Default), "go")
		if end.StopReason != agent.EndTurn || len(p.ran()) != 2 {
			t.Errorf("it ended with %s, hooks %v", end.StopReason, p.ran())
		}
		if got := all(w.last()); !strings.HasSuffix(got, "One.\nand the tests?\n") {
			t.Errorf("the model read %q", got)
		}
		if got := w.noticesOf(agent.NoticeHook); strings.Contains(got, "otherwise") {
			t.Error(got)
		}
	})
}

// A hook that is never content has a turn go on for a while, and not for ever.
func TestAHookIsNeverContent(t *testing.T) {
	var replies []modeltest.Reply
	for range 11 {
		replies = append(replies, reply(modeltest.Say("Done.")))
	}
	hooked(t, nil, replies, map[string]func(map[string]any) string{"AfterAgent": says("exit 2:more")}, func(t *testing.T, w *world, p *played) {
		end := w.prompt(w.session(agent.Default), "go")
		if end.StopReason != agent.EndTurn || end.Halted != "more" || len(w.model.Requests()) != 11 {
			t.Errorf("it ended with %s, %q, after %d requests", end.StopReason, end.Halted, len(w.model.Requests()))
		}
	})
}

func TestAHookClearsTheContext(t *testing.T) {
	hooked(t, nil, []modeltest.Reply{reply(modeltest.Say("One.")), reply(modeltest.Say("Two."))}, map[string]func(map[string]any) string{
		"AfterAgent": says(`{"continue":false,"stopReason":"enough","hookSpecificOutput":{"clearContext":true}}`),
	}, func(t *testing.T, w *world, _ *played) {
		s := w.session(agent.Default)
		w.prompt(s, "first")
		w.prompt(s, "second")
		if got := all(w.last()); strings.Contains(got, "first") || strings.Contains(got, "One.") || !strings.Contains(got, "second") {
			t.Errorf("the model read %q", got)
		}
	})
}

func TestHooksLookAtCalls(t *testing.T) {
	read := modeltest.Call("read_file", `{"file_path":"a.txt"}`)
	for _, tt := range []struct {
		name  string
		call  modeltest.Step
		say   map[string]func(map[string]any) string
		want  string // result that the model reads
		state agent.CallState
		errs  tools.ErrorType
	}{
		{name: "refused with words", call: read, say: map[string]func(map[string]any) string{"BeforeTool": says("exit 2:not a.txt")}, want: "A hook refused the call: not a.txt", state: agent.Failure, errs: tools.PolicyViolation},
		{name: "refused with JSON", call: read, say: map[string]func(map[string]any) string{"BeforeTool": says(`{"decision":"deny","reason":"no"}`)}, want: "A hook refused the call: no", state: agent.Failure, errs: tools.PolicyViolation},
		{name: "other arguments", call: read, say: map[string]func(map[string]any) string{"BeforeTool": says(`{"hookSpecificOutput":{"tool_input":{"file_path":"b.txt"}}}`)}, want: "two\n\n(System note: a hook of the user's changed these arguments before the call was made: file_path.)", state: agent.Success},
		{name: "arguments that the tool does not take", call: read, say: map[string]func(map[string]any) string{"BeforeTool": says(`{"hookSpecificOutput":{"tool_input":{"file_path":7}}}`)}, want: "file_path", state: agent.Failure, errs: tools.InvalidParams},
		{name: "the same arguments", call: read, say: map[string]func(map[string]any) string{"BeforeTool": says(`{"hookSpecificOutput":{"tool_input":{"file_path": "a.txt"}}}`)}, want: "one\n", state: agent.Success},
		{name: "something to read besides", call: read, say: map[string]func(map[string]any) string{"AfterTool": says(`{"hookSpecificOutput":{"additionalContext":"mind <it>"}}`)}, want: "one\n\n<hook_context>\nmind &lt;it&gt;\n</hook_context>", state: agent.Success},
		{name: "withheld", call: read, say: map[string]func(map[string]any) string{"AfterTool": says(`{"decision":"block","reason":"secret"}`)}, want: "A hook withheld the result of this call: secret", state: agent.Failure, errs: tools.PolicyViolation},
		{name: "another output", call: read, say: map[string]func(map[string]any) string{"AfterTool": says(`{"hookSpecificOutput":{"tool_output":"***"}}`)}, want: "***", state: agent.Success},
		{name: "another call", call: read, say: map[string]func(map[string]any) string{"AfterTool": func(told map[string]any) string {
			if told["tool_name"] == "read_file" && told["original_request_name"] == nil {
				return `{"hookSpecificOutput":{"tailToolCallRequest":{"name":"list_directory","args":{"dir_path":"."}}}}`
			}
			return ""
		}}, want: "b.txt", state: agent.Success},
		{name: "another call that there is not", call: read, say: map[string]func(map[string]any) string{"AfterTool": says(`{"hookSpecificOutput":{"tailToolCallRequest":{"name":"nothing"}}}`)}, want: "There is no tool \"nothing\"", state: agent.Failure, errs: tools.NotRegistered},
		{name: "calls without end", call: read, say: map[string]func(map[string]any) string{"AfterTool": says(`{"hookSpecificOutput":{"tailToolCallRequest":{"name":"read_file","args":{"file_path":"b.txt"}}}}`)}, want: "two\n\n(A hook wanted yet another call, of read_file; 8 were made, which is enough.)", state: agent.Success},
		{name: "leave lifts no question", call: modeltest.Call("run_shell_command", `{"command":"make"}`), say: map[string]func(map[string]any) string{"BeforeTool": says(`{"decision":"allow"}`)}, want: "The user did not allow this call.", state: agent.Failure, errs: tools.PolicyViolation},
	} {
		t.Run(tt.name, func(t *testing.T) {
			hooked(t, map[string]string{"a.txt": "one\n", "b.txt": "two\n"}, []modeltest.Reply{reply(tt.call), reply(modeltest.Say("Done."))}, tt.say, func(t *testing.T, w *world, _ *played) {
				w.answer = func(context.Context, agent.Question) (agent.Answer, error) {
					return agent.Answer{OptionID: "reject_once"}, nil
				}
				w.prompt(w.session(agent.Default), "go")
				r := results(w.last())
				if len(r) != 1 || !strings.Contains(r[0].Output, tt.want) {
					t.Errorf("the model read %+v, want %q", r, tt.want)
				}
				if got := w.over(); got.State != tt.state || got.ErrorType != tt.errs {
					t.Errorf("the call ended as %s %s", got.State, got.ErrorType)
				}
			})
		})
	}
}

// over is the last end of a call.
func (w *world) over() (last agent.ToolUpdate) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, u := range w.updates {
		if e, ok := u.Event.(agent.ToolUpdate); ok && e.Over() {
			last = e
		}
	}
	return last
}

func TestAHookHasTheUserAsked(t *testing.T) {
	say := map[string]func(map[string]any) string{"BeforeTool": says(`{"decision":"ask","reason":"are you sure?"}`), "Notification": says("")}
	for _, tt := range []struct {
		name string
		call modeltest.Step
		can  agent.Abilities
		want string
	}{
		{"about reading", modeltest.Call("read_file", `{"file_path":"a.txt"}`), agent.Abilities{Asks: true}, "one\n"},
		{"about a list that nobody need be asked about", modeltest.Call("write_todos", `{"todos":[]}`), agent.Abilities{Asks: true}, ""},
		{"about an edit in a mode that asks nothing", modeltest.Call("replace", `{"file_path":"a.txt","old_string":"one","new_string":"1"}`), agent.Abilities{Asks: true}, "accepted"},
		{"where nobody is", modeltest.Call("read_file", `{"file_path":"a.txt"}`), agent.Abilities{}, "nobody is there"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			hooked(t, map[string]string{"a.txt": "one\n"}, []modeltest.Reply{reply(tt.call), reply(modeltest.Say("Done."))}, say, func(t *testing.T, w *world, p *played) {
				w.abilities = tt.can
				w.prompt(w.session(agent.AutoEdit), "go")
				if r := results(w.last()); !strings.Contains(r[0].Output, tt.want) {
					t.Errorf("the model read %q, want %q", r[0].Output, tt.want)
				}
				if !tt.can.Asks {
					return
				}
				if len(w.questions) != 1 || !strings.Contains(w.questions[0].Reason, "are you sure?") {
					t.Errorf("asked %+v", w.questions)
				}
				if ran := p.ran(); !slices.Contains(ran, "Notification ToolPermission") {
					t.Errorf("ran %q", ran)
				}
			})
		})
	}
}

// A hook that stops everything at a call ends the turn; later calls of the same
// response are not made.
func TestAHookStopsTheTurnAtACall(t *testing.T) {
	for _, event := range []string{"BeforeTool", "AfterTool"} {
		t.Run(event, func(t *testing.T) {
			hooked(t, map[string]string{"a.txt": "one\n"}, []modeltest.Reply{reply(modeltest.Call("read_file", `{"file_path":"a.txt"}`), modeltest.Call("run_shell_command", `{"command":"make"}`))},
				map[string]func(map[string]any) string{event: says(`{"continue":false,"stopReason":"halt"}`)}, func(t *testing.T, w *world, p *played) {
					end := w.prompt(w.session(agent.Yolo), "go")
					if end.StopReason != agent.EndTurn || w.noticesOf(agent.NoticeStopped) != "A hook stopped the turn: halt" {
						t.Errorf("it ended with %s, %q", end.StopReason, w.noticesOf(agent.NoticeStopped))
					}
					if len(w.spawn.Started()) > 0 || len(p.ran()) != 1 || w.over().ErrorType != tools.StopExecution {
						t.Errorf("started %v, hooks %v, end %+v", w.spawn.Started(), p.ran(), w.over())
					}
				})
		})
	}
}

func TestHooksLookAtRequests(t *testing.T) {
	hooked(t, nil, []modeltest.Reply{reply(modeltest.Say("Yes."))}, map[string]func(map[string]any) string{
		"BeforeModel": func(told map[string]any) string {
			req := told["llm_request"].(map[string]any)
			ms := req["messages"].([]any)
			ms[len(ms)-1].(map[string]any)["content"] = "be kind"
			b, _ := json.Marshal(map[string]any{"hookSpecificOutput": map[string]any{"llm_request": map[string]any{"model": "other-model", "messages": ms, "config": map[string]any{"temperature": 0.5, "maxOutputTokens": 7}}}})
			return string(b)
		},
		"BeforeToolSelection": says(`{"hookSpecificOutput":{"toolConfig":{"mode":"ANY","allowedFunctionNames":["glob","read_file"]}}}`),
	}, func(t *testing.T, w *world, _ *played) {
		end := w.prompt(w.session(agent.Default), "go")
		req := w.last()
		var names []string
		for _, tool := range req.Tools {
			names = append(names, tool.Name)
		}
		slices.Sort(names)
		if _, ok := end.Models["test-model"]; ok {
			t.Errorf("what the answers cost is %v", end.Models)
		}
		if got := all(req); req.Model != "other-model" || got != "be kind\n" || !slices.Equal(names, []string{"glob", "read_file"}) || req.Choice != model.MustCall {
			t.Errorf("asked %s %q with %v, %v", req.Model, got, names, req.Choice)
		}
		if req.Config.Temperature == nil || *req.Config.Temperature != 0.5 || req.Config.MaxTokens != 7 {
			t.Errorf("configured %+v", req.Config)
		}
	})
}

func TestHooksAnswerForTheModel(t *testing.T) {
	for _, tt := range []struct {
		name, say, notice string
		want              agent.StopReason
		shown             string
	}{
		{"an answer of their own", `{"hookSpecificOutput":{"llm_response":{"candidates":[{"content":{"role":"model","parts":["I am ","a hook."]}}]}}}`, "", agent.EndTurn, "I am a hook."},
		{"a refusal with an answer", `{"decision":"block","reason":"no","hookSpecificOutput":{"llm_response":{"candidates":[{"content":{"parts":["Sorry."]},"finishReason":"STOP"}]}}}`, "A hook blocked the turn: no", agent.StopBlocked, "Sorry."},
		{"a refusal", `exit 2:no`, "A hook blocked the turn: no", agent.StopBlocked, ""},
		{"a stop", `{"continue":false,"stopReason":"no"}`, "", agent.EndTurn, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			hooked(t, nil, nil, map[string]func(map[string]any) string{"BeforeModel": says(tt.say)}, func(t *testing.T, w *world, _ *played) {
				s := w.session(agent.Default)
				end := w.prompt(s, "go")
				if end.StopReason != tt.want || w.shown() != tt.shown || w.noticesOf(agent.NoticeBlocked) != tt.notice || len(w.model.Requests()) > 0 {
					t.Errorf("ended with %s, showing %q, %q, after %d requests", end.StopReason, w.shown(), w.noticesOf(agent.NoticeBlocked), len(w.model.Requests()))
				}
			})
		})
	}
}

func TestHooksLookAtAnswers(t *testing.T) {
	hooked(t, nil, []modeltest.Reply{reply(modeltest.Say("my key is "), modeltest.Say("k-123"), modeltest.Say(".")), reply(modeltest.Say("Bye."))}, map[string]func(map[string]any) string{
		"AfterModel": func(told map[string]any) string {
			if text, _ := told["llm_response"].(map[string]any)["text"].(string); text == "k-123" {
				return `{"hookSpecificOutput":{"llm_response":{"candidates":[{"content":{"role":"model","parts":["***"]}}]}}}`
			}
			return ""
		},
	}, func(t *testing.T, w *world, _ *played) {
		s := w.session(agent.Default)
		w.prompt(s, "go")
		if got := w.shown(); got != "my key is ***." {
			t.Errorf("shown %q", got)
		}
		w.prompt(s, "more")
		if got := all(w.last()); !strings.Contains(got, "my key is ***.") || strings.Contains(got, "k-123") {
			t.Errorf("the model reads %q of itself", got)
		}
	})
}

func TestAHookEndsAnAnswer(t *testing.T) {
	hooked(t, nil, []modeltest.Reply{reply(modeltest.Say("One."), modeltest.Say("Two."), modeltest.Call("read_file", `{"file_path":"a"}`))}, map[string]func(map[string]any) string{
		"AfterModel": func(told map[string]any) string {
			if text, _ := told["llm_response"].(map[string]any)["text"].(string); text == "Two." {
				return `{"decision":"deny","reason":"no two"}`
			}
			return ""
		},
	}, func(t *testing.T, w *world, _ *played) {
		end := w.prompt(w.session(agent.Default), "go")
		if end.StopReason != agent.StopBlocked || w.shown() != "One." || len(w.states()) > 0 {
			t.Errorf("ended with %s, showing %q, calls %v", end.StopReason, w.shown(), w.states())
		}
	})
}

func TestHooksOfASession(t *testing.T) {
	hooked(t, nil, []modeltest.Reply{reply(modeltest.Say("One.")), reply(modeltest.Say("Two.")), reply(modeltest.Say("A summary.")), reply(modeltest.Say("Three.")), reply(modeltest.Say("Four."))},
		map[string]func(map[string]any) string{"SessionStart": nil, "SessionEnd": nil, "PreCompress": nil}, func(t *testing.T, w *world, p *played) {
			s := w.session(agent.Default)
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

// Nothing runs in a restricted folder; a project's hook runs once it is
// approved, and not where nobody can be asked.
func TestHooksNeedTrust(t *testing.T) {
	hooked(t, nil, []modeltest.Reply{reply(modeltest.Say("One.")), reply(modeltest.Say("Two."))}, map[string]func(map[string]any) string{"BeforeAgent": nil}, func(t *testing.T, w *world, p *played) {
		s := w.session(agent.Default)
		w.trusted = false
		w.prompt(s, "a")
		if len(p.ran()) > 0 {
			t.Errorf("ran %q in a restricted folder", p.ran())
		}
		w.trusted = true
		w.prompt(s, "b")
		if len(p.ran()) != 1 {
			t.Errorf("ran %q in a trusted folder", p.ran())
		}
	})
}

func TestAFailingHookIsToldOnce(t *testing.T) {
	hooked(t, nil, []modeltest.Reply{reply(modeltest.Say("One.")), reply(modeltest.Say("Two."))}, map[string]func(map[string]any) string{"BeforeAgent": says("exit 2:")}, func(t *testing.T, w *world, _ *played) {
		s := w.session(agent.Default)
		w.prompt(s, "a")
		w.prompt(s, "b")
		if got, want := w.noticesOf(agent.NoticeHook), "The hook BeforeAgent failed: BeforeAgent: it exited with code 2 and said nothing. What it was to look at goes on without it."; got != want {
			t.Errorf("told %q, want %q", got, want)
		}
	})
}

// Cancelling does not wait for a hook.
func TestCancellingEndsAHook(t *testing.T) {
	inWorld(t, nil, nil, func(t *testing.T, w *world) {
		w.stop()
		w.options = func(o *agent.Options) {
			o.HookRunner, o.Hooks = stuck{}, hooks.Config{Hooks: []hooks.Hook{{Event: hooks.BeforeAgent, Source: hooks.User, Command: "x"}}}
		}
		w.start()
		s := w.session(agent.Default)
		end := w.begin(s, "go")
		begun := time.Now()
		s.Cancel("")
		e, err := end()
		if err != nil || e.StopReason != agent.StopCancelled || time.Since(begun) > 200*time.Millisecond {
			t.Errorf("it ended with %s, %v, after %s", e.StopReason, err, time.Since(begun))
		}
	})
}

// stuck are hooks that go on until they are ended.
type stuck struct{}

func (stuck) Run(ctx context.Context, _ hooks.Command) (hooks.Ran, error) {
	<-ctx.Done()
	return hooks.Ran{}, nil
}
