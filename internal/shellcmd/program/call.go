package program

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/emendo-dev/emendo/internal/secret"
	"github.com/emendo-dev/emendo/internal/visible"
)

// A Scope is where a piece of a command stands.
type Scope struct {
	Source  string  // what offsets count in
	In      Folders // where it may run
	Inside  bool    // another part runs it
	Fed     bool    // its words are filled in, or go on with more, when it runs
	Doubted bool    // a line around it is searched from each of its words
	Input   string  // the text of the here-document that it reads
	Quoted  bool    // there is such a text, and it is literal
	Piped   string  // the words and texts of the command whose output it reads
	Filled  string  // what is replaced in its words when it runs
	Handed  bool    // a program starts it with more words
	// evaluable says that there is text in the command which would run something
	// if it were evaluated again.
	Evaluable bool
}

// A CommandLine is what the programs of one command line share.
type CommandLine struct {
	programs map[string]*program // every program that is known, by its name
	roots    []string
	searched map[string]found
	made     map[string]bool // files that it has written so far
	Called   func(*Call)     // is told of each call whose program is known; may be nil
	walker   walker
}

// NewLine returns the state of a command line in a workspace of these folders.
func NewLine(roots []string, w walker) *CommandLine {
	return &CommandLine{programs: table(), roots: roots, walker: w}
}

// NewCall returns a call of no program yet, for a part in a scope.
func (n *CommandLine) NewCall(p *Part, s Scope) *Call { return &Call{CommandLine: n, s: s, p: p} }

// A walker analyzes the command lines that a program runs in turn.
type walker interface {
	// Inner analyzes words that another part runs, and returns where their part is.
	Inner(l []Word, s Scope, doubt bool) int
	Script(p *Part, text string, s Scope, in *syntax.Word) Folders
	Add(p Part) int
	PartAt(i int) *Part
}

// ReadsScript reports whether a line of words, taken for a call, would be a shell or
// an interpreter without a script, which runs what it reads.
func (n *CommandLine) ReadsScript(l []Word) bool {
	name := n.commonName(strings.ToLower(Base(l[0])))
	return (HasName(shellNames, name) || interpreters()[name]) && !slices.ContainsFunc(l[1:], func(w Word) bool { return !strings.HasPrefix(w.Text, "-") })
}

// lookalike tells of a line that names a program of elsewhere: a package's, a
// container's. The part that names it covers it, but rules that deny hold for
// it, and what would run another needs a rule of its own.
func (c *Call) lookalike(l []Word) *Part {
	p := c.walker.PartAt(c.walker.Inner(l, c.s, false))
	if p.Known && p.Least > 0 && p.Destructive == "" && wrappers[Base(l[0])].program == nil {
		p.Passes = true
	}
	return p
}

// Judge fills in the part of a call of a program and adds the parts inside it. It
// returns where the shell may be afterwards when it succeeded, and when it failed.
func (n *CommandLine) Judge(p *Part, l []Word, s Scope) (yes, no Folders) {
	yes, no = s.In, s.In
	name := n.commonName(strings.ToLower(Base(l[0])))
	if sub, ok := strings.CutPrefix(name, "git-"); ok { // as git's own folder has it
		p.Aliases = append(p.Aliases, append([]string{"git", sub}, Leading(l[1:])...))
	}
	if loader.MatchString(name) {
		name = "ld.so"
	}
	c := &Call{CommandLine: n, s: s, p: p, words: l, name: name}
	t, tabled := n.programs[name]
	c.builtins()
	c.runsMade()
	c.readsProgram()
	c.loose(t)
	if n.Called != nil {
		n.Called(c)
	}
	p.Alters, p.Installs = c.alters(), c.installs()
	p.Least = 1
	if why, ok := changes[name]; ok {
		p.MarkUnknown(why)
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
	case l[0].Text == "cd":
		return c.cd()
	case MovesFolder[l[0].Text] && (wrappers[name].program == nil || c.moved):
		return nil, nil
	}
	return yes, no
}

// later are the words of a builtin that are commands, which it does not run
// by itself: of trap, alias and mapfile.
func later(name string, l []Word) (texts []Word) {
	for i, w := range l[1:] {
		switch name {
		case "trap":
			if !strings.HasPrefix(w.Text, "-") {
				return []Word{w}
			}
		case "alias":
			if _, value, ok := strings.Cut(w.Text, "="); ok {
				w.Text = value
				texts = append(texts, w)
			}
		case "mapfile", "readarray":
			option, value, ok := strings.Cut(w.Text, "C")
			switch {
			case !ok || !strings.HasPrefix(option, "-"):
			case value != "":
				texts = append(texts, Word{Text: value, Source: value, Known: w.Known})
			case i+2 < len(l):
				texts = append(texts, l[i+2])
			}
		}
	}
	return texts
}

