package turn_test

import (
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/agenttest"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
)

func TestHooksBeforeATurn(t *testing.T) {
	for _, tt := range []struct {
		name    string
		say     agenttest.HookLines
		want    transcript.StopReason
		sent    string // end of the request; may be empty
		notices transcript.NoticeCode
		notice  string
	}{
		{
			name: "what they add is read with the prompt", want: transcript.EndTurn,
			say:  agenttest.HookLines{"SessionStart": says(`{"hookSpecificOutput":{"additionalContext":"begin"}}`), "BeforeAgent": says(`{"hookSpecificOutput":{"additionalContext":"a <b>"}}`)},
			sent: "do it\n<hook_context>\nbegin\n</hook_context>\n<hook_context>\na &lt;b&gt;\n</hook_context>\n", notices: transcript.NoticeError,
		},
		{
			name: "they refuse the prompt, which is forgotten", want: transcript.StopBlocked, notices: transcript.NoticeBlocked, notice: "A hook blocked the turn: not this",
			say: agenttest.HookLines{"BeforeAgent": says(`exit 2:not this`)},
		},
		{
			name: "they stop the turn", want: transcript.EndTurn, notices: transcript.NoticeStopped, notice: "A hook stopped the turn: later",
			say: agenttest.HookLines{"BeforeAgent": says(`{"continue":false,"stopReason":"later"}`)},
		},
		{
			name: "the beginning of a session cannot be blocked", want: transcript.EndTurn, notices: transcript.NoticeBlocked, sent: "do it\n",
			say: agenttest.HookLines{"SessionStart": says(`{"decision":"block","continue":false}`)},
		},
		{
			name: "a message is shown", want: transcript.EndTurn, notices: transcript.NoticeHook, sent: "do it\n", notice: "The hook BeforeAgent ran at BeforeAgent (0s, ok): hello",
			say: agenttest.HookLines{"BeforeAgent": says(`hello`)},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			agenttest.WithHooks(t, nil, []modeltest.Reply{agenttest.Reply(modeltest.Say("Yes."))}, tt.say, func(t *testing.T, w *agenttest.World, _ *agenttest.PlayedHooks) {
				s := w.Session(policy.Default)
				if end := w.Prompt(s, "do it"); end.StopReason != tt.want {
					t.Errorf("it ended with %s", end.StopReason)
				}
				if got := w.NoticesOf(tt.notices); got != tt.notice {
					t.Errorf("the notice is %q, want %q", got, tt.notice)
				}
				if tt.sent == "" {
					if n := len(w.Model.Requests()); n != 0 {
						t.Errorf("the model was asked %d times", n)
					}
				} else if got := agenttest.TextOf(w.LastRequest()); !strings.HasSuffix(got, tt.sent) {
					t.Errorf("the model read %q, want %q at its end", got, tt.sent)
				}
				// A blocked prompt is not in the next turn, nor after a restart; a stopped one is.
				w.Stop()
				w.Options = nil
				w.Start()
				s, err := w.Agent.Session(t.Context(), s.ID())
				if err != nil {
					t.Fatal(err)
				}
				w.Model.Replies = append(w.Model.Replies, agenttest.Reply(modeltest.Say("Again.")))
				w.Prompt(s, "next")
				if got := strings.Contains(agenttest.TextOf(w.LastRequest()), "do it"); got == (tt.want == transcript.StopBlocked) {
					t.Errorf("the first prompt is in the history: %v", got)
				}
			})
		})
	}
}

