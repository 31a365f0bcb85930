package gate

import (
	"slices"
	"sync"
	"time"

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
	for _, r := range rules {
		given := *r
		given.Added = time.Now()
		a.given = append(a.given, &given)
	}
}

// remember applies an offer to the rest of the session, or stores it if its scope is wider.
// A stored one applies to the rest of the turn as it is; later turns read it, so that it
// can be removed meanwhile.
func (t *Turn) remember(o policy.Offer) {
	if o.Scope == policy.Session {
		t.gate.answers.add(o.Rules)
		return
	}
	root := t.gate.o.Dir
	if o.Scope == policy.Everywhere {
		root = ""
	}
	if err := t.gate.o.Answers.Save(o, root); err != nil {
		t.gate.answers.add(o.Rules)
		t.notSaved(err)
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stored = append(t.stored, o.Rules...)
}

// answered returns the answers that hold in this turn beside those that its rules have.
func (t *Turn) answered() []*policy.Rule {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Concat(t.gate.answers.rules(), t.stored)
}

// Rules returns what decides in the session: rules, stored answers, and what answers have
// allowed in it alone.
func (g *Gate) Rules() []policy.Listed {
	l := g.rules(g.o.Facts().Trusted).Rules()
	for _, r := range g.answers.rules() {
		l = append(l, r.InSession(g.o.SessionID))
	}
	return slices.Concat(l, g.opened.listed(g.o.SessionID), g.starts.listed(g.o.SessionID))
}

// Forget removes an answer that holds in the session alone by the ID with which it is
// listed, and reports whether there was one.
func (g *Gate) Forget(id string) bool {
	g.answers.mu.Lock()
	n := len(g.answers.given)
	g.answers.given = slices.DeleteFunc(g.answers.given, func(r *policy.Rule) bool { return r.InSession(g.o.SessionID).ID == id })
	gone := len(g.answers.given) < n
	g.answers.mu.Unlock()
	return gone || g.opened.forget(g.o.SessionID, id) || g.starts.forget(g.o.SessionID, id)
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
	where := map[policy.Scope]string{policy.Session: "in this session", policy.Project: "in this project", policy.Everywhere: "everywhere, in every project"}
	var l []frontend.Option
	for _, o := range offers {
		if o.Scope == policy.Session || g.o.Answers != nil {
			l = append(l, frontend.Option{ID: optionOf(o), Name: "Always allow " + o.What + " " + where[o.Scope], Kind: frontend.AllowAlways})
		}
	}
	return l
}

// optionOf returns the ID of the option that accepts an offer.
func optionOf(o policy.Offer) string {
	if o.Whole {
		return alwaysOnServer
	}
	return map[policy.Scope]string{policy.Session: alwaysInSession, policy.Project: alwaysInProject, policy.Everywhere: alwaysEverywhere}[o.Scope]
}

// chosen returns the offer behind an option.
func chosen(offers []policy.Offer, option string) (policy.Offer, bool) {
	i := slices.IndexFunc(offers, func(o policy.Offer) bool { return optionOf(o) == option })
	if i < 0 {
		return policy.Offer{}, false
	}
	return offers[i], true
}
