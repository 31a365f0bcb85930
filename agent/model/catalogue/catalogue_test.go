package catalogue_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/agent/model/catalogue"
)

func TestNewestModelsComeFirst(t *testing.T) {
	for _, tt := range []struct{ name, want string }{
		{"auto", "gemini-3.1-pro-preview gemini-2.5-pro gemini-3.8-flash"},
		{"pro", "gemini-3.1-pro-preview gemini-2.5-pro gemini-3.8-flash"},
		{"flash", "gemini-3.8-flash gemini-3.5-flash gemini-3-flash-preview"},
		{"flash-lite", "gemini-3.5-flash-lite gemini-3.1-flash-lite gemini-2.5-flash-lite"},
		{"models/auto", "gemini-3.1-pro-preview gemini-2.5-pro gemini-3.8-flash"},
		{"auto-gemini-2.5", "gemini-2.5-pro gemini-2.5-flash gemini-2.5-flash-lite"},
		{"auto-gemini-3", "gemini-3.1-pro-preview gemini-3.8-flash gemini-3.5-flash"},
	} {
		n, ok := catalogue.BuiltIn().Lookup("gemini", tt.name)
		if !ok {
			t.Errorf("%s is unknown", tt.name)
			continue
		}
		if got := strings.Join(n.Candidates(n.Role)[:3], " "); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
	for _, name := range []string{"", "gemini-2.5-pro", "Auto", "gpt"} {
		if n, ok := catalogue.BuiltIn().Lookup("gemini", name); ok {
			t.Errorf("%q leaves the choice to emendo: %+v", name, n)
		}
	}
}

func TestChain(t *testing.T) {
	for _, tt := range []struct{ name, model, choice, want string }{
		{
			"an automatic choice", "gemini-3.1-pro-preview", "auto",
			"gemini-3.1-pro-preview?r gemini-2.5-pro? | gemini-3.8-flash? gemini-3.5-flash? gemini-3-flash-preview? gemini-2.5-flash? | gemini-3.5-flash-lite? gemini-3.1-flash-lite? gemini-2.5-flash-lite?",
		},
		{
			"of one generation", "gemini-2.5-pro", "auto-gemini-2.5",
			"gemini-2.5-pro?r | gemini-2.5-flash? | gemini-2.5-flash-lite?",
		},
		{
			"those that were skipped do not come again", "gemini-3.5-flash", "flash",
			"gemini-3.5-flash? gemini-3-flash-preview? gemini-2.5-flash? | gemini-3.1-pro-preview? gemini-2.5-pro? | gemini-3.5-flash-lite? gemini-3.1-flash-lite? gemini-2.5-flash-lite?",
		},
		{
			"a model that the user named", "models/gemini-2.5-pro", "",
			"models/gemini-2.5-pro gemini-3.1-pro-preview? | gemini-3.8-flash? gemini-3.5-flash? gemini-3-flash-preview? gemini-2.5-flash? | gemini-3.5-flash-lite? gemini-3.1-flash-lite? gemini-2.5-flash-lite?",
		},
		{
			"one that is not in the catalogue", "gemini-4-pro", "",
			"gemini-4-pro gemini-3.1-pro-preview? gemini-2.5-pro? | gemini-3.8-flash? gemini-3.5-flash? gemini-3-flash-preview? gemini-2.5-flash? | gemini-3.5-flash-lite? gemini-3.1-flash-lite? gemini-2.5-flash-lite?",
		},
		{"one of another kind", "gemma-4-31b-it", "", "gemma-4-31b-it"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			choice, _ := catalogue.BuiltIn().Lookup("gemini", tt.choice)
			var got []string
			role := ""
			for i, l := range catalogue.BuiltIn().Chain(tt.model, choice) {
				if i > 0 && l.Role != role {
					got = append(got, "|")
				}
				role = l.Role
				name := l.Model
				if l.Open {
					name += "?"
				}
				if l.Retried {
					name += "r"
				}
				got = append(got, name)
			}
			if d := cmp.Diff(tt.want, strings.Join(got, " ")); d != "" {
				t.Errorf("another chain (-want +got):\n%s", d)
			}
		})
	}
}

func TestEveryModelIsDescribed(t *testing.T) {
	c := catalogue.BuiltIn()
	seen := map[string]bool{}
	for _, provider := range []string{"gemini", "openai", "anthropic"} {
		roles := map[catalogue.Role]bool{}
		for _, m := range c.Models(provider) {
			g, ok := c.GenerationOf(m.ID)
			if !ok || g.Name != m.Generation || m.Name == "" || seen[m.ID] {
				t.Errorf("%+v is of generation %+v", m, g)
			}
			seen[m.ID], roles[m.Role] = true, true
			if got := c.ProviderOf(m.ID); got != provider {
				t.Errorf("%s is of provider %q", m.ID, got)
			}
			full, ok := c.Traits(m.ID)
			if !ok || c.ContextLimit(m.ID) == 0 || full.Output == 0 || full.Tools == nil || full.Images == nil || full.Sampling == nil {
				t.Errorf("not all is known of %+v", full)
			}
			if thinks := full.Thinking == catalogue.Efforts || full.Thinking == catalogue.Adaptive; thinks != (len(full.Efforts) > 0) {
				t.Errorf("%s thinks by %s, with the efforts %v", m.ID, full.Thinking, full.Efforts)
			}
		}
		for _, r := range []catalogue.Role{catalogue.Strong, catalogue.Fast, catalogue.Small} {
			if !roles[r] {
				t.Errorf("%s has no %s model", provider, r)
			}
		}
		for _, n := range c.Names(provider) {
			if len(n.Candidates(n.Role)) == 0 {
				t.Errorf("nothing answers to %s of %s", n.ID, provider)
			}
		}
	}
	if got := len(c.Names("ollama")); got != 0 {
		t.Errorf("%d names for a provider without known models", got)
	}
}

