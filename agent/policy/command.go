package policy

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/internal/authority"
	"github.com/emendo-dev/emendo/internal/protect"
	"github.com/emendo-dev/emendo/internal/shellcmd"
	"github.com/emendo-dev/emendo/tools"
)

// partsOf returns the parts of a command. A command that was not analyzed is
// one part.
func partsOf(r tools.Runs) []shellcmd.Part {
	if len(r.Parts) > 0 {
		return r.Parts
	}
	return []shellcmd.Part{{Text: r.Command, Why: r.Why}}
}

// decideCommand decides about each part of a command. The strictest decision applies
// to the whole.
func (m *matching) decideCommand(r tools.Runs) Decision {
	var d Decision
	whole := finding{kind: Allow}
	parts := partsOf(r)
	m.line = m.lineOf(r, parts)
	misread := finding{kind: Allow}
	if r.Canonical == "" { // the shell gets the model's text, which it may read differently
		misread = m.perhapsDenied(shellcmd.Part{Text: r.Command})
	}
	outside := m.line.outgrows != ""
	for i, p := range parts {
		f := stricter(m.decidePart(r, p, m.line.crossed[i]), misread)
		d.Parts = append(d.Parts, PartDecision{p.Text, f.kind, f.rule, f.reason, p.Destructive})
		whole = stricter(whole, f)
		d.Unasked = d.Unasked || f.unasked && !m.line.strict
		outside = outside && (f.outside && (f.narrow || !m.line.configures) || harmless(p) || m.passes(p))
		d.Opens = d.Opens.Union(f.opens)
	}
	if m.line.outgrows != "" && whole.kind != Deny && !outside {
		whole = m.toRunOutside(whole)
	}
	d.Kind, d.Rule, d.Reason = whole.kind, whole.rule, whole.reason
	d.Outside = m.line.outgrows != "" && whole.kind != Deny
	d.Verbatim = m.line.verbatim
	if d.Unasked = d.Unasked && d.Kind == Allow; d.Kind == Allow {
		d.Rule = allowedBy(d.Parts)
	}
	if d.Kind == Ask {
		d.Reason = strings.TrimSpace(d.Reason + m.explanation(r))
		if !whole.fixed && !whole.alone {
			d.Offers = m.offers(r, parts, d.Parts)
		}
	}
	return d
}

// allowedBy returns the rules that allow the parts, each once.
func allowedBy(parts []PartDecision) string {
	var l []string
	for _, p := range parts {
		if !slices.Contains(l, p.Rule) {
			l = append(l, p.Rule)
		}
	}
	return strings.Join(l, ", ")
}

// explanation returns what else the user should know about a command that needs
// approval.
func (m *matching) explanation(r tools.Runs) string {
	switch {
	case r.Disguised != "": // which the question says
	case r.Destructive != "":
		return " It could destroy something: " + r.Destructive + "."
	case !r.Known && r.Why != "":
		return " What it would run is not known for certain: " + r.Why + "."
	}
	return ""
}

// decidePart decides about one part of a command. crossed is the question about what a sandbox
// cannot keep from lasting or has to let out.
func (m *matching) decidePart(r tools.Runs, p shellcmd.Part, crossed finding) finding {
	findingOf := func(rule *Rule) (finding, bool) { return m.match(rule, r, p) }
	f, tier := m.resolve(findingOf, func() finding { return m.bySandbox(p, crossed) })
	if m.passes(p) && f.kind > Deny && tier == OfEmendo {
		f = finding{kind: Allow, rule: "what it runs"}
	}
	if what := changesAuthority(p); what != "" && f.kind != Deny && (tier != OfAdmin || f.kind != Allow) {
		return finding{kind: Deny, rule: "emendo's own commands", reason: "emendo " + what + " changes what emendo may do, which is the user's decision: say what the user should run."}
	}
	if f.kind != Deny {
		f = stricter(f, m.perhapsDenied(p))
		f = m.asksAboutNamedFiles(f, r, p)
	}
	if f.kind == Ask && !m.call.Shell.holds() && m.call.Mode == Yolo {
		f = m.unsandboxed(f, r, p)
	}
	return m.settle(f, tier, func(rule *Rule) bool { return m.answers(rule, r, p) }, findingOf)
}

