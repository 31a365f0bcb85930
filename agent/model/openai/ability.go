package openai

import (
	"slices"

	"github.com/openai/openai-go/v3/shared"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/catalogue"
)

// reasons reports whether a model reasons before it answers, and whether its server
// summarizes and encrypts its reasoning.
func reasons(a catalogue.Abilities) bool { return a.Thinking == catalogue.Efforts }

// budgets are the budgets in tokens up to which each of the lower efforts is chosen.
var budgets = []int32{0, 512, 4_096, 16_384}

// effort returns the effort closest to the one that c asks for, or "" to leave it to
// the model.
func effort(a catalogue.Abilities, c model.Config, search bool) shared.ReasoningEffort {
	want := c.ThinkingLevel
	if b := c.ThinkingBudget; b != nil && *b >= 0 && catalogue.NearestEffort(catalogue.EffortNames, want) == "" {
		over := slices.IndexFunc(budgets, func(most int32) bool { return *b <= most })
		if over < 0 {
			over = len(budgets)
		}
		want = catalogue.EffortNames[over]
	}
	known := slices.DeleteFunc(slices.Clone(a.Efforts), func(e string) bool {
		return search && e == "minimal" // with which a model does not search
	})
	return shared.ReasoningEffort(catalogue.NearestEffort(known, want))
}
