package chat

import (
	"cmp"
	"context"

	"github.com/emendo-dev/emendo/agent/model/catalogue"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/view"
)

type listModelsParams struct {
	Refresh bool `json:"refresh"`
}

// modelEntry describes a model for a picker.
type modelEntry struct {
	ID           string   `json:"id"`
	Name         string   `json:"name"`
	Provider     string   `json:"provider,omitzero"` // absent for names that leave the choice to emendo
	Description  string   `json:"description,omitzero"`
	ContextLimit int64    `json:"contextLimit,omitzero"`
	OutputLimit  int64    `json:"outputLimit,omitzero"`
	Prices       *prices  `json:"prices,omitzero"`
	Abilities    []string `json:"abilities"`
	Available    bool     `json:"available"`
	Reason       string   `json:"reason,omitzero"`
	view.Entry
}

// prices are in US dollars for a million tokens.
type prices struct {
	Input  float64 `json:"input"`
	Cached float64 `json:"cached"`
	Output float64 `json:"output"`
	Long   *prices `json:"long,omitzero"` // for long prompts
}

func pricesOf(p *catalogue.Prices) *prices {
	if p == nil {
		return nil
	}
	return &prices{p.Input, p.Cached, p.Output, pricesOf(p.Long)}
}

// ListModels answers emendo/models/list: names that leave the choice to emendo, then
// models by name. It may ask the provider.
func (s *Sessions) ListModels(ctx context.Context, p listModelsParams) (any, error) {
	h, err := s.c.Host.Get(ctx)
	if err != nil {
		return nil, err
	}
	offered, err := h.Agent.Process.Models(ctx, p.Refresh)
	if err != nil {
		return nil, err
	}
	models := []modelEntry{}
	why := reason(offered)
	for _, m := range s.models {
		if m.Description != "" {
			models = append(models, modelEntry{ID: m.ID, Name: m.Name, Description: m.Description, Abilities: []string{}, Available: why == "", Reason: why})
		}
	}
	for _, m := range offered {
		models = append(models, modelEntryOf(m))
	}
	if s.c.Can.View {
		for i, m := range models {
			var in, out *float64
			if m.Prices != nil {
				in, out = &m.Prices.Input, &m.Prices.Output
			}
			models[i].Entry = view.ModelEntry(m.Name, m.Description, m.Provider, m.Reason, in, out)
		}
	}
	return struct {
		Models []modelEntry `json:"models"`
	}{models}, nil
}

// reason returns why none of the default provider's models, which come first, can answer;
// "" if one can.
func reason(offered []state.OfferedModel) (why string) {
	for _, m := range offered {
		if m.Provider != offered[0].Provider {
			break
		}
		if why = m.Reason; why == "" {
			break
		}
	}
	return why
}

func modelEntryOf(m state.OfferedModel) modelEntry {
	e := modelEntry{
		ID: m.ID, Name: m.Name, Provider: m.Provider, ContextLimit: m.InputTokens, OutputLimit: m.OutputTokens, Prices: pricesOf(m.Prices),
		Abilities: []string{}, Available: m.Reason == "", Reason: m.Reason,
	}
	add := func(name string, has bool) {
		if has {
			e.Abilities = append(e.Abilities, name)
		}
	}
	add("tools", m.Tools == nil && !catalogue.Lacks(m.Traits.Tools) || catalogue.Is(m.Tools))
	add("images", catalogue.Is(cmp.Or(m.Images, m.Traits.Images)))
	add("thinking", m.Traits.Thinking != "")
	if e.Name == "" {
		e.Name = m.ID
	}
	return e
}

// ModelsChanged asks a client that shows models to request them again.
func (s *Sessions) ModelsChanged() {
	if s.c.Can.Models {
		s.c.Notify(s.c.Life(), "emendo/models/didChange", struct{}{})
	}
}