// changesAuthority returns the command of emendo's that a part would run and that changes what
// emendo may do, or "". A part may run it under several names.
func changesAuthority(p shellcmd.Part) string {
	for _, words := range append([][]string{p.Words}, p.Aliases...) {
		if len(words) > 0 && authority.Program(words[0]) {
			if what := authority.Changed(words[1:], p.Known); what != "" {
				return what
			}
		}
	}
	return ""
}

// unsandboxed asks about a part that is not sandboxed where mode yolo must not
// answer.
func (m *matching) unsandboxed(f finding, r tools.Runs, p shellcmd.Part) finding {
	outside := slices.IndexFunc(p.Alters, func(file string) bool { return !m.call.inside(file) })
	switch {
	case destroys(r, p):
		return stricter(f, askEachTime("destructive commands", "There is no sandbox, and the command could destroy something."))
	case p.Installs != "":
		return stricter(f, askEachTime("what runs later", "There is no sandbox, and "+p.Installs+"."))
	case outside >= 0:
		return stricter(f, askEachTime(ruleOutside, tools.Shown(p.Alters[outside])+" is outside the workspace."))
	}
	return f
}

// passes reports whether a part does nothing but run the parts inside it,
// without redirections that write or read outside.
func (m *matching) passes(p shellcmd.Part) bool {
	return p.Passes && len(p.Writes) == 0 && !slices.ContainsFunc(p.Reads, func(file string) bool { return !m.call.inside(file) })
}

// answers reports whether a remembered approval covers a part.
func (m *matching) answers(rule *Rule, r tools.Runs, p shellcmd.Part) bool {
	if rule.Whole != (Line{}) {
		return rule.Whole == LineOf(r)
	}
	if rule.Dir != "" && rule.Dir != r.Dir {
		return false
	}
	f, ok := m.match(rule, r, p)
	return ok && f.kind == rule.Decision
}

// match returns what a rule decides about a part, and false if it does not
// match.
func (m *matching) match(rule *Rule, r tools.Runs, p shellcmd.Part) (finding, bool) {
	switch {
	case rule.Decision != Allow:
		if !m.mayDeny(rule, r, p) {
			return finding{}, false
		}
		return m.findingOfRule(rule), true
	case !m.covers(rule, r, p):
		return finding{}, false
	}
	f := m.findingOfRule(rule)
	if len(p.Writes) > 0 && !rule.Redirects && m.call.Mode != AutoEdit && m.call.Mode != Yolo {
		if m.call.decides() {
			return finding{}, false
		}
		f = finding{kind: Ask, rule: rule.String(), reason: "It writes to " + tools.Shown(strings.Join(p.Writes, ", ")) + " by redirection, which the rule does not allow."}
	}
	return f, true
}

// mayDeny reports whether a rule that denies or asks matches a part in any
// spelling.
func (m *matching) mayDeny(rule *Rule, r tools.Runs, p shellcmd.Part) bool {
	if slices.ContainsFunc(rule.Unless, func(prefix []string) bool { return m.passes(p) || p.Covered(prefix) }) {
		return false
	}
	switch {
	case len(rule.Prefixes) > 0:
		return slices.ContainsFunc(rule.Prefixes, func(prefix []string) bool {
			return p.Named(prefix) || joins(prefix) && spelled(prefix, r.Command, p.Text)
		})
	case rule.Command != nil:
		return begins(rule.Command, r.Command) || slices.ContainsFunc(spellings(p), func(s string) bool { return begins(rule.Command, s) })
	case rule.Args != nil:
		return m.args.match(rule) || slices.ContainsFunc(spellings(p), func(s string) bool {
			return slices.ContainsFunc(m.args.respelled(), func(a argumentText) bool { return rule.Args.MatchString(a.withCommand(s).JSON) })
		})
	}
	return true
}

// covers reports whether a rule that allows covers a part. A rule about
// particular commands covers only parts that are known.
func (m *matching) covers(rule *Rule, r tools.Runs, p shellcmd.Part) bool {
	switch {
	case m.passes(p) && rule.narrow():
		return true // the parts inside it are decided instead
	case len(rule.Prefixes) > 0:
		return slices.ContainsFunc(rule.Prefixes, func(prefix []string) bool { return p.Covered(prefix) && (!rule.Ends || len(p.Words) == len(prefix)) })
	case rule.Command != nil:
		return p.Known && commandNames(rule.Command, p)
	case rule.Args != nil:
		return p.Known && argumentsName(rule.Args, m.args.given().withCommand(p.Text), p) && argumentsName(rule.Args, m.args.resolved().withCommand(p.Text), p)
	}
	return r.Canonical != "" && (m.call.Shell.holds() || !destroys(r, p)) // else bash and the user may read it differently
}

