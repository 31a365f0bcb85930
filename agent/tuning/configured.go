package tuning

import (
	"fmt"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/internal/settings"
)

// Configured returns the table of the settings, with the built-in presets.
func Configured(s settings.ModelConfigs) (*Table, error) {
	o := Options{Presets: map[string]Preset{}}
	for name, a := range s.CustomAliases {
		o.Presets[name] = Preset{Extends: a.Extends, Values: valuesOf(a.ModelConfig)}
	}
	for _, c := range s.CustomOverrides {
		o.Overrides = append(o.Overrides, Override{
			Match:  Match{Model: c.Match.Model, Scope: c.Match.OverrideScope, Retry: c.Match.IsRetry},
			Values: valuesOf(c.ModelConfig),
		})
	}
	t, err := New(o)
	if err != nil {
		return nil, fmt.Errorf("setting modelConfigs.customAliases: %w", err)
	}
	return t, nil
}

func valuesOf(c settings.ModelConfig) Values {
	g := c.GenerateContentConfig
	return Values{Model: c.Model, Config: model.Config{
		Temperature: g.Temperature, TopP: g.TopP, TopK: g.TopK, MaxTokens: g.MaxOutputTokens, StopSequences: g.StopSequences, Seed: g.Seed,
		ThinkingBudget: g.ThinkingConfig.ThinkingBudget, ThinkingLevel: g.ThinkingConfig.ThinkingLevel, IncludeThoughts: g.ThinkingConfig.IncludeThoughts,
	}}
}
