package main

import (
	"fmt"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/tuning"
	"github.com/emendo-dev/emendo/internal/settings"
)

// tuningOf is how models are asked, as the settings have it.
func tuningOf(s settings.ModelConfigs) (*tuning.Table, error) {
	o := tuning.Options{Presets: map[string]tuning.Preset{}}
	for name, a := range s.CustomAliases {
		o.Presets[name] = tuning.Preset{Extends: a.Extends, Values: valuesOf(a.ModelConfig)}
	}
	for _, c := range s.CustomOverrides {
		o.Overrides = append(o.Overrides, tuning.Override{
			Match:  tuning.Match{Model: c.Match.Model, Scope: c.Match.OverrideScope, Retry: c.Match.IsRetry},
			Values: valuesOf(c.ModelConfig),
		})
	}
	t, err := tuning.New(o)
	if err != nil {
		return nil, fmt.Errorf("the setting modelConfigs.customAliases: %w", err)
	}
	return t, nil
}

func valuesOf(c settings.ModelConfig) tuning.Values {
	g := c.GenerateContentConfig
	return tuning.Values{Model: c.Model, Config: model.Config{
		Temperature: g.Temperature, TopP: g.TopP, TopK: g.TopK, MaxTokens: g.MaxOutputTokens, StopSequences: g.StopSequences, Seed: g.Seed,
		ThinkingBudget: g.ThinkingConfig.ThinkingBudget, ThinkingLevel: g.ThinkingConfig.ThinkingLevel, IncludeThoughts: g.ThinkingConfig.IncludeThoughts,
	}}
}
