package gemini_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/gemini"
	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// TestNameWithoutAGeneration follows what the API says of it: that it
// thinks, and which version answers.
func TestNameWithoutAGeneration(t *testing.T) {
	s := geminitest.Start(geminitest.Options{Aliases: map[string]string{"gemini-pro-latest": "gemini-3.1-pro-preview"}}, geminitest.Say("one"), geminitest.Say("two"))
	t.Cleanup(s.Close)
	g := client(t, s, nil)
	req := ask("gemini-pro-latest", "go")
	req.Messages = append(req.Messages,
		said(model.Call{ID: "c1", Name: "f", Args: json.RawMessage(`{}`)}), user(model.Result{CallID: "c1", Name: "f"}))
	req.Config = model.Config{ThinkingLevel: "HIGH"}
	for range 2 {
		if _, err := collect(t.Context(), g, req); err != nil {
			t.Fatal(err)
		}
	}
	bodies := s.Requests()
	if len(bodies) != 2 {
		t.Fatalf("%d requests", len(bodies))
	}
	for i, want := range []struct{ level, thoughts bool }{{false, true}, {true, true}} {
		b := bodies[i].Body
		if got := bytes.Contains(b, []byte(`"thinkingLevel":"HIGH"`)); got != want.level {
			t.Errorf("request %d has a thinking level: %v", i+1, got)
		}
		if got := bytes.Contains(b, []byte(`"includeThoughts":true`)); got != want.thoughts {
			t.Errorf("request %d asks for thoughts: %v", i+1, got)
		}
		if !bytes.Contains(b, []byte("skip_thought_signature_validator")) || !bytes.Contains(b, []byte(`"id":"c1"`)) {
			t.Errorf("request %d treats the model as one that checks nothing", i+1)
		}
	}
}

func TestModelsThatAKeyMayUse(t *testing.T) {
	s := geminitest.Start(geminitest.Options{Models: []string{"gemini-3.8-flash", "gemini-3-pro-image", "gemma-4-31b-it"}})
	t.Cleanup(s.Close)
	got, err := client(t, s, nil).Models(t.Context())
	want := []model.Offered{
		{ID: "gemini-3.8-flash", Name: "The model gemini-3.8-flash", InputTokens: 1_048_576, OutputTokens: 65536},
		{ID: "gemma-4-31b-it", Name: "The model gemma-4-31b-it", InputTokens: 1_048_576, OutputTokens: 65536},
	}
	if d := cmp.Diff(want, got); d != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, d)
	}
	refused := client(t, s, func(o *gemini.Options) { o.APIKey = "another" })
	var e *model.Error
	if _, err := refused.Models(t.Context()); !errors.As(err, &e) || e.Kind != model.Auth {
		t.Errorf("with another key: %v", err)
	}
}
