package provider

import (
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/anthropic"
	"github.com/emendo-dev/emendo/agent/model/catalogue"
)

// anthropic returns the generator for Anthropic's API.
func (m *Models) anthropic(a access) (model.Generator, error) {
	variable := keyVariables(a.kind, a.set)[0]
	token := ""
	if m.vault.given[a.name] == "" && m.o.Env(variable) == "" {
		token = m.o.Env("ANTHROPIC_AUTH_TOKEN")
	}
	key := ""
	if token == "" {
		var err error
		if key, err = m.vault.key(a.name, variable); err != nil {
			return nil, authFailed(err)
		}
	}
	if key == "" && token == "" {
		if s, err := m.vault.inKeyFile("ANTHROPIC_AUTH_TOKEN"); err == nil && s.Origin != Nowhere {
			if token, err = m.vault.value(a.name, s); err != nil {
				return nil, authFailed(err)
			}
		}
	}
	o := anthropic.Options{Way: m.connection(a), APIKey: key, Token: token, BaseURL: m.baseURL(a.kind, a.name), Traits: m.anthropicTraits}
	if o.APIKey == "" && o.Token == "" && a.set.BaseURL == "" { // a base URL of the environment alone is no credential
		return nil, noKey(a.name, a.kind.Title, variable)
	}
	return built(anthropic.New(o))
}

// anthropicTraits returns what the catalogue knows of a model, for Anthropic's
// requests. It reports false for a model that the API has to be asked about.
func (m *Models) anthropicTraits(name string) (anthropic.Traits, bool) {
	t, ok := m.catalogue.Traits(name)
	if !ok || t.ID == "" {
		return anthropic.Traits{}, false
	}
	out := anthropic.Traits{OutputTokens: t.Output, AlwaysThinks: catalogue.Is(t.AlwaysThinks), Efforts: t.Efforts, Samples: !catalogue.Lacks(t.Sampling)}
	switch t.Thinking {
	case catalogue.Budgets:
		out.Thinking, out.Efforts = anthropic.Budgets, nil
	case catalogue.Adaptive, catalogue.Efforts, catalogue.Levels:
		out.Thinking = anthropic.Adaptive
	}
	return out, true
}