// destroys reports whether a part could destroy something: it is known to, or
// the command is and none of its parts is.
func destroys(r tools.Runs, p shellcmd.Part) bool {
	return p.Destructive != "" || r.Destructive != "" && !slices.ContainsFunc(r.Parts, func(o shellcmd.Part) bool { return o.Destructive != "" })
}

// perhapsDenied asks about a part that a rule may deny: its program, or a word
// that matters, is known only when it runs.
func (m *matching) perhapsDenied(p shellcmd.Part) finding {
	unsure := !p.Passes && !p.NoProgram && (!p.Known || widens(p))
	if !unsure && p.Opaque == "" && !p.Foreign {
		return finding{kind: Allow}
	}
	for _, rules := range m.tiers {
		for _, rule := range rules {
			if rule.Decision == Allow || len(rule.Prefixes) == 0 && !rule.opened {
				continue // not a rule that denies or asks about commands
			}
			why := "what it would run is not known for certain"
			switch {
			case p.Opaque != "":
				why = p.Opaque
			case p.Foreign && rule.mayBeLaunched(p):
				why = "it may launch a program that its words or its input name"
			case !unsure || !rule.mayMean(p):
				continue
			}
			does := "denies"
			if rule.Decision == Ask {
				does = "asks about"
			}
			return finding{
				kind: Ask, rule: rule.String(), fixed: rule.Decision == Deny, alone: true,
				reason: "It may be what the rule " + rule.String() + " " + does + ": " + why + ".",
			}
		}
	}
	return finding{kind: Allow}
}

// asksAboutNamedFiles asks about a part that writes to or names a file that is protected,
// looks secret or is outside.
func (m *matching) asksAboutNamedFiles(f finding, r tools.Runs, p shellcmd.Part) finding {
	covers := func(rule *Rule) bool { return m.covers(rule, r, p) }
	for _, file := range p.Writes { // by redirection, so no known program decides what is written
		by := m.guard(file)
		if by.rule == ruleOutside && m.call.Shell.holds() && m.temporary(file) || by.rule == watchedPath && f.unasked {
			continue // it is in the sandbox, and read-only there
		}
		if by.kind != Allow {
			by.fixed, by.alone = by.fixed || by.rule != watchedPath, true
			f = m.stricter(f, by, protectedNames(file), covers)
		}
	}
	for _, file := range p.Reads {
		f = m.stricter(f, m.ofSecret(file), secretNames(file), covers)
	}
	if !m.call.Shell.holds() && len(p.Secrets) > 0 { // which a sandbox hides
		f = m.stricter(f, askEachTime("secret files", fmt.Sprintf("It would read %s, which %s. Name other directories, or use grep_search, which skips secrets.", tools.Shown(m.inWorkspace(p.Secrets[0])), holdSecrets(len(p.Secrets)))), secretNames(p.Secrets[0]), covers)
	}
	if p.ReadOnly || p.Passes {
		return f
	}
	guarded := f.unasked || f.crosses // what it would change has been looked at
	for _, word := range slices.Concat(p.Words[min(1, len(p.Words)):], p.Home) {
		if _, value, ok := strings.Cut(word, "="); ok {
			word = value
		}
		if strings.HasPrefix(word, "-") {
			continue
		}
		if !guarded && strings.ContainsAny(word, "./~_") && protect.Of(word) >= protect.Guarded && !strings.EqualFold(path.Base(word), "HEAD") { // HEAD is a revision here
			f = m.stricter(f, askEachTime("protected path", tools.Shown(word)+" is protected: it decides what may run."), protectedNames(word), covers)
		}
		if isChat(word) {
			f = m.stricter(f, chatDocument(word), protectedNames(word), covers)
		}
		f = m.stricter(f, m.ofSecret(word), secretNames(word), covers)
	}
	return f
}

// inWorkspace returns a path relative to its workspace folder.
func (m *matching) inWorkspace(path string) string {
	rel, _ := m.call.within(path)
	return rel
}

// holdSecrets describes one of n files that hold secrets.
func holdSecrets(n int) string {
	if n == 1 {
		return "looks like it contains secrets"
	}
	return fmt.Sprintf("looks like it contains secrets, as do %d more", n-1)
}
