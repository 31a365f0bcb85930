package provider

import (
	"fmt"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/catalogue"
	"github.com/emendo-dev/emendo/internal/settings"
)

// TuningOf returns the tuning of the settings, with the built-in presets.
func TuningOf(s settings.ModelConfigs) (*catalogue.Tuning, error) {
	o := catalogue.TuningOptions{Presets: map[string]catalogue.Preset{}}
	for name, a := range s.CustomAliases {
		o.Presets[name] = catalogue.Preset{Extends: a.Extends, Values: valuesOf(a.ModelConfig)}
	}
	for _, c := range s.CustomOverrides {
		o.Overrides = append(o.Overrides, catalogue.Override{
			Match:  catalogue.Match{Model: c.Match.Model, Scope: c.Match.OverrideScope, Retry: c.Match.IsRetry},
			Values: valuesOf(c.ModelConfig),
		})
	}
	t, err := catalogue.NewTuning(o)
	if err != nil {
		return nil, fmt.Errorf("setting modelConfigs.customAliases: %w", err)
	}
	return t, nil
}

func valuesOf(c settings.ModelConfig) catalogue.Values {
	g := c.GenerateContentConfig
	return catalogue.Values{Model: c.Model, Config: model.Config{
		Temperature: g.Temperature, TopP: g.TopP, TopK: g.TopK, MaxTokens: g.MaxOutputTokens, StopSequences: g.StopSequences, Seed: g.Seed,
		ThinkingBudget: g.ThinkingConfig.ThinkingBudget, ThinkingLevel: g.ThinkingConfig.ThinkingLevel, IncludeThoughts: g.ThinkingConfig.IncludeThoughts,
	}}
}