// loose sees to the words that are not literal: a pattern is harmless where it
// can stand for nothing but names of files.
func (c *Call) loose(t *program) {
	if len(Leading(c.words)) == len(c.words) && !c.s.Fed {
		return
	}
	dashes := false
	for _, w := range c.words[1:] {
		switch {
		case w.Is("--"):
			dashes = true
		case w.Known:
		case !w.pattern:
			c.p.MarkUnknown("it has a word that is not literal, " + visible.Escape(w.Source))
		case !dashes && (t == nil || !t.inert):
			c.p.MarkUnknown("its pattern " + visible.Escape(w.Source) + " may stand for an option; put -- before it")
		}
	}
	if c.s.Fed && (t == nil || !t.inert) {
		c.p.MarkUnknown("some of its words are filled in when it runs")
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

// A Call is a line of words while the tables are asked about it.
type Call struct {
	*CommandLine
	s      Scope
	p      *Part
	words  []Word
	name   string // of the program, without its folder
	barred bool   // no words of a rule cover it
	unread bool   // something in it is more than reading inside the workspace
	moved  bool   // it may have changed the shell's folder
	safe   bool   // the innermost table says that it only reads
	wide   bool   // its bare name could stand for anything
	offers bool   // and that naming it is a fair answer for always
}

// must says that a rule has to name all words up to the one at i.
func (c *Call) must(i int) {
	c.p.Least = max(c.p.Least, i+1)
	c.unread = true
}

// series says that operands from the one at a place on are of one kind, such as
// addresses: a rule that names one of them covers no others.
func (c *Call) series(u use, from int) {
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
func (c *Call) never(why string) {
	c.barred, c.unread = true, true
	if c.p.Why == "" {
		c.p.Why = why
	}
}

// file sees to a word that names a file which the program reads, or also
// writes.
func (c *Call) file(i int, w Word, writes bool) {
	if !w.Known {
		c.pattern(i, w)
		return
	}
	if writes {
		c.NoteWritten(c.s.In.Paths(w.Text))
	}
	switch at := c.Reach(w.Text, c.s.In); {
	case at == InsideWorkspace && !writes:
	case at == InsideWorkspace:
		c.unread = true
	default: // whoever allows the program has not allowed to leave the workspace
		c.must(i)
		c.p.Foreign = c.p.Foreign || writes // cp /bin/rm x
	}
}

// pattern sees to a pattern for names of files. The program is led to what it
// ought not to touch when one of the names might be a secret's, leads outside
// or would pass for an option.
func (c *Call) pattern(i int, w Word) {
	folder, last := ".", w.Source
	if i := strings.LastIndexByte(last, '/'); i >= 0 {
		folder, last = last[:i+1], last[i+1:]
	}
	ext := last[strings.LastIndexAny(last, "*?")+1:]
	if i := strings.LastIndexByte(ext, '.'); i >= 0 {
		ext = ext[i:]
	} else {
		ext = ""
	}
	if c.s.Fed || slices.ContainsFunc([]string{"credentials", "secrets", "x"}, func(name string) bool { return secret.Named(name + ext) }) {
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
func (c *Call) matches(folder, pattern string) bool {
	if c.Reach(folder, c.s.In) != InsideWorkspace {
		return false
	}
	in := c.s.In
	if strings.HasPrefix(folder, "/") {
		in = Folders{"/"}
	}
	for _, dir := range in {
		dir = follow(dir, folder)
		names, more := namesIn(dir)
		if dir == "" || more {
			return false
		}
		for _, name := range append(names, ".", "..") { // which not every version of bash leaves out
			if fits(pattern, name) && (strings.HasPrefix(name, "-") || c.leads(dir, name) != InsideWorkspace) {
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
func (c *Call) reads(tabled bool) bool {
	if !tabled || !c.safe || c.unread || c.s.Fed || !c.p.Known || len(c.p.Writes) > 0 {
		return false
	}
	return c.genuine()
}

// genuine reports whether the program is the system's own of that name, for all
// that can be told: no path leads to another.
func (c *Call) genuine() bool {
	program := c.words[0].Text
	return program == c.name || program == "/bin/"+c.name || program == "/usr/bin/"+c.name
}

// offer sets what an answer for always stores.
func (c *Call) offer() {
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

// compilerName matches a compiler of some version or for some machine, as in
// x86_64-linux-gnu-gcc-12.
var compilerName = regexp.MustCompile(`^(?:[a-z0-9_.-]+-)?(gcc|g\+\+|c\+\+|cc|clang|clang\+\+|gfortran)(?:-[0-9.]+)?$`)

// commonName is the name that the tables have a shell or an interpreter by: without
// the number of its version, as in python3.13 and ksh93.
func (n *CommandLine) commonName(name string) string {
	if _, wraps := wrappers[name]; wraps || n.programs[name] != nil {
		return name
	}
	if short := strings.TrimRight(strings.TrimSuffix(name, "-static"), "0123456789.-"); interpreters()[short] || short != "" && HasName(shellNames, short) {
		return short
	}
	if m := compilerName.FindStringSubmatch(name); m != nil {
		return m[1]
	}
	return name
}
