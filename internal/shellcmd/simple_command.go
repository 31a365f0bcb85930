package shellcmd

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/emendo-dev/emendo/internal/shellcmd/destructive"
	"github.com/emendo-dev/emendo/internal/shellcmd/outward"
	"github.com/emendo-dev/emendo/internal/shellcmd/program"
)

// simple analyzes a simple command.
func (a *analyzer) simple(st *syntax.Stmt, c *syntax.CallExpr, s program.Scope) (yes, no program.Folders) {
	p := Part{Text: a.sourceOf(st, s), Inside: s.Inside, Known: true}
	at := a.Add(p)
	a.redirect(&p, st.Redirs, s)
	if len(c.Assigns) > 0 { // a variable can change what a name runs
		p.MarkUnknown("a variable is set for it")
		a.assignments(&p, c.Assigns, s)
	}
	if why := reevaluates(st, s.Evaluable); why != "" {
		p.Opaque = why
	}
	if text, ok := input(st.Redirs, s.Source); ok {
		s.Input, s.Quoted = text, true
	}
	yes, no = s.In, s.In
	if p.NoProgram = len(c.Args) == 0; !p.NoProgram {
		yes, no = a.program(&p, program.Words(c.Args, s.Source), s)
	}
	a.setPart(at, p)
	s.Inside = true
	for _, n := range c.Assigns {
		a.nested(n, s)
	}
	for _, w := range c.Args {
		a.nested(w, s)
	}
	for _, r := range st.Redirs {
		a.nested(r, s)
	}
	return yes, no
}

// setPart replaces the part at an index, now that everything is known about it.
func (a *analyzer) setPart(at int, p Part) {
	if !p.Known {
		if a.why == "" {
			a.why = p.Why
		}
		p.Least, p.Offer, p.ReadOnly, p.Passes = 0, nil, false, false
	}
	a.parts[at] = p
}

// Inner analyzes a line of words that another part runs. If it is not certain
// where the line begins (doubt), rules that deny match it from each of its
// words.
func (a *analyzer) Inner(l []program.Word, s program.Scope, doubt bool) int {
	if len(l) == 0 {
		return -1
	}
	s.Inside = true
	last := l[len(l)-1]
	p := Part{Text: s.Source[l[0].From : last.From+uint(len(last.Source))], Inside: true, Known: true}
	at := a.Add(p)
	doubt = doubt && !s.Doubted // else it is matched from these words already
	s.Doubted = s.Doubted || doubt
	a.program(&p, l, s)
	for i := 1; doubt && i < len(l); i++ {
		if words := program.Leading(l[i:]); len(words) > 0 {
			p.Aliases = append(p.Aliases, words)
		}
		if p.Opaque == "" && a.line.ReadsScript(l[i:]) {
			p.Opaque = program.WhyRunsInput
		}
	}
	a.setPart(at, p)
	return at
}

// program analyzes a program with its arguments: it fills in the part and adds
// the parts inside it.
func (a *analyzer) program(p *Part, l []program.Word, s program.Scope) (yes, no program.Folders) {
	a.steps += len(l)
	p.Words = program.Leading(l)
	for _, w := range l[1:] {
		if w.Home != "" {
			p.Home = append(p.Home, w.Home)
		}
	}
	if p.Input = s.Input; p.Input == "" {
		p.Input = s.Piped
	}
	if p.Destructive == "" {
		p.Destructive = destructive.Judge{Dir: s.In.Single()}.Why(l)
	}
	if s.Filled != "" && strings.Contains(l[0].Text, s.Filled) {
		p.Opaque = program.WhyRunsFilled
	}
	if l[0].Is("--") && len(l) > 1 { // behind the keyword time
		a.Inner(l[1:], s, true)
	}
	if !l[0].Known || l[0].Text == "" || l[0].Text[0] == '%' { // %1 is a job
		p.MarkUnknown("its program is not a literal word")
		return nil, nil
	}
	network, remote := p.Network, p.Remote // of its redirections
	yes, no = a.line.Judge(p, l, s)
	call := outward.CallOf(l, s.In, s.Fed)
	p.In, p.Git, p.Lasting, p.Removes, p.Needs = s.In, call.Git(), call.Lasting(), call.Removes(), call.Needs()
	switch {
	case !p.Remote:
	case call.Installed() || call.Offline():
		p.Network, p.Remote = network, remote
	case call.OnlyLocal():
		p.Remote = remote
	default:
		p.Hosts, p.Raw = call.Hosts(), call.Raw()
	}
	return yes, no
}
