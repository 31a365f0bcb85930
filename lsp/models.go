package lsp

import (
	"context"

	"github.com/emendo-dev/emendo/agent"
)

type listModelsParams struct {
	Refresh bool `json:"refresh"`
}

// modelEntry is a model as a picker shows it.
type modelEntry struct {
	ID           string   `json:"id"`
	Name         string   `json:"name"`
	Provider     string   `json:"provider,omitzero"` // absent for names that leave the choice to emendo
	Description  string   `json:"description,omitzero"`
	ContextLimit int64    `json:"contextLimit,omitzero"`
	OutputLimit  int64    `json:"outputLimit,omitzero"`
	Abilities    []string `json:"abilities"`
	Available    bool     `json:"available"`
	Reason       string   `json:"reason,omitzero"`
}

// listModels answers with the models that can be chosen: names that leave the
// choice to emendo, then models by name. It may ask the provider.
func (s *server) listModels(ctx context.Context, p listModelsParams) (any, error) {
	h, err := s.needHost(ctx)
	if err != nil {
		return nil, err
	}
	offered, err := h.Agent.Models(ctx, p.Refresh)
	if err != nil {
		return nil, err
	}
	models := []modelEntry{}
	for _, m := range s.o.Models {
		if m.Description != "" {
			models = append(models, modelEntry{ID: m.ID, Name: m.Name, Description: m.Description, Abilities: []string{}, Available: true})
		}
	}
	for _, m := range offered {
		models = append(models, modelEntryOf(m))
	}
	return object{"models": models}, nil
}

func modelEntryOf(m agent.OfferedModel) modelEntry {
	e := modelEntry{
		ID: m.ID, Name: m.Name, Provider: m.Provider, ContextLimit: m.InputTokens, OutputLimit: m.OutputTokens,
		Abilities: []string{"tools"}, Available: m.Reason == "", Reason: m.Reason,
	}
	if e.Name == "" {
		e.Name = m.ID
	}
	if m.Generation.Name != "" {
		e.Abilities = append(e.Abilities, "images")
	}
	if m.Generation.Thinking != "" {
		e.Abilities = append(e.Abilities, "thinking")
	}
	return e
}

// modelsChanged tells a client that shows models to ask for them again.
func (s *server) modelsChanged() {
	if s.can.models {
		s.notify(s.life, "emendo/models/didChange", object{})
	}
}
