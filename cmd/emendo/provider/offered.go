package provider

import (
	"github.com/emendo-dev/emendo/agent/model/catalogue"
	"github.com/emendo-dev/emendo/lsp"
)

// Offered returns the models that editors list at the start, the default first: those
// of the providers with a key in the environment, without one Google's. Others can be
// used by name, and emendo/models/list has them.
func Offered(env func(string) string) (out []lsp.ModelInfo) {
	c := catalogue.BuiltIn()
	providers := InEnvironment(env)
	for _, n := range c.Names(providers[0]) {
		out = append(out, lsp.ModelInfo{ID: n.ID, Name: n.Name, Description: n.Description})
	}
	for _, name := range providers {
		for _, m := range c.Models(name) {
			out = append(out, lsp.ModelInfo{ID: m.ID, Name: m.Name})
		}
	}
	return out
}
