package provider

import (
	"github.com/emendo-dev/emendo/agent/model/catalogue"
	"github.com/emendo-dev/emendo/cmd/emendo/credentials"
	"github.com/emendo-dev/emendo/lsp"
)

// Offered returns the models that editors list at the start, the default first: those
// of the providers with a key in the environment or one that `emendo auth login` stored,
// without one Google's. Others can be used by name, and emendo/models/list has them.
func Offered(env func(string) string, logins credentials.Store) (out []lsp.ModelInfo) {
	stored, _ := logins.All() // a damaged file is reported when a key is needed
	c := catalogue.BuiltIn()
	providers := Ready(env, stored)
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
