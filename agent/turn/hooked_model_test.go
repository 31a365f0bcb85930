package turn_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/agenttest"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/transcript"
)

func TestHooksRunForRequests(t *testing.T) {
	agenttest.WithHooks(t, nil, []modeltest.Reply{agenttest.Reply(modeltest.Say("Yes."))}, agenttest.HookLines{
		"BeforeModel": func(input map[string]any) string {
			req := input["llm_request"].(map[string]any)
			ms := req["messages"].([]any)
			ms[len(ms)-1].(map[string]any)["content"] = "be kind"
			b, _ := json.Marshal(map[string]any{"hookSpecificOutput": map[string]any{"llm_request": map[string]any{"model": "other-model", "messages": ms, "config": map[string]any{"temperature": 0.5, "maxOutputTokens": 7}}}})
			return string(b)
		},
		"BeforeToolSelection": says(`{"hookSpecificOutput":{"toolConfig":{"mode":"ANY","allowedFunctionNames":["glob","read_file"]}}}`),
	}, func(t *testing.T, w *agenttest.World, _ *agenttest.PlayedHooks) {
		end := w.Prompt(w.Session(policy.Default), "go")
		req := w.LastRequest()
		var names []string
		for _, tool := range req.Tools {
			names = append(names, tool.Name)
		}
		slices.Sort(names)
		if _, ok := end.Models["test-model"]; ok {
			t.Errorf("what the answers cost is %v", end.Models)
		}
		if got := agenttest.TextOf(req); req.Model != "other-model" || got != "be kind\n" || !slices.Equal(names, []string{"glob", "read_file"}) || req.Choice != model.MustCall {
			t.Errorf("asked %s %q with %v, %v", req.Model, got, names, req.Choice)
		}
		if req.Config.Temperature == nil || *req.Config.Temperature != 0.5 || req.Config.MaxTokens != 7 {
			t.Errorf("configured %+v", req.Config)
		}
	})
}

// A hook chooses among the models of the provider that the user chose.
func TestHooksChooseModels(t *testing.T) {
	for _, tt := range []struct{ name, model, want, notice string }{
		{"another one", "other-model", "other-model", ""},
		{"one with its provider", "gemini/other-model", "other-model", ""},
		{"another provider's", "openai/other-model", "test-model", `A hook's model does not answer: It wants "openai/other-model", but: it belongs to another provider, which hooks cannot choose. test-model answers.`},
		{"a recording", "replay:answers.jsonl", "test-model", `A hook's model does not answer: It wants "replay:answers.jsonl", but: it belongs to another provider, which hooks cannot choose. test-model answers.`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			agenttest.WithHooks(t, nil, []modeltest.Reply{agenttest.Reply(modeltest.Say("Yes."))}, agenttest.HookLines{"BeforeModel": says(`{"hookSpecificOutput":{"llm_request":{"model":"` + tt.model + `"}}}`)}, func(t *testing.T, w *agenttest.World, _ *agenttest.PlayedHooks) {
				w.Prompt(w.Session(policy.Default), "go")
				_, notice, _ := strings.Cut(w.NoticesOf(transcript.NoticeHook), "\n") // the first line says that it ran
				if w.LastRequest().Model != tt.want || notice != tt.notice {
					t.Errorf("asked %s, notice %q", w.LastRequest().Model, notice)
				}
			})
		})
	}
}

func TestHooksAnswerForTheModel(t *testing.T) {
	for _, tt := range []struct {
		name, say, notice string
		want              transcript.StopReason
		shown             string
	}{
		{"an answer of their own", `{"hookSpecificOutput":{"llm_response":{"candidates":[{"content":{"role":"model","parts":["I am ","a hook."]}}]}}}`, "", transcript.EndTurn, "I am a hook."},
		{"a refusal with an answer", `{"decision":"block","reason":"no","hookSpecificOutput":{"llm_response":{"candidates":[{"content":{"parts":["Sorry."]},"finishReason":"STOP"}]}}}`, "A hook blocked the turn: no", transcript.StopBlocked, "Sorry."},
		{"a refusal", `exit 2:no`, "A hook blocked the turn: no", transcript.StopBlocked, ""},
		{"a stop", `{"continue":false,"stopReason":"no"}`, "", transcript.EndTurn, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			agenttest.WithHooks(t, nil, nil, agenttest.HookLines{"BeforeModel": says(tt.say)}, func(t *testing.T, w *agenttest.World, _ *agenttest.PlayedHooks) {
				s := w.Session(policy.Default)
				end := w.Prompt(s, "go")
				if end.StopReason != tt.want || w.Shown() != tt.shown || w.NoticesOf(transcript.NoticeBlocked) != tt.notice || len(w.Model.Requests()) > 0 {
					t.Errorf("ended with %s, showing %q, %q, after %d requests", end.StopReason, w.Shown(), w.NoticesOf(transcript.NoticeBlocked), len(w.Model.Requests()))
				}
			})
		})
	}
}

