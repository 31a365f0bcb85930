package policy

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/tools"
)

// An Engine decides by its rules. It is immutable. The zero value has only the
// built-in rules.
type Engine struct {
	tiers  [OfAdmin + 1][]*Rule // each by descending priority
	answer []*Rule              // the user's answers
	broken []*FileError         // policy files that cannot be read
}

// New returns an engine with these rules and the built-in ones. While a file is
// broken, nothing is allowed without a question: the file might have denied it.
func New(rules []*Rule, broken []*FileError) *Engine {
	e := &Engine{broken: broken}
	for _, r := range slices.Concat(builtIn(), rules) {
		if r.Answer {
			e.answer = append(e.answer, r)
			continue
		}
		e.tiers[r.Tier] = append(e.tiers[r.Tier], r)
	}
	for _, t := range e.tiers {
		slices.SortStableFunc(t, before)
	}
	return e
}

// before orders the rules of a tier: by priority, then the strictest first. Of
// two that ask, the one that mode yolo does not answer is first; of two that
// allow, the one that does not allow redirections.
func before(a, b *Rule) int {
	lenience := func(r *Rule) int {
		if r.Decision == Ask && !slices.Contains(r.Modes, Yolo) || r.Redirects {
			return 1
		}
		return 0
	}
	return cmp.Or(cmp.Compare(b.Priority, a.Priority), cmp.Compare(a.Decision, b.Decision), cmp.Compare(lenience(a), lenience(b)))
}

// Broken returns the files whose rules are ignored.
func (e *Engine) Broken() []*FileError { return e.broken }

// With returns an engine with further rules.
func (e *Engine) With(rules []*Rule) *Engine {
	if len(rules) == 0 {
		return e
	}
	var all []*Rule
	for _, t := range e.tiers[OfProject:] {
		all = append(all, t...)
	}
	return New(slices.Concat(all, e.answer, rules), e.broken)
}

// A finding is what the rules decide about one part of a call.
type finding struct {
	kind   Kind
	rule   string
	reason string
	// fixed: no mode and no answer removes the question.
	fixed bool
	// alone: no permanent answer is offered.
	alone bool
	// unasked: nothing but the sandbox allows a command.
	unasked bool
	// narrow: it is allowed by a rule or an answer about particular commands, and outside by
	// one that covers them outside the sandbox too.
	narrow, outside bool
	// crosses: the question is about what a sandbox cannot keep from lasting or has to let
	// out, and opens is what the command gets to reach if the user allows it.
	crosses bool
	opens   tools.Access
}

// askEachTime returns a question that no mode and no answer removes.
func askEachTime(rule, reason string) finding {
	return finding{kind: Ask, rule: rule, reason: reason, fixed: true, alone: true}
}

// stricter returns the stricter of two findings; of two questions, the one that
// is harder to remove.
func stricter(a, b finding) finding {
	if b.kind < a.kind || b.kind == Ask && a.kind == Ask && (b.fixed && !a.fixed || b.fixed == a.fixed && b.alone && !a.alone) {
		return b
	}
	return a
}

// Decide decides about a call. Of a call that reads from several MCP servers, the
// strictest decision counts.
func (e *Engine) Decide(c Call) Decision {
	read, ok := c.Effect.(tools.Reads)
	if !ok || len(read.Servers) == 0 || c.Server != nil {
		return e.decideOne(c)
	}
	var strictest Decision
	for i, server := range read.Servers {
		c.Server = &tools.ServerTool{Server: server, Tool: c.Tool}
		if d := e.decideOne(c); i == 0 || d.Kind < strictest.Kind {
			strictest = d
		}
	}
	return strictest
}

func (e *Engine) decideOne(c Call) Decision {
	d := e.decide(c)
	if c.NoAlways {
		d.Offers = nil
	}
	if d.Kind != Ask || c.Asks {
		return d
	}
	d.Kind, d.Offers = Deny, nil
	advice := " It needs the user's approval, and no user is available to approve it. Continue without it, or say what the user should do."
	if d.Outside {
		advice = " Nobody is available to approve that. Continue without it, or say that the user should run it, or start emendo with --no-sandbox."
	}
	d.Reason = strings.TrimSpace(d.Reason + advice)
	for i, p := range d.Parts {
		if p.Kind == Ask {
			d.Parts[i].Kind = Deny
		}
	}
	return d
}

func (e *Engine) decide(c Call) Decision {
	if d, ok := impossible(c); ok {
		return d
	}
	m := e.matching(c)
	if r, ok := c.Effect.(tools.Runs); ok {
		return m.decideCommand(r)
	}
	f := m.decideCall()
	d := Decision{Kind: f.kind, Rule: f.rule, Reason: f.reason}
	if f.kind == Ask && !f.fixed && !f.alone {
		d.Offers = m.offersOfCall()
	}
	return d
}

// matching is a decision in progress.
type matching struct {
	*Engine
	call  Call
	tiers [OfAdmin + 1][]*Rule // the rules that apply to such a call
	args  arguments
	line  line // of a command
}

