package catalogue

import (
	"slices"

	"github.com/emendo-dev/emendo/agent/model"
)

// substitutes are the roles whose models may replace one of a role, in order.
var substitutes = map[Role][]Role{
	Strong: {Strong, Fast, Small},
	Fast:   {Fast, Strong, Small},
	Small:  {Small, Fast, Strong},
}

// Chain returns the models that may answer a request to the named one, which comes
// first. All are of one provider. choice is the name that the user chose, if that
// leaves the model to emendo: then models that the key may not use are skipped. A
// model of the catalogue that the user named is followed by those that may replace
// it with permission. Any other model has no substitutes.
func (c *Catalogue) Chain(name string, choice Name) []model.Link {
	open := choice.ID != ""
	m, known := c.Find(name)
	if !known { // too new or too old for the catalogue, or of another vendor
		m = Model{ID: model.PlainName(name), Role: Strong, Provider: c.ProviderOf(name)}
	}
	if m.Provider == "" || len(substitutes[m.Role]) == 0 {
		return []model.Link{{Model: name}}
	}
	links := []model.Link{{Model: name, Role: string(m.Role), Open: open, Retried: choice.Auto()}}
	for _, role := range substitutes[m.Role] {
		ids := c.With(m.Provider, role, choice.Generation)
		if at := slices.Index(ids, m.ID); at >= 0 && open {
			ids = ids[at+1:] // those before it were skipped
		}
		for _, id := range ids {
			if id != m.ID {
				links = append(links, model.Link{Model: id, Role: string(role), Open: true})
			}
		}
	}
	return links
}

// Candidates returns the models that may answer for a name which leaves the
// choice to emendo, best first, for one of the roles.
func (n Name) Candidates(role Role) (ids []string) {
	if n.of == nil {
		return nil
	}
	for _, r := range substitutes[role] {
		ids = append(ids, n.of.With(n.Provider, r, n.Generation)...)
	}
	return ids
}
