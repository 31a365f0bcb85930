package turn_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/agent/agenttest"
	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/tools"
)

// sampler is a supply with a tool that makes a sampling request.
type sampler struct {
	trusted bool
	asker   state.Asker
	answer  state.Answer
	err     error
}

func (s *sampler) Tools(_ context.Context, a state.Asker) []tools.Tool {
	s.asker = a
	return []tools.Tool{samplingTool{served{&tools.ServerTool{Server: "db", Tool: "query"}, true, new(string)}, s}}
}

func (*sampler) Close() {}

type samplingTool struct {
	served

	of *sampler
}

func (s samplingTool) Prepare(context.Context, tools.Env, json.RawMessage) (tools.Action, error) {
	return tools.Action{Title: "query", Effect: tools.Calls{Server: "db", Tool: "query", ReadOnly: true}, Run: func(ctx context.Context, _ func(tools.Progress)) tools.Result {
		s.of.answer, s.of.err = s.of.asker.Sample(ctx, state.Completion{
			Server: "db", Trusted: s.of.trusted, Shown: json.RawMessage(`{"messages":[{"role":"user","text":"How many?"}]}`),
			System: "Count.", Messages: []state.Message{{Text: "How many?"}, {Image: &tools.Blob{MIME: "image/png", Data: []byte("x")}}},
		})
		return tools.Result{Output: "done"}
	}}, nil
}

func TestSamplingNeedsApproval(t *testing.T) {
	for _, tt := range []struct {
		name     string
		mode     policy.Mode
		headless bool
		trusted  bool
		allowed  []string
		answer   string // to the question about it
		asked    bool
		want     string // empty: refused
	}{
		{name: "allowed", mode: policy.Default, answer: "allow_once", asked: true, want: "seven"},
		{name: "refused", mode: policy.Default, answer: "reject_once", asked: true},
		{name: "yolo", mode: policy.Yolo, answer: "reject_once", asked: true},
		{name: "yolo and a trusted server", mode: policy.Yolo, trusted: true, want: "seven"},
		{name: "a script", mode: policy.Yolo, headless: true, trusted: true},
		{name: "a script with a rule", mode: policy.Yolo, headless: true, allowed: []string{tools.Sampling}, want: "seven"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &sampler{trusted: tt.trusted}
			replies := []modeltest.Reply{agenttest.Calls("mcp_db_query"), agenttest.Done()}
			if tt.want != "" {
				replies = []modeltest.Reply{agenttest.Calls("mcp_db_query"), {modeltest.Say("seven"), modeltest.Finish(model.Stop)}, agenttest.Done()}
			}
			agenttest.InWorld(t, nil, replies, func(t *testing.T, w *agenttest.World) {
				w.Stop()
				w.Options = func(o *state.Options) {
					o.Settings.Tools.Allowed = append([]string{"mcp_db_query"}, tt.allowed...)
					o.Supplies = func(*state.Session) []state.Supply { return []state.Supply{s} }
				}
				w.Can = frontend.Abilities{Asks: !tt.headless}
				w.Answer = func(context.Context, frontend.Question) (frontend.Answer, error) {
					return frontend.Answer{OptionID: tt.answer}, nil
				}
				w.Start()
				w.Prompt(w.Session(tt.mode), "go")
				if s.answer.Text != tt.want || (s.err == nil) != (tt.want != "") {
					t.Errorf("the server got %q, %v", s.answer.Text, s.err)
				}
				if (len(w.Questions) > 0) != tt.asked {
					t.Fatalf("the questions are %+v", w.Questions)
				}
				if tt.asked {
					q := w.Questions[0]
					want := frontend.Preview{ServerName: "db", ToolName: tools.Sampling, Args: json.RawMessage(`{"messages":[{"role":"user","text":"How many?"}]}`)}
					if diff := cmp.Diff(q.Preview, want); diff != "" || !strings.Contains(q.Reason, "the server would get the answer") {
						t.Errorf("%s; got -, want +:\n%s", q.Reason, diff)
					}
					if text := view.Describe(q); !strings.HasPrefix(text, "Let the MCP server db ask the model?") || !strings.Contains(text, `"text": "How many?"`) {
						t.Errorf("the question is\n%s", text)
					}
				}
				if tt.want == "" {
					return
				}
				asked := w.Model.Requests()[1]
				if asked.System != "Count." || len(asked.Messages) != 1 || len(asked.Messages[0].Parts) != 2 || len(asked.Tools) > 0 || asked.Messages[0].Parts[1].(model.Blob).MIME != "image/png" {
					t.Errorf("the model is asked %+v", asked)
				}
				shown := false
				for _, u := range w.Updates {
					if e, ok := u.Event.(transcript.ToolUpdate); ok && strings.HasPrefix(e.CallID, "sampling-") && e.State == transcript.Success {
						shown = e.Display == "seven"
					}
				}
				if !shown {
					t.Error("the user does not see the answer")
				}
				for _, m := range w.LastRequest().Messages {
					for _, p := range m.Parts {
						if text, ok := p.(model.Text); ok && strings.Contains(text.Text, "seven") {
							t.Error("the session's model reads the answer")
						}
					}
				}
			})
		})
	}
}

// Questions of servers are not asked without a client that can ask.
func TestQuestionsOfServersNeedAClient(t *testing.T) {
	s := &sampler{}
	agenttest.InWorld(t, nil, []modeltest.Reply{agenttest.Done()}, func(t *testing.T, w *agenttest.World) {
		w.Stop()
		w.Options = func(o *state.Options) {
			o.Supplies = func(*state.Session) []state.Supply { return []state.Supply{s} }
		}
		w.Can = frontend.Abilities{}
		w.Start()
		w.Prompt(w.Session(policy.Default), "go")
		if _, err := s.asker.Elicit(t.Context(), "db", nil); !errors.Is(err, frontend.ErrCannotElicit) {
			t.Errorf("got %v", err)
		}
	})
}
