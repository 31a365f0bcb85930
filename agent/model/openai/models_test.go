package openai_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/openai/openaitest"
)

func TestModelsAreListed(t *testing.T) {
	s := start(t, openaitest.Options{Models: []string{"gpt-6", "gpt-4.1"}})
	got, err := client(t, s, nil).Models(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]model.Offered{{ID: "gpt-6"}, {ID: "gpt-4.1"}}, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	s = start(t, openaitest.Options{Models: []string{"my-image-reader"}, MaxTokens: 4096, Compatible: true})
	got, err = client(t, s, compatible).Models(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]model.Offered{{ID: "my-image-reader", InputTokens: 4096}}, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestTokensAreCounted(t *testing.T) {
	s := openaitest.New(t)
	req := model.Request{Model: "gpt-5.4", System: "s", Messages: everything(), Tools: []model.Tool{{Name: "f"}}, Choice: model.MustCall}
	n, err := client(t, s, nil).CountTokens(t.Context(), req)
	if err != nil || n < 100 {
		t.Errorf("%d tokens, %v", n, err)
	}
	_, err = client(t, s, chat).CountTokens(t.Context(), req)
	wantError(t, err, model.Invalid)
}

func TestLookupsFail(t *testing.T) {
	s := openaitest.Start(openaitest.Options{})
	g := client(t, s, nil)
	s.Close()
	_, err := g.Models(t.Context())
	wantError(t, err, model.Unavailable)

	s = openaitest.Start(openaitest.Options{Key: "another-key"})
	t.Cleanup(s.Close)
	s.Key = "a-wrong-key"
	_, err = client(t, s, nil).Models(t.Context())
	wantError(t, err, model.Auth)
	_, err = client(t, s, nil).CountTokens(t.Context(), ask("gpt-5.4", "hi"))
	wantError(t, err, model.Auth)

	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("no longer wanted")
	cancel(why)
	if _, err := client(t, s, nil).Models(ctx); !errors.Is(err, why) {
		t.Errorf("ended with %v", err)
	}
}

func TestLimitsAreThoseThatTheServerLists(t *testing.T) {
	for name, as := range map[string]map[string]any{
		"vLLM":      nil,
		"LiteLLM":   {"max_input_tokens": 4096},
		"llama.cpp": {"meta": map[string]any{"n_ctx": 4096, "n_ctx_train": 131072}},
		"others":    {"context_length": 4096},
	} {
		s := start(t, openaitest.Options{Models: []string{"local-model"}, MaxTokens: 4096, Compatible: true, ListAs: as})
		g := client(t, s, compatible)
		if n := g.Known("local-model").InputTokens; n != 0 {
			t.Errorf("%s: %d tokens before it was asked", name, n)
		}
		g.Prepare(t.Context(), "local-model")
		if n := g.Known("local-model").InputTokens; n != 4096 {
			t.Errorf("%s: %d tokens, want 4096", name, n)
		}
		if n := g.Known("another").InputTokens; n != 0 {
			t.Errorf("%s: %d tokens of a model that it does not list", name, n)
		}
	}
}
