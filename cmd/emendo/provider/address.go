package provider

import (
	"cmp"

	"github.com/emendo-dev/emendo/agent/model/catalogue"
)

// Address returns the URL that requests to a provider are sent to; empty if it is not
// known.
func (m *Models) Address(provider string) string {
	k := m.kind(provider)
	if k == nil {
		return ""
	}
	switch {
	case k.Catalogue == catalogue.Google:
		o, _, _ := m.googlePlan(provider == "vertex") // without credentials too
		return o.Address()
	case k.Local:
		address, _ := serverAddress(m.baseURL(k, provider), k.Address)
		return address
	}
	return cmp.Or(m.baseURL(k, provider), k.Address)
}