func TestHooksRunForAnswers(t *testing.T) {
	read := modeltest.Call("read_file", `{"file_path":"a"}`)
	for _, tt := range []struct {
		name   string
		reply  modeltest.Reply
		at     string // the piece at which the hook decides
		say    string
		want   transcript.StopReason
		shown  string
		notice string
	}{
		{"another text", agenttest.Reply(modeltest.Say("my key is "), modeltest.Say("k-123"), modeltest.Say(".")), "k-123", `{"hookSpecificOutput":{"llm_response":{"candidates":[{"content":{"role":"model","parts":["***"]}}]}}}`, transcript.EndTurn, "my key is ***.", ""},
		{"a refusal", agenttest.Reply(modeltest.Say("One."), modeltest.Say("k-123"), read), "k-123", `{"decision":"deny","reason":"no two"}`, transcript.StopBlocked, "One.", "A hook blocked the turn: no two"},
		{"a stop", agenttest.Reply(modeltest.Say("One."), modeltest.Say("k-123"), read), "k-123", `{"continue":false,"stopReason":"no two"}`, transcript.EndTurn, "One.", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			agenttest.WithHooks(t, nil, []modeltest.Reply{tt.reply, agenttest.Reply(modeltest.Say("Bye."))}, agenttest.HookLines{"AfterModel": func(input map[string]any) string {
				if text, _ := input["llm_response"].(map[string]any)["text"].(string); text == tt.at {
					return tt.say
				}
				return ""
			}}, func(t *testing.T, w *agenttest.World, _ *agenttest.PlayedHooks) {
				s := w.Session(policy.Default)
				end := w.Prompt(s, "go")
				if end.StopReason != tt.want || w.Shown() != tt.shown || w.NoticesOf(transcript.NoticeBlocked) != tt.notice || len(w.States()) > 0 {
					t.Errorf("ended with %s, showing %q, %q, calls %v", end.StopReason, w.Shown(), w.NoticesOf(transcript.NoticeBlocked), w.States())
				}
				w.Prompt(s, "more")
				if got := agenttest.TextOf(w.LastRequest()); !strings.Contains(got, tt.shown) || strings.Contains(got, "k-123") {
					t.Errorf("the model reads %q of itself", got)
				}
			})
		})
	}
}

// Tools that a hook removed from a request are not run if the model calls them anyway.
func TestHooksChooseTools(t *testing.T) {
	for _, tt := range []struct{ name, config, refused string }{
		{"some", `{"mode":"AUTO","allowedFunctionNames":["glob"]}`, "A hook keeps the tool read_file out of this request"},
		{"some, in a mode that is unknown", `{"mode":"VALIDATED","allowedFunctionNames":["glob"]}`, "A hook keeps the tool read_file out of this request"},
		{"none", `{"mode":"NONE"}`, "A hook keeps the tool read_file out of this request"},
		{"this one", `{"allowedFunctionNames":["read_file"]}`, ""},
		{"all", `{"mode":"AUTO"}`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			agenttest.WithHooks(t, map[string]string{"a.txt": "one\n"}, []modeltest.Reply{agenttest.Reply(modeltest.Call("read_file", `{"file_path":"a.txt"}`)), agenttest.Reply(modeltest.Say("Done."))},
				agenttest.HookLines{"BeforeToolSelection": says(`{"hookSpecificOutput":{"toolConfig":` + tt.config + `}}`)}, func(t *testing.T, w *agenttest.World, _ *agenttest.PlayedHooks) {
					w.Model.Lenient = true
					w.Prompt(w.Session(policy.Default), "go")
					if got := agenttest.Results(w.LastRequest())[0].Output; !strings.HasPrefix(got, tt.refused) || (tt.refused == "") != (got == "one\n") {
						t.Errorf("the model read %q", got)
					}
				})
		})
	}
}