func TestNamesOfOtherProviders(t *testing.T) {
	for _, tt := range []struct{ provider, name, want string }{
		{"vertex", "flash", "gemini-3.8-flash"},
		{"openai", "auto", "gpt-6.2-astra"},
		{"openai", "flash-lite", "gpt-6-luna"},
		{"anthropic", "pro", "claude-opus-5-5"},
		{"anthropic", "flash", "claude-sonnet-5-5"},
		{"anthropic", "auto-gemini-3", ""},
		{"ollama", "auto", ""},
	} {
		n, ok := catalogue.BuiltIn().Lookup(tt.provider, tt.name)
		if !ok {
			if tt.want != "" {
				t.Errorf("%s has no %s", tt.provider, tt.name)
			}
			continue
		}
		if got := n.Candidates(n.Role)[0]; got != tt.want {
			t.Errorf("%s of %s is %s, want %s", tt.name, tt.provider, got, tt.want)
		}
	}
}

func TestTraits(t *testing.T) {
	for _, tt := range []struct {
		name string
		want string // known, thinking, efforts, context, output
	}{
		{"gemini-2.5-pro-001", "true budgets 0 1048576 65536"},
		{"claude-haiku-4-5-20251001", "true budgets 0 200000 64000"},
		{"claude-opus-5-7", "true adaptive 5 1000000 128000"},
		{"gpt-6-luna-2026-09-22", "true efforts 6 1050000 128000"},
		{"gpt-4o", "true  0 128000 0"},
		{"llama3.2", "false  0 1048576 0"},
	} {
		m, ok := catalogue.BuiltIn().Traits(tt.name)
		if got := fmt.Sprint(ok, " ", m.Thinking, " ", len(m.Efforts), " ", catalogue.ContextLimit(tt.name), " ", m.Output); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestUsersModels(t *testing.T) {
	raw := func(text string) json.RawMessage { return json.RawMessage(text) }
	built := catalogue.BuiltIn()
	c, err := built.Merge(map[string]json.RawMessage{
		"gpt-6-luna":       raw(`{"prices": {"input": 9}, "efforts": ["low"], "images": false}`),
		"gpt-6.1-terra":    raw(`{"remove": true}`),
		"claude-opus-6":    raw(`{"provider": "anthropic", "generation": "claude-5", "role": "strong", "context": 2000000}`),
		"qwen3-coder":      raw(`{"provider": "ollama", "role": "strong", "context": 32768, "tools": false}`),
		"never-was":        raw(`{"remove": true}`),
		"gemini-2.5-flash": raw(`{"thinkingBudget": {"min": 7}}`),
	})
	if err != nil {
		t.Fatal(err)
	}
	luna, _ := c.Traits("gpt-6-luna")
	if luna.Prices.Input != 9 || luna.Prices.Output != 0.5 || len(luna.Efforts) != 1 || !catalogue.Lacks(luna.Images) || luna.Name != "GPT-6 Luna" {
		t.Errorf("changed: %+v", luna)
	}
	if _, ok := c.Find("gpt-6.1-terra"); ok {
		t.Error("a removed model is there")
	}
	if n, _ := c.Lookup("anthropic", "auto"); n.Candidates(n.Role)[0] != "claude-opus-6" || c.ContextLimit("claude-opus-6") != 2_000_000 {
		t.Errorf("a new model is not preferred: %v", n.Candidates(n.Role))
	}
	if n, ok := c.Lookup("ollama", "auto"); !ok || n.Candidates(catalogue.Strong)[0] != "qwen3-coder" {
		t.Errorf("a model of a provider without others: %+v", n)
	}
	before, _ := built.Find("gpt-6-luna")
	if flash, _ := built.Find("gemini-2.5-flash"); before.Prices.Input != 0.1 || len(before.Efforts) != 6 || flash.Budget.Min != 0 {
		t.Errorf("the built-in catalogue was changed: %+v", before)
	}
	for name, bad := range map[string]string{"a": `{"rule": "strong"}`, "b": `{}`, "c": `{"provider": "x", "role": "big"}`, "d": `[]`, "e": `{"provider": "x", "thinking": "hard"}`} {
		if _, err := built.Merge(map[string]json.RawMessage{name: raw(bad)}); err == nil {
			t.Errorf("%s was accepted", bad)
		}
	}
}

func TestGenerations(t *testing.T) {
	for name, want := range map[string]string{
		"gemini-3.1-pro-preview": "3", "models/gemini-3-pro": "3", "gemini-30-pro": "", "gemini-2.5-flash-001": "2.5",
		"gemini-2.0-flash": "2.0", "gemini-1.5-pro": "2.0", "gemini-pro-latest": "", "gemma-4-31b-it": "",
	} {
		if g, _ := catalogue.BuiltIn().GenerationOf(name); g.Name != want {
			t.Errorf("%s is of generation %q, want %q", name, g.Name, want)
		}
	}
}

func TestContextLimit(t *testing.T) {
	for name, want := range map[string]int64{
		"gemini-2.5-pro": 1_048_576, "gemma-4-31b-it": 256_000, "models/gemma-4-26b-a4b-it": 256_000,
		"gemma-3-27b-it": 1_048_576, "": 1_048_576, "something/else": 1_048_576,
	} {
		if got := catalogue.ContextLimit(name); got != want {
			t.Errorf("ContextLimit(%q) = %d, want %d", name, got, want)
		}
	}
}

func ExampleName_Candidates() {
	flash, _ := catalogue.BuiltIn().Lookup("gemini", "flash")
	fmt.Println(flash.Candidates(catalogue.Fast)[0])
	// Output: gemini-3.8-flash
}
