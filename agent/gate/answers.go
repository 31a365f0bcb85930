package gate

import (
	"slices"
	"sync"

	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/policy"
)

// answers are the remembered answers of the user in a session.
type answers struct {
	mu    sync.Mutex
	given []*policy.Rule
}

func (a *answers) rules() []*policy.Rule {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.given)
}

func (a *answers) add(rules []*policy.Rule) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.given = append(a.given, rules...)
}

// remember applies an offer to the rest of the session and stores it if its scope
// is wider.
func (t *Turn) remember(o policy.Offer) {
	t.gate.answers.add(o.Rules)
	if o.Scope == policy.Session {
		return
	}
	root := t.gate.o.Dir
	if o.Scope == policy.Everywhere {
		root = ""
	}
	if err := t.gate.o.Answers.Save(o, root); err != nil {
		t.notSaved(err)
	}
}

// The IDs of the options that are remembered.
const (
	alwaysInSession  = "allow_always"
	alwaysOnServer   = "allow_always_server"
	alwaysInProject  = "allow_always_project"
	alwaysEverywhere = "allow_always_everywhere"
)

// rememberedOptions returns an option for each offer that this session can
// remember.
func (g *Gate) rememberedOptions(offers []policy.Offer) []frontend.Option {
	var l []frontend.Option
	for _, o := range offers {
		switch o.Scope {
		case policy.Session:
			id := alwaysInSession
			if o.Whole {
				id = alwaysOnServer
			}
			l = append(l, frontend.Option{ID: id, Name: "Always allow " + o.What + " in this session", Kind: frontend.AllowAlways})
		case policy.Project:
			if g.o.Answers != nil {
				l = append(l, frontend.Option{ID: alwaysInProject, Name: "Always allow " + o.What + " in this project", Kind: frontend.AllowAlways})
			}
		case policy.Everywhere:
			if g.o.Answers != nil {
				l = append(l, frontend.Option{ID: alwaysEverywhere, Name: "Always allow " + o.What + " everywhere, in every project", Kind: frontend.AllowAlways})
			}
		}
	}
	return l
}

// chosen returns the offer behind an option.
func chosen(offers []policy.Offer, option string) (policy.Offer, bool) {
	scopes := map[string]policy.Scope{alwaysInSession: policy.Session, alwaysOnServer: policy.Session, alwaysInProject: policy.Project, alwaysEverywhere: policy.Everywhere}
	i := slices.IndexFunc(offers, func(o policy.Offer) bool { return o.Scope == scopes[option] && o.Whole == (option == alwaysOnServer) })
	if i < 0 {
		return policy.Offer{}, false
	}
	return offers[i], true
}
