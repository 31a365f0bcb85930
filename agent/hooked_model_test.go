package agent_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
)

func TestHooksLookAtRequests(t *testing.T) {
	hooked(t, nil, []modeltest.Reply{reply(modeltest.Say("Yes."))}, lines{
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
			hooked(t, nil, nil, lines{"BeforeModel": says(tt.say)}, func(t *testing.T, w *world, _ *played) {
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
	hooked(t, nil, []modeltest.Reply{reply(modeltest.Say("my key is "), modeltest.Say("k-123"), modeltest.Say(".")), reply(modeltest.Say("Bye."))}, lines{
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
	hooked(t, nil, []modeltest.Reply{reply(modeltest.Say("One."), modeltest.Say("Two."), modeltest.Call("read_file", `{"file_path":"a"}`))}, lines{
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