func (e *Engine) matching(c Call) *matching {
	m := &matching{Engine: e, call: c}
	m.args.call = &m.call
	for t, rules := range e.tiers {
		for _, r := range rules {
			if r.concerns(c) {
				m.tiers[t] = append(m.tiers[t], r)
			}
		}
	}
	return m
}

// inMode reports whether a tier's rule applies in the session's mode. A rule
// that would act in plan mode, even after the user's approval, must name plan
// mode.
func (m *matching) inMode(r *Rule) bool {
	if r.Decision == Deny || m.call.Mode != Plan || r.Tier == OfEmendo {
		return true
	}
	return !tools.TraitsOf(m.call.Effect).Acts || slices.Contains(r.Modes, Plan) || r.Decision == Ask && m.call.ownPlan()
}

// resolve returns the finding of the highest tier that has a matching rule, else the given
// one. findingOf returns what a rule decides, and false if it does not match.
func (m *matching) resolve(findingOf func(*Rule) (finding, bool), otherwise func() finding) (f finding, tier Tier) {
	for _, t := range []Tier{OfAdmin, OfUser, OfEmendo} {
		for _, r := range m.tiers[t] {
			if !m.inMode(r) {
				continue
			}
			if f, ok := findingOf(r); ok {
				return f, t
			}
		}
	}
	return otherwise(), OfEmendo
}

// uncovered is the finding about a call that no rule is about.
func uncovered() finding { return finding{kind: Ask, rule: "no rule", reason: "No rule covers it."} }

// settle computes the final finding: answers remove questions, a project's
// rules and broken files make it stricter, and mode yolo removes what may be
// removed.
func (m *matching) settle(f finding, tier Tier, covers func(*Rule) bool, findingOf func(*Rule) (finding, bool)) finding {
	if f.kind == Ask && !f.fixed && tier != OfAdmin && !m.call.NoAlways {
		for _, r := range slices.Concat(m.call.Answers, m.answer) {
			if r.concerns(m.call) && covers(r) {
				f = finding{kind: Allow, rule: r.String(), narrow: r.narrow() || r.Whole != (Line{}), outside: r.Outside}
				break
			}
		}
	}
	for _, r := range m.tiers[OfProject] {
		if r.Decision == Allow {
			continue // only the user can remove it
		}
		if p, ok := findingOf(r); ok && p.kind < f.kind {
			p.alone = true
			f = p
		}
	}
	if tier == OfAdmin {
		f.alone = true
	}
	if len(m.broken) > 0 && f.kind > Deny {
		return m.whileBroken(f)
	}
	if (f.kind == Ask && !f.fixed || f.unasked) && m.call.Mode == Yolo && m.call.Trusted {
		f = finding{kind: Allow, rule: "mode yolo"}
	}
	return f
}

// whileBroken returns the finding while a policy file is broken.
func (m *matching) whileBroken(f finding) finding {
	if _, notes := m.call.Effect.(tools.Notes); notes {
		return f // they change nothing
	}
	why := "A policy file cannot be read, so everything needs approval: " + m.broken[0].Error() + "."
	return askEachTime("a policy file that cannot be read", why)
}

// decideCall decides about a call that is not a command.
func (m *matching) decideCall() finding {
	findingOf := func(r *Rule) (finding, bool) {
		if r.aboutCommands() || r.Args != nil && !m.args.match(r) {
			return finding{}, false
		}
		return m.findingOfRule(r), true
	}
	f, tier := m.resolve(findingOf, uncovered)
	if m.call.ownPlan() && tier == OfEmendo {
		f = finding{kind: Allow, rule: "the session's plans"}
	}
	f = m.paths(f)
	if _, edits := m.call.Effect.(tools.Edits); edits && !m.call.Trusted && f.kind == Allow && !m.call.ownPlan() {
		f = askEachTime("restricted folder", "The folder is restricted, so edits are only proposed.")
	}
	if _, presents := m.call.Effect.(tools.Presents); presents && f.kind > Deny {
		f = askEachTime(f.rule, "Approve the plan to have it carried out.")
	}
	return m.settle(f, tier, func(r *Rule) bool { _, ok := findingOf(r); return ok }, findingOf)
}

// findingOfRule returns the finding of a rule that matches.
func (m *matching) findingOfRule(r *Rule) finding {
	f := finding{kind: r.Decision, rule: r.String()}
	switch {
	case r.Decision == Allow:
		f.narrow, f.outside = r.narrow(), true
	case r.Message != "":
		f.reason = r.Message
	case r.Tier == OfEmendo:
		f.reason = m.builtInReason(r)
	case r.Decision == Ask:
		f.reason = fmt.Sprintf("The rule %s asks.", r)
	default:
		f.reason = fmt.Sprintf("The rule %s denies it.", r)
	}
	f.fixed = r.Decision == Ask && slices.Contains(r.Modes, m.call.Mode) && m.call.Mode == Yolo // the rule names mode yolo
	return f
}
