package state

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
)

// listing is a provider that lists models or fails.
type listing struct {
	modeltest.Script
	may   []model.Offered
	fails error
	asked int
}

// Models implements [model.Lister].
func (l *listing) Models(context.Context) ([]model.Offered, error) {
	l.asked++
	return l.may, l.fails
}

func TestModelsOfAllProviders(t *testing.T) {
	providers := map[string]*listing{
		"openai":    {may: []model.Offered{{ID: "gpt-6-luna"}, {ID: "gpt-9"}}},
		"anthropic": {fails: errors.New("no")},
		"ollama":    {may: []model.Offered{{ID: "qwen3:8b", InputTokens: 8192}}},
	}
	a := NewProcess(Options{Choices: Choices{
		Model: "auto", Provider: func(string) string { return "openai" },
		Providers: func() []ProviderInfo {
			return []ProviderInfo{{Name: "openai"}, {Name: "anthropic"}, {Name: "ollama", OnRequest: true}}
		},
		Generator: func(name string) (model.Generator, string, error) {
			provider, short, _ := strings.Cut(name, "/")
			return model.Issued(providers[provider], provider), short, nil
		},
	}})
	list := func(refresh bool) map[string]string {
		t.Helper()
		l, err := a.Models(t.Context(), refresh)
		if err != nil {
			t.Fatal(err)
		}
		out := map[string]string{}
		for _, m := range l {
			out[m.ID] = m.Provider + ": " + m.Reason
		}
		return out
	}
	got := list(false)
	for id, want := range map[string]string{
		"gpt-6-luna": "openai: ", "gpt-9": "openai: ", "gpt-6.2-sol": "openai: " + notOffered, "anthropic/claude-opus-5-5": "anthropic: no",
		"ollama/qwen3:8b": "", "gemini-2.5-pro": "",
	} {
		if d := cmp.Diff(want, got[id]); d != "" {
			t.Errorf("%s (-want +got):\n%s", id, d)
		}
	}
	if n := providers["ollama"].asked; n != 0 {
		t.Errorf("a server that may not be running was asked %d times", n)
	}
	if got := list(true)["ollama/qwen3:8b"]; got != "ollama: " {
		t.Errorf("after a refresh: %q", got)
	}
	if got := list(false)["ollama/qwen3:8b"]; got != "ollama: " || providers["ollama"].asked != 1 {
		t.Errorf("afterwards: %q after %d requests", got, providers["ollama"].asked)
	}
}

func TestServersOnThisMachineAreListedWithoutAKey(t *testing.T) {
	noKey := errors.New("no key")
	local := &listing{may: []model.Offered{{ID: "qwen3:8b"}}}
	a := NewProcess(Options{Choices: Choices{
		Model: "auto", Provider: func(string) string { return "openai" },
		Providers: func() []ProviderInfo { return []ProviderInfo{{Name: "openai"}, {Name: "ollama", OnRequest: true}} },
		Generator: func(name string) (model.Generator, string, error) {
			provider, short, _ := strings.Cut(name, "/")
			if provider != "ollama" {
				return nil, "", noKey
			}
			return model.Issued(local, provider), short, nil
		},
	}})
	l, err := a.Models(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	can := map[string]bool{}
	for _, m := range l {
		can[m.ID] = m.Reason == ""
	}
	if !can["ollama/qwen3:8b"] || can["gpt-6-luna"] {
		t.Errorf("what can answer: %v", can)
	}
	if l := a.Usable(t.Context(), []string{"auto", "gpt-6-luna"}); len(l) > 0 {
		t.Errorf("a server that may be far away is asked for %v", l)
	}
	local.fails = noKey
	if l, err := a.Models(t.Context(), true); !errors.Is(err, noKey) {
		t.Errorf("without any model: %v, %v", l, err)
	}
}

func TestLocalModelsAreUsableAndThoseWithoutAKeyAreNot(t *testing.T) {
	keys := map[string]bool{"ollama": true}
	openai, ollama := &listing{}, &listing{may: []model.Offered{{ID: "qwen3:8b"}}}
	a := NewProcess(Options{Choices: Choices{
		Model: "auto", Provider: func(string) string { return "openai" },
		Providers: func() []ProviderInfo { return []ProviderInfo{{Name: "openai"}, {Name: "ollama", Local: true}} },
		Generator: func(name string) (model.Generator, string, error) {
			provider, short, _ := strings.Cut(name, "/")
			if !keys[provider] {
				return nil, "", errors.New("no key")
			}
			return model.Issued(map[string]*listing{"openai": openai, "ollama": ollama}[provider], provider), short, nil
		},
	}})
	names := []string{"auto", "gpt-6-luna"}
	if d := cmp.Diff([]string{"ollama/qwen3:8b"}, a.Usable(t.Context(), names)); d != "" {
		t.Errorf("without a key (-want +got):\n%s", d)
	}
	keys["openai"] = true
	if d := cmp.Diff([]string{"auto", "gpt-6-luna", "ollama/qwen3:8b"}, a.Usable(t.Context(), names)); d != "" {
		t.Errorf("with a key (-want +got):\n%s", d)
	}
	if openai.asked > 0 {
		t.Error("a provider that is not local was asked")
	}
}
