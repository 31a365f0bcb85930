package provider

import (
	"cmp"

	"github.com/emendo-dev/emendo/agent/model/catalogue"
	"github.com/emendo-dev/emendo/agent/model/local"
)

// Address returns the URL that requests to a provider are sent to; empty if it is not
// known.
func (m *Models) Address(provider string) string {
	k := m.kind(provider)
	if k == nil {
		return ""
	}
	base := m.o.Settings.Model.Providers[provider].BaseURL
	switch {
	case k.serves == catalogue.Google:
		o, _, _ := m.googlePlan(provider == "vertex") // without credentials too
		return o.Address()
	case k.local:
		if provider == string(local.Ollama) {
			base = cmp.Or(base, m.o.Env("OLLAMA_HOST"))
		}
		address, _ := serverAddress(base, local.Addresses[local.Kind(provider)])
		return address
	case provider == "openai":
		return cmp.Or(base, m.o.Env("OPENAI_BASE_URL"), "https://api.openai.com/v1")
	case provider == "anthropic":
		return cmp.Or(base, m.o.Env("ANTHROPIC_BASE_URL"), "https://api.anthropic.com")
	}
	return base
}
