package anthropic_test

import (
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/anthropic/anthropictest"
)

// blocks lists the types of blocks in the messages of the model in a request.
func blocks(r anthropictest.Request) string {
	var all []string
	for _, m := range r.Messages {
		if m.Role != "assistant" {
			continue
		}
		for _, b := range m.Content {
			all = append(all, b.Type)
		}
	}
	return strings.Join(all, " ")
}

// What comes before thinking changes when the conversation is shortened, or the system
// prompt is another: then the API refuses the thinking, and the same request again.
func TestThinkingThatTheAPIRefusesIsLeftOut(t *testing.T) {
	for _, tt := range []struct {
		name     string
		model    string
		change   func(*model.Request)
		requests []string // the model's blocks in those after the change
	}{
		{"nothing changes", adaptive, func(*model.Request) {}, []string{"thinking tool_use"}},
		{"another system prompt", adaptive, func(r *model.Request) { r.System = "another" }, []string{"thinking tool_use", "tool_use"}},
		{"another question before it", adaptive, func(r *model.Request) { r.Messages[0].Parts = []model.Part{model.Text{Text: "shorter"}} }, []string{"thinking tool_use", "tool_use"}},
		{"a model with a budget, which then does not think in this turn", budgets, func(r *model.Request) { r.System = "another" }, []string{"thinking tool_use", "tool_use"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := anthropictest.Start(anthropictest.Options{Bound: true},
				anthropictest.Do(anthropictest.Think("hm"), anthropictest.Call("read", `{}`)), anthropictest.Say("done"), anthropictest.Do(anthropictest.Think("aha"), anthropictest.Text("again")), anthropictest.Say("and again"))
			t.Cleanup(s.Close)
			g := client(t, s, nil)
			req := ask(tt.model, "hi")
			req.Tools = []model.Tool{{Name: "read", Schema: []byte(`{"type":"object"}`)}}
			next := func(more ...model.Part) {
				t.Helper()
				a, err := collect(t.Context(), g, req)
				if err != nil {
					t.Fatal(err)
				}
				req.Messages = append(req.Messages, model.Message{Role: model.Model, Parts: a.Parts})
				for _, p := range a.Parts {
					if c, ok := p.(model.Call); ok {
						more = append(more, model.Result{CallID: c.ID, ProviderID: c.ProviderID, Name: c.Name, Output: "ok"})
					}
				}
				req.Messages = append(req.Messages, says(more...))
			}
			next()
			tt.change(&req)
			next(model.Text{Text: "more"})
			var got []string
			for _, r := range s.Requests()[1:] {
				got = append(got, blocks(r))
			}
			if strings.Join(got, "|") != strings.Join(tt.requests, "|") {
				t.Errorf("the requests have the blocks %q, want %q", got, tt.requests)
			}
			// New thinking goes back, and what was refused is not tried again.
			next(model.Text{Text: "more"})
			next()
			all := s.Requests()
			for _, r := range all[len(all)-2:] {
				if r.Refused != "" {
					t.Errorf("a later request is refused: %s", r.Refused)
				}
			}
			if last := blocks(all[len(all)-1]); !strings.Contains(last, "text thinking text") {
				t.Errorf("the last request has the blocks %q", last)
			}
		})
	}
}

func TestPausedSearchGoesOn(t *testing.T) {
	page := anthropictest.Citation{Title: "Go", URI: "https://go.dev"}
	search := anthropictest.Event{Parts: []anthropictest.Part{{Search: &anthropictest.Search{Query: "go", Results: []anthropictest.Citation{page}}}}}
	paused := func(text string) anthropictest.Reply {
		r := anthropictest.Do(anthropictest.Think("hm"), anthropictest.Text(text), search)
		return r.Stop("pause_turn")
	}
	req := ask(adaptive, "what is go?")
	req.Search = true

	s := anthropictest.New(t, paused("I look. "), paused("I look again. "), anthropictest.Say("A language."))
	got, err := collect(t.Context(), client(t, s, nil), req)
	if err != nil {
		t.Fatal(err)
	}
	if got.text() != "I look. I look again. A language." || got.Finish != model.Stop {
		t.Errorf("got %q, finish %q", got.text(), got.Finish)
	}
	if want := (model.Usage{Input: 30, Output: 7, Total: 37}); got.Usage != want {
		t.Errorf("the usage is %+v, want %+v", got.Usage, want)
	}
	all := s.Requests()
	if b := blocks(all[2]); len(all) != 3 || b != "thinking text server_tool_use web_search_tool_result thinking text server_tool_use web_search_tool_result" {
		t.Errorf("%d requests, the last with %q", len(all), b)
	}

	// An endless one ends, and says why.
	s = anthropictest.Start(anthropictest.Options{Answer: func(anthropictest.Request) anthropictest.Reply { return paused("more ") }})
	t.Cleanup(s.Close)
	got, err = collect(t.Context(), client(t, s, nil), req)
	if n := len(s.Requests()); err != nil || got.Finish != model.Other || got.Word != "pause_turn" || n != 9 {
		t.Errorf("%d requests: finish %q %q, %v", n, got.Finish, got.Word, err)
	}
}
