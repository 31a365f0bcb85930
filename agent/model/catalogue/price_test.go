package catalogue

import (
	"math"
	"testing"

	"github.com/emendo-dev/emendo/agent/model"
)

func TestCost(t *testing.T) {
	for _, c := range []struct {
		name  string
		model string
		usage model.Usage
		cost  float64
	}{
		{"a short prompt", "gemini-2.5-pro", model.Usage{Input: 100_000, Output: 40_000, Thought: 10_000, Total: 150_000}, 0.625},
		{"part of it cached", "models/gemini-2.5-pro", model.Usage{Input: 100_000, Cached: 60_000, Total: 100_000}, 0.0575},
		{"a long prompt", "gemini-2.5-pro", model.Usage{Input: 300_000, Output: 10_000, Total: 310_000}, 0.9},
		{"a cache of which the price is not known", "gpt-6.2-sol", model.Usage{Input: 100_000, Cached: 60_000, Total: 100_000}, 0.2},
		{"its own limit of short prompts", "claude-haiku-5-5", model.Usage{Input: 150_000, Total: 150_000}, 0.075},
		{"one price for all lengths", "gemini-2.5-flash", model.Usage{Input: 300_000, Total: 300_000}, 0.09},
	} {
		got := BuiltIn().Cost(c.model, c.usage)
		if math.Abs(got.Cost-c.cost) > 1e-9 || got.Priced != c.usage.Total {
			t.Errorf("%s: %v dollars for %d tokens, want %v", c.name, got.Cost, got.Priced, c.cost)
		}
	}
	if got := BuiltIn().Cost("of-another-vendor", model.Usage{Input: 1, Total: 1}); got.Cost != 0 || got.Priced != 0 {
		t.Errorf("an unknown model costs %v for %d tokens", got.Cost, got.Priced)
	}
	for _, m := range BuiltIn().d.models {
		if p := m.Prices; p != nil && !(0 <= p.Cached && p.Cached < p.Input && p.Input < p.Output) {
			t.Errorf("%s: prices %+v", m.ID, *p)
		}
	}
}
