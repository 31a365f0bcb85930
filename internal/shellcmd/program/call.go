package program

import (
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"

	"github.com/emendo-dev/emendo/internal/secret"
	"github.com/emendo-dev/emendo/internal/visible"
)

// A Scope describes where a piece of a command line is.
type Scope struct {
	Source  string  // the text that offsets count in
	In      Folders // where it may run
	Inside  bool    // another part runs it
	Fed     bool    // its words are filled in, or more are appended, when it runs
	Doubted bool    // an enclosing line is already searched from each of its words
	Input   string  // the text of the here-document that it reads
	Quoted  bool    // Input is set and literal
	Piped   string  // words and here-documents of the command whose output it reads
	Filled  string  // the text that is replaced in its words when it runs
	Handed  bool    // a program starts it with more words
	// Evaluable reports that the command contains text that would run something
	// if it were evaluated again.
	Evaluable bool
}

// A CommandLine holds what the calls of one command line share.
type CommandLine struct {
	programs map[string]*program // every known program, by name
	roots    []string
	searched map[string]found
	made     map[string]bool // files written so far
	calls    []*Call         // of programs with a literal name
	walker   walker
	// Unsearched: nobody asks which secrets its calls would read, so none is looked for.
	Unsearched bool
}

// NewLine returns the state of a command line in a workspace of these
// directories.
func NewLine(roots []string, w walker) *CommandLine {
	return &CommandLine{programs: table(), roots: roots, walker: w}
}

// Calls returns the calls of programs with a literal name that were judged.
func (n *CommandLine) Calls() []*Call { return n.calls }

// NewCall returns a call for p that does not run a program yet.
func (n *CommandLine) NewCall(p *Part, s Scope) *Call {
	return &Call{line: n, s: s, p: p}
}

// A walker analyzes the command lines that a program runs in turn. The package
// that reads the syntax implements it.
type walker interface {
	// Inner analyzes words that another part runs and returns the index of
	// their part.
	Inner(l []Word, s Scope, doubt bool) int
	Script(p *Part, text string, s Scope, in *syntax.Word) Folders
	Add(p Part) int
	PartAt(i int) *Part
}

// ReadsScript reports whether l, taken as a call, would be a shell or an
// interpreter without a script: it runs its input.
func (n *CommandLine) ReadsScript(l []Word) bool {
	name := commonName(strings.ToLower(Base(l[0])))
	return (HasName(shellNames, name) || interpreters()[name]) && !slices.ContainsFunc(l[1:], func(w Word) bool { return !strings.HasPrefix(w.Text, "-") })
}

// lookalike analyzes a line whose program is from elsewhere, such as a package
// or a container. The part that names the line covers it, but rules that deny
// apply, and a wrapper in it needs a rule of its own.
func (c *Call) lookalike(l []Word) *Part {
	p := c.line.walker.PartAt(c.line.walker.Inner(l, c.s, false))
	if p.Known && p.Least > 0 && p.Destructive == "" && wrappers()[Base(l[0])].program == nil {
		p.Passes = true
	}
	return p
}

// Judge fills in p, the part of the call l, and adds the parts inside it. It
// returns where the shell may be afterwards: if the call succeeds, and if it
// fails.
func (n *CommandLine) Judge(p *Part, l []Word, s Scope) (yes, no Folders) {
	yes, no = s.In, s.In
	name := commonName(strings.ToLower(Base(l[0])))
	if sub, ok := strings.CutPrefix(name, "git-"); ok { // as named in git's own directory
		p.Aliases = append(p.Aliases, append([]string{"git", sub}, Leading(l[1:])...))
	}
	if loader().MatchString(name) {
		name = "ld.so"
	}
	c := &Call{line: n, name: name, words: l, s: s, p: p}
	t, tabled := table()[name]
	c.builtins()
	c.runsMade()
	c.readsProgram()
	c.checkPatterns(t)
	n.calls = append(n.calls, c)
	p.Alters, p.Installs = c.alters(), c.installs()
	p.Least = 1
	if why, ok := changes()[name]; ok {
		p.MarkUnknown(why)
	}
	c.wide = tabled && t.commands != nil
	if w, ok := wrappers()[name]; ok {
		c.wide = true
		c.wrapped(w)
	} else if texts := later(name, l); len(texts) > 0 {
		for _, w := range texts {
			c.analyzeCode(w, s)
		}
	} else if tabled {
		c.applyTable(t, 1)
	} else if changes()[name] == "" {
		p.Foreign = true
	}
	if p.Passes && !c.genuine() { // ./env is a program of the workspace
		p.Passes = false
		c.requireWords(0)
	}
	if p.Foreign || interpreters()[name] || HasName(shellNames, name) || strings.Contains(l[0].Text, "/") {
		c.opensAny()
	}
	c.offer()
	p.ReadOnly = c.reads(tabled)
	switch {
	case l[0].Text == "cd":
		return c.changeFolder()
	case MovesFolder[l[0].Text] && (wrappers()[name].program == nil || c.moved):
		return nil, nil
	}
	return yes, no
}

// later returns the words of trap, alias or mapfile that are commands which run
// later.
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

// checkPatterns handles words that are not literal. A pattern is harmless where it can
// only expand to names of files.
func (c *Call) checkPatterns(t *program) {
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
			c.p.MarkUnknown("its pattern " + visible.Escape(w.Source) + " may expand to an option; put -- before it")
		}
	}
	if c.s.Fed && (t == nil || !t.inert) {
		c.p.MarkUnknown("some of its words are filled in when it runs")
	}
}