// Hooks run for steering prompts as for the prompt of a turn.
func TestHooksRunForSteeringPrompts(t *testing.T) {
	for _, tt := range []struct {
		name, say, sent, notice string
		asks                    int // number of requests
	}{
		{"what they add is read with it", `{"hookSpecificOutput":{"additionalContext":"mind"}}`, "meanwhile\n<hook_context>\nmind\n</hook_context>\n", "", 2},
		{"they refuse it", `exit 2:not this`, "", "A hook blocked your message: not this", 1},
		{"they stop the turn", `{"continue":false,"stopReason":"later"}`, "", "A hook stopped the turn: later", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			agenttest.WithHooks(t, nil, nil, agenttest.HookLines{"BeforeAgent": func(input map[string]any) string {
				if input["prompt"] == "meanwhile" {
					return tt.say
				}
				return ""
			}}, func(t *testing.T, w *agenttest.World, _ *agenttest.PlayedHooks) {
				hold := make(chan struct{})
				w.Model.Replies = []modeltest.Reply{agenttest.Reply(modeltest.Hold(hold), modeltest.Say("One.")), agenttest.Reply(modeltest.Say("Two."))}
				s := w.Session(policy.Default)
				ended := w.Begin(s, "go")
				if _, err := s.Submit(t.Context(), state.Prompt{Blocks: agenttest.Say("meanwhile")}, agent.Steer); err != nil {
					t.Fatal(err)
				}
				close(hold)
				if end, err := ended(); err != nil || end.StopReason != transcript.EndTurn {
					t.Errorf("it ended with %s, %v", end.StopReason, err)
				}
				if got := agenttest.TextOf(w.LastRequest()); !strings.HasSuffix(got, tt.sent) || strings.Contains(got, "meanwhile") != (tt.sent != "") || len(w.Model.Requests()) != tt.asks {
					t.Errorf("asked %d times, the model read %q", len(w.Model.Requests()), got)
				}
				if got := strings.TrimSpace(w.NoticesOf(transcript.NoticeBlocked) + "\n" + w.NoticesOf(transcript.NoticeStopped)); got != tt.notice {
					t.Errorf("got %q, want %q", got, tt.notice)
				}
			})
		})
	}
}

func TestHooksAfterATurn(t *testing.T) {
	agenttest.WithHooks(t, nil, []modeltest.Reply{agenttest.Reply(modeltest.Say("One.")), agenttest.Reply(modeltest.Say("Two."))}, agenttest.HookLines{
		"AfterAgent": func(input map[string]any) string {
			if input["stop_hook_active"] == true {
				if input["prompt_response"] != "One.\nTwo." || input["prompt"] != "go" {
					return `{"systemMessage":"wrong input"}`
				}
				return ""
			}
			return `{"decision":"block","reason":"and the tests?"}`
		},
	}, func(t *testing.T, w *agenttest.World, p *agenttest.PlayedHooks) {
		end := w.Prompt(w.Session(policy.Default), "go")
		if end.StopReason != transcript.EndTurn || len(p.Ran()) != 2 {
			t.Errorf("it ended with %s, hooks %v", end.StopReason, p.Ran())
		}
		if got := agenttest.TextOf(w.LastRequest()); !strings.HasSuffix(got, "One.\nand the tests?\n") {
			t.Errorf("the model read %q", got)
		}
		if got := w.NoticesOf(transcript.NoticeHook); strings.Contains(got, "otherwise") {
			t.Error(got)
		}
		if got := w.NoticesOf(transcript.NoticeBlocked); got != "A hook continued the turn: and the tests?" {
			t.Errorf("the user is told %q", got)
		}
	})
}

// A hook that always asks to continue does not keep a turn running forever.
func TestAHookCannotContinueATurnForever(t *testing.T) {
	var replies []modeltest.Reply
	for range 11 {
		replies = append(replies, agenttest.Reply(modeltest.Say("Done.")))
	}
	agenttest.WithHooks(t, nil, replies, agenttest.HookLines{"AfterAgent": says("exit 2:more")}, func(t *testing.T, w *agenttest.World, p *agenttest.PlayedHooks) {
		end := w.Prompt(w.Session(policy.Default), "go")
		if end.StopReason != transcript.EndTurn || end.Halted != "more" || len(w.Model.Requests()) != 11 {
			t.Errorf("it ended with %s, %q, after %d requests", end.StopReason, end.Halted, len(w.Model.Requests()))
		}
	})
}

func TestAHookClearsTheContext(t *testing.T) {
	agenttest.WithHooks(t, nil, []modeltest.Reply{agenttest.Reply(modeltest.Say("One.")), agenttest.Reply(modeltest.Say("Two."))}, agenttest.HookLines{
		"AfterAgent": says(`{"continue":false,"stopReason":"enough","hookSpecificOutput":{"clearContext":true}}`),
	}, func(t *testing.T, w *agenttest.World, _ *agenttest.PlayedHooks) {
		s := w.Session(policy.Default)
		w.Prompt(s, "first")
		w.Prompt(s, "second")
		if got := agenttest.TextOf(w.LastRequest()); strings.Contains(got, "first") || strings.Contains(got, "One.") || !strings.Contains(got, "second") {
			t.Errorf("the model read %q", got)
		}
	})
}
