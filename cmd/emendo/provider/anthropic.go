package provider

import (
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/anthropic"
)

// tokenVariable is the variable with a bearer token for Anthropic's API, in place of a key.
const tokenVariable = "ANTHROPIC_AUTH_TOKEN"

// anthropic returns the generator for Anthropic's API.
func (m *Models) anthropic(a access) (model.Generator, error) {
	variable := keyVariables(a.kind, a.set)[0]
	secret, from, err := m.vault.key(a.name, variable, tokenVariable)
	switch {
	case err != nil:
		return nil, authFailed(err)
	case secret == "" && a.set.BaseURL == "": // a base URL of the environment alone is no credential
		return nil, noKey(a.name, a.kind.Title, variable)
	}
	o := anthropic.Options{Way: m.connection(a), APIKey: secret, BaseURL: m.baseURL(a.kind, a.name), Traits: m.catalogue.Traits}
	if from.Name == tokenVariable {
		o.APIKey, o.Token = "", secret
	}
	return built(anthropic.New(o))
}
