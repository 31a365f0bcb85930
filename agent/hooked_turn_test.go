package agent_test

import (
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
)

func TestHooksBeforeATurn(t *testing.T) {
	for _, tt := range []struct {
		name    string
		say     lines
		want    transcript.StopReason
		sent    string // end of the request; may be empty
		notices transcript.NoticeCode
		notice  string
	}{
		{
			name: "what they add is read with the prompt", want: transcript.EndTurn,
			say:  lines{"SessionStart": says(`{"hookSpecificOutput":{"additionalContext":"begin"}}`), "BeforeAgent": says(`{"hookSpecificOutput":{"additionalContext":"a <b>"}}`)},
			sent: "do it\n<hook_context>\nbegin\n</hook_context>\n<hook_context>\na &lt;b&gt;\n</hook_context>\n", notices: transcript.NoticeError,
		},
		{
			name: "they refuse the prompt, which is forgotten", want: transcript.StopBlocked, notices: transcript.NoticeBlocked, notice: "A hook blocked the turn: not this",
			say: lines{"BeforeAgent": says(`exit 2:not this`)},
		},
		{
			name: "they stop the turn", want: transcript.EndTurn, notices: transcript.NoticeStopped, notice: "A hook stopped the turn: later",
			say: lines{"BeforeAgent": says(`{"continue":false,"stopReason":"later"}`)},
		},
		{
			name: "the beginning of a session cannot be blocked", want: transcript.EndTurn, notices: transcript.NoticeBlocked, sent: "do it\n",
			say: lines{"SessionStart": says(`{"decision":"block","continue":false}`)},
		},
		{
			name: "a message is shown", want: transcript.EndTurn, notices: transcript.NoticeHook, sent: "do it\n", notice: "The hook BeforeAgent ran at BeforeAgent (0s, ok): hello",
			say: lines{"BeforeAgent": says(`hello`)},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			hooked(t, nil, []modeltest.Reply{reply(modeltest.Say("Yes."))}, tt.say, func(t *testing.T, w *world, _ *played) {
				s := w.session(policy.Default)
				if end := w.prompt(s, "do it"); end.StopReason != tt.want {
					t.Errorf("it ended with %s", end.StopReason)
				}
				if got := w.noticesOf(tt.notices); got != tt.notice {
					t.Errorf("the notice is %q, want %q", got, tt.notice)
				}
				if tt.sent == "" {
					if n := len(w.model.Requests()); n != 0 {
						t.Errorf("the model was asked %d times", n)
					}
				} else if got := all(w.last()); !strings.HasSuffix(got, tt.sent) {
					t.Errorf("the model read %q, want %q at its end", got, tt.sent)
				}
				// A blocked prompt is not in the next turn, nor after a restart; a stopped one is.
				w.stop()
				w.options = nil
				w.start()
				s, err := w.agent.Session(t.Context(), s.ID())
				if err != nil {
					t.Fatal(err)
				}
				w.model.Replies = append(w.model.Replies, reply(modeltest.Say("Again.")))
				w.prompt(s, "next")
				if got := strings.Contains(all(w.last()), "do it"); got == (tt.want == transcript.StopBlocked) {
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
			hooked(t, nil, nil, lines{"BeforeAgent": func(input map[string]any) string {
				if input["prompt"] == "meanwhile" {
					return tt.say
				}
				return ""
			}}, func(t *testing.T, w *world, _ *played) {
				hold := make(chan struct{})
				w.model.Replies = []modeltest.Reply{reply(modeltest.Hold(hold), modeltest.Say("One.")), reply(modeltest.Say("Two."))}
				s := w.session(policy.Default)
				ended := w.begin(s, "go")
				if _, err := s.Submit(t.Context(), state.Prompt{Blocks: say("meanwhile")}, agent.Steer); err != nil {
					t.Fatal(err)
				}
				close(hold)
				if end, err := ended(); err != nil || end.StopReason != transcript.EndTurn {
					t.Errorf("it ended with %s, %v", end.StopReason, err)
				}
				if got := all(w.last()); !strings.HasSuffix(got, tt.sent) || strings.Contains(got, "meanwhile") != (tt.sent != "") || len(w.model.Requests()) != tt.asks {
					t.Errorf("asked %d times, the model read %q", len(w.model.Requests()), got)
				}
				if got := strings.TrimSpace(w.noticesOf(transcript.NoticeBlocked) + "\n" + w.noticesOf(transcript.NoticeStopped)); got != tt.notice {
					t.Errorf("got %q, want %q", got, tt.notice)
				}
			})
		})
	}
}

func TestHooksAfterATurn(t *testing.T) {
	hooked(t, nil, []modeltest.Reply{reply(modeltest.Say("One.")), reply(modeltest.Say("Two."))}, lines{
		"AfterAgent": func(input map[string]any) string {
			if input["stop_hook_active"] == true {
				if input["prompt_response"] != "One.\nTwo." || input["prompt"] != "go" {
					return `{"systemMessage":"wrong input"}`
				}
				return ""
			}
			return `{"decision":"block","reason":"and the tests?"}`
		},
	}, func(t *testing.T, w *world, p *played) {
		end := w.prompt(w.session(policy.Default), "go")
		if end.StopReason != transcript.EndTurn || len(p.ran()) != 2 {
			t.Errorf("it ended with %s, hooks %v", end.StopReason, p.ran())
		}
		if got := all(w.last()); !strings.HasSuffix(got, "One.\nand the tests?\n") {
			t.Errorf("the model read %q", got)
		}
		if got := w.noticesOf(transcript.NoticeHook); strings.Contains(got, "otherwise") {
			t.Error(got)
		}
		if got := w.noticesOf(transcript.NoticeBlocked); got != "A hook continued the turn: and the tests?" {
			t.Errorf("the user is told %q", got)
		}
	})
}

// A hook that always asks to continue does not keep a turn running forever.
func TestAHookCannotContinueATurnForever(t *testing.T) {
	var replies []modeltest.Reply
	for range 11 {
		replies = append(replies, reply(modeltest.Say("Done.")))
	}
	hooked(t, nil, replies, lines{"AfterAgent": says("exit 2:more")}, func(t *testing.T, w *world, p *played) {
		end := w.prompt(w.session(policy.Default), "go")
		if end.StopReason != transcript.EndTurn || end.Halted != "more" || len(w.model.Requests()) != 11 {
			t.Errorf("it ended with %s, %q, after %d requests", end.StopReason, end.Halted, len(w.model.Requests()))
		}
	})
}

func TestAHookClearsTheContext(t *testing.T) {
	hooked(t, nil, []modeltest.Reply{reply(modeltest.Say("One.")), reply(modeltest.Say("Two."))}, lines{
		"AfterAgent": says(`{"continue":false,"stopReason":"enough","hookSpecificOutput":{"clearContext":true}}`),
	}, func(t *testing.T, w *world, _ *played) {
		s := w.session(policy.Default)
		w.prompt(s, "first")
		w.prompt(s, "second")
		if got := all(w.last()); strings.Contains(got, "first") || strings.Contains(got, "One.") || !strings.Contains(got, "second") {
			t.Errorf("the model read %q", got)
		}
	})
}
