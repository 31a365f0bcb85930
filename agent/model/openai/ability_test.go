package openai

import (
	"testing"

	"github.com/openai/openai-go/v3/shared"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/catalogue"
)

func TestEffortIsTheNearest(t *testing.T) {
	budget := func(n int32) model.Config { return model.Config{ThinkingBudget: &n} }
	level := func(l string) model.Config { return model.Config{ThinkingLevel: l} }
	all := []string{"none", "minimal", "low", "medium", "high", "xhigh"}
	for _, tt := range []struct {
		name   string
		known  []string
		config model.Config
		search bool
		want   shared.ReasoningEffort
	}{
		{"nothing asked for", all, model.Config{}, false, ""},
		{"as much as the model likes", all, budget(-1), false, ""},
		{"a level", all, level("HIGH"), false, "high"},
		{"a level that is not one", all, level("deep"), false, ""},
		{"no efforts", nil, level("high"), false, ""},
		{"more than there is", all[:5], level("max"), false, "high"},
		{"less than there is", all[2:], level("none"), false, "low"},
		{"between two", []string{"low", "high"}, level("medium"), false, "high"},
		{"no budget", all, budget(0), false, "none"},
		{"a small budget", all, budget(1024), false, "low"},
		{"a budget", all, budget(8192), false, "medium"},
		{"a large budget", all, budget(32768), false, "high"},
		{"a level before a budget", all, model.Config{ThinkingLevel: "low", ThinkingBudget: budget(32768).ThinkingBudget}, false, "low"},
		{"a search", all[1:], level("minimal"), true, "low"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := effort(catalogue.Abilities{Efforts: tt.known}, tt.config, tt.search); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
