package gate

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/internal/trust"
	"github.com/emendo-dev/emendo/tools"
)

// A remembered answer of the user's holds for the rest of the session: a rule, what a command
// line may reach beyond the sandbox, or an entry that may start.
type remembered struct {
	policy.Listed

	rule   *policy.Rule
	line   policy.Line
	access tools.Access
	start  trust.Approval
}

// answers are the remembered answers of the user in a session.
type answers struct {
	mu    sync.Mutex
	given []remembered // the slice is never modified
}

func (a *answers) all() []remembered {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.given
}

// add adds an answer, in place of one with its ID.
func (a *answers) add(r remembered) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.given = append(without(a.given, r.ID), r)
}

func without(l []remembered, id string) []remembered {
	return slices.DeleteFunc(slices.Clone(l), func(r remembered) bool { return r.ID == id })
}

// rules returns the rules of the answers.
func (a *answers) rules() (l []*policy.Rule) {
	for _, r := range a.all() {
		if r.rule != nil {
			l = append(l, r.rule)
		}
	}
	return l
}

// access returns what the user has let a line reach.
func (a *answers) access(line policy.Line) (all tools.Access) {
	for _, r := range a.all() {
		if r.line == line {
			all = all.Union(r.access)
		}
	}
	return all
}

// follow applies rules to the rest of the session.
func (g *Gate) follow(rules []*policy.Rule) {
	for _, r := range rules {
		given := *r
		given.Added = time.Now()
		g.answers.add(remembered{Listed: given.InSession(g.o.SessionID), rule: &given})
	}
}

// open lets a line reach more for the rest of the session.
func (g *Gate) open(line policy.Line, more tools.Access) {
	all := g.answers.access(line).Union(more)
	g.answers.add(remembered{line: line, access: all, Listed: policy.Listed{
		ID: policy.IDOf(fmt.Sprintf("%q", []any{g.o.SessionID, "access", line})), Text: line.Text(all),
		Tier: "session", Scope: policy.Session, Source: policy.OfAnswer, Removable: true,
	}})
}

// remember applies an offer to the rest of the session, or stores it if its scope is wider.
// A stored one applies to the rest of the turn as it is; later turns read it, so that it
// can be removed meanwhile.
func (t *Turn) remember(o policy.Offer) {
	if o.Scope == policy.Session {
		t.gate.follow(o.Rules)
		return
	}
	root := t.gate.o.Dir
	if o.Scope == policy.Everywhere {
		root = ""
	}
	if err := t.gate.o.Answers.Save(o, root); err != nil {
		t.gate.follow(o.Rules)
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
	for _, r := range g.answers.all() {
		l = append(l, r.Listed)
	}
	return l
}

// Forget removes an answer that holds in the session alone by the ID with which it is
// listed, and reports whether there was one.
func (g *Gate) Forget(id string) bool {
	g.answers.mu.Lock()
	defer g.answers.mu.Unlock()
	n := len(g.answers.given)
	g.answers.given = without(g.answers.given, id)
	return len(g.answers.given) < n
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
