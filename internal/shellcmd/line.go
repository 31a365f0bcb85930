package shellcmd

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/emendo-dev/emendo/internal/secret"
	"github.com/emendo-dev/emendo/internal/visible"
)

// simple tells of a simple command.
func (a *analyzer) simple(st *syntax.Stmt, c *syntax.CallExpr, s scope) (yes, no folders) {
	p := Part{Text: a.text(st, s), Inside: s.inside, Known: true}
	at := a.add(p)
	a.redirect(&p, st.Redirs, s)
	if !adjoining(st, c, s.source) {
		a.construct("something between its words that is no blank")
	}
	if len(c.Assigns) > 0 { // a variable can change what a name runs
		cannot(&p, "a variable is set for it")
		a.assignments(&p, c.Assigns, s)
	}
	if why := reevaluates(st, s.evaluable); why != "" {
		p.Opaque = why
	}
	if text, ok := input(st.Redirs, s.source); ok {
		s.input, s.quoted = text, true
	}
	yes, no = s.in, s.in
	if p.NoProgram = len(c.Args) == 0; p.NoProgram {
		a.remember(c.Assigns)
	}
	if len(c.Args) > 0 {
		yes, no = a.line(&p, words(c.Args, s.source), s)
	}
	a.put(at, p)
	s.inside = true
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

// adjoining says whether nothing but blanks stands between the words and
// redirections of a command. What the parser passed over could be read in
// another way.
func adjoining(st *syntax.Stmt, c *syntax.CallExpr, source string) bool {
	type piece struct{ from, to uint }
	var l []piece
	for _, n := range c.Assigns {
		l = append(l, piece{n.Pos().Offset(), n.End().Offset()})
	}
	for _, n := range c.Args {
		l = append(l, piece{n.Pos().Offset(), n.End().Offset()})
	}
	for _, r := range st.Redirs {
		l = append(l, piece{r.Pos().Offset(), r.Word.End().Offset()})
	}
	slices.SortFunc(l, func(a, b piece) int { return int(a.from) - int(b.from) })
	for i := 1; i < len(l); i++ {
		if l[i].from < l[i-1].to || strings.Trim(strings.ReplaceAll(source[l[i-1].to:l[i].from], "\\\n", ""), " \t") != "" {
			return false
		}
	}
	return true
}

// put sets the part that was added at a place, now that all is known of it.
func (a *analyzer) put(at int, p Part) {
	if !p.Known {
		if a.why == "" {
			a.why = p.Why
		}
		p.Least, p.Offer, p.ReadOnly, p.Passes = 0, nil, false, false
	}
	a.parts[at] = p
}

// inner tells of a line of words that another part runs. When it is in doubt
// where the line begins, rules that deny search it from each of its words.
func (a *analyzer) inner(l []word, s scope, doubt bool) {
	if len(l) == 0 {
		return
	}
	s.inside = true
	last := l[len(l)-1]
	p := Part{Text: s.source[l[0].from : last.from+uint(len(last.source))], Inside: true, Known: true}
	at := a.add(p)
	doubt = doubt && !s.doubted // else it is searched from these words already
	s.doubted = s.doubted || doubt
	a.line(&p, l, s)
	for i := 1; doubt && i < len(l); i++ {
		if words := leading(l[i:]); len(words) > 0 {
			p.Aliases = append(p.Aliases, words)
		}
		if p.Opaque == "" && a.readsScript(l[i:]) {
			p.Opaque = runsInput
		}
	}
	a.put(at, p)
}

// readsScript reports whether a line of words, taken for a call, would be a shell or
// an interpreter without a script, which runs what it reads.
func (a *analyzer) readsScript(l []word) bool {
	name := a.commonName(strings.ToLower(base(l[0])))
	return (contains(shellNames, name) || interpreters()[name]) && !slices.ContainsFunc(l[1:], func(w word) bool { return !strings.HasPrefix(w.text, "-") })
}

// lookalike tells of a line that names a program of elsewhere: a package's, a
// container's. The part that names it covers it, but rules that deny hold for
// it, and what would run another needs a rule of its own.
func (c *call) lookalike(l []word) {
	at := len(c.parts)
	c.inner(l, c.s, false)
	if p := &c.parts[at]; p.Known && p.Least > 0 && p.Destructive == "" && wrappers[base(l[0])].program == nil {
		p.Passes = true
	}
}

// line tells of a program and its arguments: it fills in the part and adds the
// parts inside it.
func (a *analyzer) line(p *Part, l []word, s scope) (yes, no folders) {
	yes, no = s.in, s.in
	a.steps += len(l)
	p.Words = leading(l)
	for _, w := range l[1:] {
		if w.home != "" {
			p.Home = append(p.Home, w.home)
		}
	}
	if p.Input = s.input; p.Input == "" {
		p.Input = s.piped
	}
	if p.Destructive == "" {
		p.Destructive = judge{place{s.in.only()}}.call(l)
		if said := a.expansions(l[1:]); said != "" && p.Destructive != "" && l[0].known {
			p.Destructive += "; " + said
		}
	}
	if s.filled != "" && strings.Contains(l[0].text, s.filled) {
		p.Opaque = runsFilled
	}
	if !l[0].known || l[0].text == "" || l[0].text[0] == '%' { // %1 is a job
		cannot(p, "its program is not a literal word")
		return nil, nil
	}
	name := a.commonName(strings.ToLower(base(l[0])))
	if sub, ok := strings.CutPrefix(name, "git-"); ok { // as git's own folder has it
		p.Aliases = append(p.Aliases, append([]string{"git", sub}, leading(l[1:])...))
	}
	if loader.MatchString(name) {
		name = "ld.so"
	}
	c := &call{analyzer: a, s: s, p: p, words: l, name: name}
	t, tabled := a.programs[name]
	c.builtins()
	c.runsMade()
	c.readsProgram()
	a.loose(c, t)
	if a.called != nil {
		a.called(c)
	}
	p.Alters, p.Installs = c.alters(), c.installs()
	p.Least = 1
	if why, ok := changes[name]; ok {
		cannot(p, why)
	}
	c.wide = tabled && t.commands != nil
	if w, ok := wrappers[name]; ok {
		c.wide = true
		c.wrapped(w)
	} else if texts := later(name, l); len(texts) > 0 {
		for _, w := range texts {
			c.code(w, s)
		}
	} else if tabled {
		c.in(t, 1)
	} else if changes[name] == "" {
		p.Foreign = true
	}
	if p.Passes && !c.genuine() { // ./env is a program of the workspace
		p.Passes = false
		c.must(0)
	}
	c.offer()
	p.ReadOnly = c.reads(tabled)
	switch {
	case l[0].text == "cd":
		return c.cd()
	case movers[l[0].text] && (wrappers[name].program == nil || c.moved):
		return nil, nil
	}
	return yes, no
}

// later are the words of a builtin that are commands, which it does not run
// by itself: of trap, alias and mapfile.
func later(name string, l []word) (texts []word) {
	for i, w := range l[1:] {
		switch name {
		case "trap":
			if !strings.HasPrefix(w.text, "-") {
				return []word{w}
			}
		case "alias":
			if _, value, ok := strings.Cut(w.text, "="); ok {
				w.text = value
				texts = append(texts, w)
			}
		case "mapfile", "readarray":
			option, value, ok := strings.Cut(w.text, "C")
			switch {
			case !ok || !strings.HasPrefix(option, "-"):
			case value != "":
				texts = append(texts, word{text: value, source: value, known: w.known})
			case i+2 < len(l):
				texts = append(texts, l[i+2])
			}
		}
	}
	return texts
}

// loose sees to the words that are not literal: a pattern is harmless where it
// can stand for nothing but names of files.
func (a *analyzer) loose(c *call, t *program) {
	if len(leading(c.words)) == len(c.words) && !c.s.fed {
		return
	}
	dashes := false
	for _, w := range c.words[1:] {
		switch {
		case w.is("--"):
			dashes = true
		case w.known:
		case !w.pattern:
			cannot(c.p, "it has a word that is not literal, "+visible.Escape(w.source))
		case !dashes && (t == nil || !t.inert):
			cannot(c.p, "its pattern "+visible.Escape(w.source)+" may stand for an option; put -- before it")
		}
	}
	if c.s.fed && (t == nil || !t.inert) {
		cannot(c.p, "some of its words are filled in when it runs")
	}
}

// changes are the builtins that change what later names, words or commands
// mean, or run what they read.
var changes = func() map[string]string {
	m := map[string]string{}
	for why, names := range map[string]string{
		"it changes what later commands mean": "alias unalias enable hash shopt bind complete compgen compopt exec unset read mapfile readarray getopts fc history jobs disown suspend export declare local readonly typeset",
		"it runs what a file says":            ". source",
		"it runs when something happens":      "trap coproc",
		"it evaluates its words":              "let",
	} {
		for _, n := range strings.Fields(names) {
			m[n] = why
		}
	}
	delete(m, "exec") // a wrapper
	return m
}()

// A call is a line of words while the tables are asked about it.
type call struct {
	*analyzer
	s      scope
	p      *Part
	words  []word
	name   string // of the program, without its folder
	barred bool   // no words of a rule cover it
	unread bool   // something in it is more than reading inside the workspace
	moved  bool   // it may have changed the shell's folder
	safe   bool   // the innermost table says that it only reads
	wide   bool   // its bare name could stand for anything
	offers bool   // and that naming it is a fair answer for always
}

// must says that a rule has to name all words up to the one at i.
func (c *call) must(i int) {
	c.p.Least = max(c.p.Least, i+1)
	c.unread = true
}

// series says that operands from the one at a place on are of one kind, such as
// addresses: a rule that names one of them covers no others.
func (c *call) series(u use, from int) {
	n := 0
	for _, a := range u.args {
		if a.option != "" {
			continue
		}
		if n == from {
			c.p.Open = a.at
		}
		if n++; n > from {
			c.p.Full = a.at + 1
		}
	}
}

// never says that no words cover the call, for the reason given.
func (c *call) never(why string) {
	c.barred, c.unread = true, true
	if c.p.Why == "" {
		c.p.Why = why
	}
}

// file sees to a word that names a file which the program reads, or also
// writes.
func (c *call) file(i int, w word, writes bool) {
	if !w.known {
		c.pattern(i, w)
		return
	}
	if writes {
		c.makes(c.s.in.paths(w.text))
	}
	switch at := c.reach(w.text, c.s.in); {
	case at == inside && !writes:
	case at == inside:
		c.unread = true
	default: // whoever allows the program has not allowed to leave the workspace
		c.must(i)
		c.p.Foreign = c.p.Foreign || writes // cp /bin/rm x
	}
}

// pattern sees to a pattern for names of files. The program is led to what it
// ought not to touch when one of the names might be a secret's, leads outside
// or would pass for an option.
func (c *call) pattern(i int, w word) {
	folder, last := ".", w.source
	if i := strings.LastIndexByte(last, '/'); i >= 0 {
		folder, last = last[:i+1], last[i+1:]
	}
	ext := last[strings.LastIndexAny(last, "*?")+1:]
	if i := strings.LastIndexByte(ext, '.'); i >= 0 {
		ext = ext[i:]
	} else {
		ext = ""
	}
	if c.s.fed || slices.ContainsFunc([]string{"credentials", "secrets", "x"}, func(name string) bool { return secret.Named(name + ext) }) {
		c.unread = true
	}
	if strings.ContainsAny(folder, `*?[\{`) || strings.ContainsAny(last, `[\{`) || !c.matches(folder, last) {
		c.must(i)
	}
}

// maxMatched is how many names of a folder are looked at for a pattern.
const maxMatched = 1000

// matches says whether all that a pattern finds in a folder is inside, and is
// no option.
func (c *call) matches(folder, pattern string) bool {
	if c.reach(folder, c.s.in) != inside {
		return false
	}
	in := c.s.in
	if strings.HasPrefix(folder, "/") {
		in = folders{"/"}
	}
	for _, dir := range in {
		dir = follow(dir, folder)
		names, more := namesIn(dir)
		if dir == "" || more {
			return false
		}
		for _, name := range append(names, ".", "..") { // which not every version of bash leaves out
			if fits(pattern, name) && (strings.HasPrefix(name, "-") || c.leads(dir, name) != inside) {
				return false
			}
		}
	}
	return true
}

// fits reports whether bash may put a name in the place of a pattern. A name that
// begins with a dot needs one in the pattern.
func fits(pattern, name string) bool {
	if strings.HasPrefix(name, ".") && !strings.HasPrefix(pattern, ".") {
		return false
	}
	ok, err := path.Match(pattern, name)
	return ok || err != nil
}

// reads says whether the call is known to do nothing but read inside the
// workspace.
func (c *call) reads(tabled bool) bool {
	if !tabled || !c.safe || c.unread || c.s.fed || !c.p.Known || len(c.p.Writes) > 0 {
		return false
	}
	return c.genuine()
}

// genuine reports whether the program is the system's own of that name, for all
// that can be told: no path leads to another.
func (c *call) genuine() bool {
	program := c.words[0].text
	return program == c.name || program == "/bin/"+c.name || program == "/usr/bin/"+c.name
}

// offer sets what an answer for always stores.
func (c *call) offer() {
	switch {
	case c.barred:
		c.p.Least = 0
	case !c.p.Known || c.p.Passes || c.p.Destructive != "" || len(c.p.Writes) > 0 || len(c.p.Words) < c.p.Least:
	case len(c.words) == 1 && c.wide: // it says too little
	case c.offers:
		c.p.Offer = c.p.Words[:c.p.Least]
		if !c.p.Names(c.p.Least) {
			c.p.Offer = c.p.Words
		}
	default:
		c.p.Offer = c.p.Words
	}
}