// changes holds the builtins that change what later names, words or commands
// mean, or that run their input.
var changes = sync.OnceValue(func() map[string]string {
	return ByName(map[string]string{
		"alias unalias enable hash shopt bind complete compgen compopt unset read mapfile readarray getopts fc history jobs disown suspend export declare local readonly typeset": "it changes what later commands mean",
		". source":    "it runs the commands in a file",
		"trap coproc": "it runs when something happens",
		"let":         "it evaluates its words",
	})
})

// A Call is a call of a program while its table is applied.
type Call struct {
	line   *CommandLine
	name   string // of the program, without its directory
	words  []Word
	s      Scope
	p      *Part
	barred bool // no prefix rule covers it
	unread bool // it does more than read inside the workspace
	moved  bool // it may have changed the shell's directory
	safe   bool // the innermost table says that it only reads
	wide   bool // its bare name could do anything
	offers bool // its name and sub-command are offered as a permanent rule
}

// requireWords requires a rule to name all words up to the one at i.
func (c *Call) requireWords(i int) {
	c.p.Least = max(c.p.Least, i+1)
	c.unread = true
}

// series marks the operands from one on as a list of the same kind, such as
// addresses: a rule that names one of them covers no other.
func (c *Call) series(u use, from int) {
	if l := u.operands(); len(l) > from {
		c.p.Open, c.p.Full = l[from].at, l[len(l)-1].at+1
	}
}

// requireOperands requires a rule to name the operands that are so.
func (c *Call) requireOperands(u use, so func(Word) bool) {
	for _, a := range u.operands() {
		if so(a.value) {
			c.requireWords(a.at)
		}
	}
}

// excludeFromRules excludes the call from all prefix rules, for the given reason.
func (c *Call) excludeFromRules(why string) {
	c.barred, c.unread = true, true
	if c.p.Why == "" {
		c.p.Why = why
	}
}

// file handles a word that names a file which the program reads or, if writes
// is set, writes.
func (c *Call) file(i int, w Word, writes bool) {
	c.opens(w)
	if !w.Known {
		c.pattern(i, w)
		return
	}
	if writes {
		c.line.NoteWritten(c.s.In.Paths(w.Text))
	}
	switch at := c.line.Reach(w.Text, c.s.In); {
	case at == InsideWorkspace && !writes:
	case at == InsideWorkspace:
		c.unread = true
	default: // allowing the program does not allow it to leave the workspace
		c.requireWords(i)
		c.p.Foreign = c.p.Foreign || writes // cp /bin/rm x
	}
}

// pattern handles a file name pattern: a name may be a secret, lead outside or look like an
// option.
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
		c.requireWords(i)
	}
}

// maxMatched limits how many names of a directory are matched against a pattern.
const maxMatched = 1000

// matches reports whether all that a pattern matches is inside and looks like no option.
func (c *Call) matches(folder, pattern string) bool {
	if c.line.Reach(folder, c.s.In) != InsideWorkspace {
		return false
	}
	in := c.s.In
	if strings.HasPrefix(folder, "/") {
		in = Folders{"/"}
	}
	for _, dir := range in {
		dir = follow(dir, folder)
		entries, _ := os.ReadDir(dir) // what cannot be read here, the command cannot read either
		if dir == "" || len(entries) > maxMatched {
			return false
		}
		names := []string{".", ".."} // some versions of bash match these too
		for _, e := range entries {
			names = append(names, e.Name())
		}
		for _, name := range names {
			if matchesGlob(pattern, name) && (strings.HasPrefix(name, "-") || c.line.leads(dir, name) != InsideWorkspace) {
				return false
			}
		}
	}
	return true
}

// matchesGlob reports whether bash may replace a pattern with name. A name that begins
// with a dot needs a dot in the pattern.
func matchesGlob(pattern, name string) bool {
	if strings.HasPrefix(name, ".") && !strings.HasPrefix(pattern, ".") {
		return false
	}
	ok, err := path.Match(pattern, name)
	return ok || err != nil
}

// reads reports whether the call is known to do nothing but read inside the
// workspace.
func (c *Call) reads(tabled bool) bool {
	if !tabled || !c.safe || c.unread || c.s.Fed || !c.p.Known || len(c.p.Writes) > 0 {
		return false
	}
	return c.genuine()
}

// genuine reports whether the program is the system's own: it is named without
// a path, or in /bin or /usr/bin.
func (c *Call) genuine() bool {
	program := c.words[0].Text
	return program == c.name || program == "/bin/"+c.name || program == "/usr/bin/"+c.name
}

// offer sets the words of the permanent rule that the user is offered.
func (c *Call) offer() {
	switch {
	case c.barred:
		c.p.Least = 0
	case !c.p.Known || c.p.Passes || c.p.Destructive != "" || len(c.p.Writes) > 0 || len(c.p.Words) < c.p.Least:
	case len(c.words) == 1 && c.wide: // too broad
	case c.offers:
		c.p.Offer = c.p.Words[:c.p.Least]
		if !c.p.Names(c.p.Least) {
			c.p.Offer = c.p.Words
		}
	default:
		c.p.Offer = c.p.Words
	}
}

// compilerName matches a compiler with a version or a target, as in
// x86_64-linux-gnu-gcc-12.
var compilerName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:[a-z0-9_.-]+-)?(gcc|g\+\+|c\+\+|cc|clang|clang\+\+|gfortran)(?:-[0-9.]+)?$`)
})

// commonName returns the name that the tables use for a program: without the
// version, as in python3.13 and ksh93.
func commonName(name string) string {
	if _, wraps := wrappers()[name]; wraps || table()[name] != nil {
		return name
	}
	if short := strings.TrimRight(strings.TrimSuffix(name, "-static"), "0123456789.-"); interpreters()[short] || short != "" && HasName(shellNames, short) {
		return short
	}
	if m := compilerName().FindStringSubmatch(name); m != nil {
		return m[1]
	}
	return name
}
