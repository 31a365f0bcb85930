package program

import (
	"slices"
	"strings"
	"sync"
)

// A program describes the arguments of a program or a sub-command. The zero
// value knows no option: a rule has to name each of them.
type program struct {
	// options lists the options that a rule which names the program covers: they
	// do not execute, write, send or leave the workspace. A rule has to name any
	// other option with all words before it, including unknown and abbreviated
	// ones.
	//
	//	-n --number  no value
	//	-n=          a value, in the same word or in the next unless that looks like
	//	             an option
	//	-f@          a value that names a file that is read
	//	-i?          an optional value in the same word
	//	-#           a number: head -20
	//	-exec;       a command line that ends with a semicolon or a plus
	//	-e>          a command line that it runs
	//	-e<          code in another language that it evaluates
	//
	// An exclamation mark after it means that a call with it does more than read.
	options string
	// operands is what the words that are not options name.
	operands kind
	// safe: with these options it only reads, so it needs no permission inside
	// the workspace.
	safe bool
	// inert: no option makes it do more than read and print.
	inert bool
	// single: long options may begin with one dash.
	single bool
	// commands holds its sub-commands by name. A rule has to name any other.
	commands map[string]*program
	// same maps aliases of sub-commands to their names.
	same map[string]string
	// offers: a permanent rule is offered for its name and sub-command, else
	// for all words.
	offers  bool
	network bool   // it uses the network
	never   string // why no prefix rule covers it
	opaque  string // why it may run anything, whatever its words are
	// also, if not nil, checks what the other fields cannot express.
	also func(c *Call, u use)

	once  sync.Once
	known map[string]byte // options and what follows them: 0 = @ ? ; > <
}

// A kind is what the operands of a call are.
type kind int

const (
	files   kind = iota // files that are read
	texts               // not files
	pattern             // a text first, then files that are read
	targets             // files that are written
	lines               // a command line; options end before it
)

const unreading = 0x80 // flag of an option with an exclamation mark

// listed returns what follows an option, if it is listed.
func (t *program) listed(option string) (kind byte, ok bool) {
	t.once.Do(func() {
		t.known = map[string]byte{}
		for _, o := range strings.Fields(t.options) {
			var kind byte
			if strings.HasSuffix(o, "!") {
				o, kind = o[:len(o)-1], unreading
			}
			if last := o[len(o)-1]; len(o) > 2 && strings.IndexByte("=@?;><", last) >= 0 {
				o, kind = o[:len(o)-1], kind|last
			}
			t.known[o] = kind
		}
	})
	kind, ok = t.known[option]
	return kind, ok
}

// An argument is an option or an operand of a call, as its program reads it.
type argument struct {
	at     int    // index of its word, or of its value's word
	option string // name with its dashes; empty for an operand
	value  Word   // value of an option, if any; else the operand
	listed bool
	end    int // end of the command line that it runs, if any
}

// A use is how a call uses its program.
type use struct {
	args []argument
	next int // end of its own options, if another command line follows
}

// operands returns the arguments that are not options.
func (u use) operands() []argument {
	return slices.DeleteFunc(slices.Clone(u.args), func(a argument) bool { return a.option != "" })
}

// values returns the words of the operands.
func (u use) values() (l []Word) {
	for _, a := range u.operands() {
		l = append(l, a.value)
	}
	return l
}

// arguments parses the words from an index on as the program would. It stops at
// the first operand if options end there.
func (t *program) arguments(l []Word, from int) (args []argument, next int) {
	for i := from; i < len(l); i++ {
		w := l[i]
		switch {
		case w.Is("--"):
			if t.commands != nil || t.operands == lines {
				return args, i + 1
			}
			for i++; i < len(l); i++ {
				args = append(args, argument{at: i, value: l[i]})
			}
		case !strings.HasPrefix(w.Text, "-") || w.Text == "-":
			if t.commands != nil || t.operands == lines {
				return args, i
			}
			args = append(args, argument{at: i, value: w})
		case strings.HasPrefix(w.Text, "--") || t.single:
			i = t.parseLong(&args, l, i)
		default:
			i = t.parseShort(&args, l, i)
		}
	}
	return args, len(l)
}

// parseLong parses --name, --name=value and --name value. It returns the index of
// the last word it used.
func (t *program) parseLong(args *[]argument, l []Word, i int) int {
	name, value, attached := strings.Cut(l[i].Text, "=")
	if t.single && strings.HasPrefix(name, "--") {
		name = name[1:]
	}
	a := argument{at: i, option: name}
	kind, ok := t.listed(name)
	kind &^= unreading
	switch {
	case !ok:
	case kind == ';':
		a.listed = true
		for i++; i < len(l) && !l[i].Is(";", "+"); {
			i++
		}
		a.end = i
	case attached:
		a.listed, a.value = kind != 0, Word{Text: value, Known: l[i].Known, Source: value}
	case kind == '=' || kind == '@' || kind == '>' || kind == '<':
		if a.listed = true; i+1 < len(l) {
			i++
			a.value, a.at, a.listed = l[i], i, !l[i].optional()
		}
	default:
		a.listed = true
	}
	*args = append(*args, a)
	return i
}

// optional reports whether a word that should be the value of an option looks
// like an option itself. Not every version of every program would take it as
// the value: "git diff -U --output=x" writes a file.
func (w Word) optional() bool {
	return len(w.Text) > 1 && w.Text[0] == '-' && (w.Text[1] == '-' || 'a' <= w.Text[1]|' ' && w.Text[1]|' ' <= 'z')
}

// parseShort parses a word of one-letter options, the last of which may have a value
// in the same word or the next. It returns the index of the last word it used.
func (t *program) parseShort(args *[]argument, l []Word, i int) int {
	text := l[i].Text[1:]
	if _, ok := t.listed("-#"); ok && strings.Trim(text, "0123456789") == "" {
		*args = append(*args, argument{at: i, option: "-#", listed: true})
		return i
	}
	for n, r := range text {
		rest := text[n+len(string(r)):]
		a := argument{at: i, option: "-" + string(r)}
		kind, ok := t.listed(a.option)
		kind &^= unreading
		a.listed = ok
		switch {
		case !ok: // the rest, or the next word, may be its value
			*args = append(*args, a)
			return i
		case kind == 0:
			*args = append(*args, a)
			continue
		case rest != "":
			a.value = Word{Text: rest, Known: l[i].Known, Source: rest}
		case kind != '?' && i+1 < len(l):
			i++
			a.value, a.at, a.listed = l[i], i, !l[i].optional()
		}
		*args = append(*args, a)
		return i
	}
	return i
}

// applyTable applies a table to the words from an index on.
func (c *Call) applyTable(t *program, from int) {
	args, next := t.arguments(c.words, from)
	c.safe, c.offers = t.safe, t.offers
	if t.network {
		c.p.connects()
	}
	for _, a := range args {
		kind, _ := t.listed(a.option)
		switch {
		case a.option == "":
		case !a.listed:
			c.requireWords(a.at)
			c.p.Foreign = c.p.Foreign || !t.inert // its value may be a program
		case kind&unreading != 0:
			c.unread = true
		}
		c.launches(t, a)
		if a.option != "" && a.listed && kind&^unreading == '@' {
			c.file(a.at, a.value, false)
		}
	}
	c.operands(t, use{args, next})
	if t.never != "" {
		c.excludeFromRules(t.never)
	}
	if t.opaque != "" {
		c.Evaluates(t.opaque)
	}
	if t.commands != nil {
		c.command(t, args, next)
	}
	if t.also != nil {
		t.also(c, use{args, next})
	}
}

// launches handles an option whose value is run. An abbreviated option may be
// such an option.
func (c *Call) launches(t *program, a argument) {
	if kind, ok := t.listed(a.option); ok {
		if kind&^unreading == '>' && a.option != "" {
			c.requireWords(a.at)
			s := c.s
			s.Handed = true
			c.analyzeCode(a.value, s)
		}
		if kind&^unreading == '<' && a.option != "" {
			c.requireWords(a.at)
			c.Evaluates(WhyInterprets)
		}
		return
	}
	if len(a.option) < len("--x") || !strings.HasPrefix(a.option, "--") {
		return
	}
	for option, kind := range t.known {
		if kind &^= unreading; (kind == '>' || kind == '<') && strings.HasPrefix(option, a.option) {
			c.Evaluates(whyRunsNamed)
		}
	}
}

// operands handles the words that are not options.
func (c *Call) operands(t *program, u use) {
	for n, a := range u.operands() {
		switch t.operands {
		case files:
			c.file(a.at, a.value, false)
		case pattern:
			if n > 0 || !a.value.Known { // a pattern may expand to several words
				c.file(a.at, a.value, false)
			}
		case targets:
			c.file(a.at, a.value, true)
		case texts, lines:
		}
	}
}

// command returns the sub-command with that name, or nil if it is not listed.
func (t *program) command(name string) *program {
	if sub, ok := t.commands[name]; ok {
		return sub
	}
	for names, sub := range t.commands {
		if HasName(names, name) {
			return sub
		}
	}
	return nil
}

// command applies the table of the sub-command at index next.
func (c *Call) command(t *program, before []argument, next int) {
	if next >= len(c.words) {
		return
	}
	w := c.words[next]
	if !w.Known {
		c.p.MarkUnknown("its sub-command is not a literal word")
		return
	}
	name := w.Text
	if other, ok := t.same[name]; ok {
		name = other
	}
	if spelled := next != 1 || name != w.Text; spelled {
		c.p.Aliases = append(c.p.Aliases, append([]string{c.name, name}, Leading(c.words[next+1:])...))
	}
	for _, a := range before {
		if !a.listed { // the next word may be its value
			c.search(next)
			break
		}
	}
	sub := t.command(name)
	if sub == nil {
		sub = &program{operands: texts}
		c.p.Foreign = true
	}
	c.applyTable(sub, next+1)
	if !c.safe || c.unread { // the program's name alone covers only reading
		c.requireWords(next)
	}
}

// maxSearched limits how many words are tried as the name of a sub-command.
const maxSearched = 64

// search makes rules that deny try each word from an index on as the
// sub-command.
func (c *Call) search(from int) {
	l := c.words[from:]
	for i := 1; i < len(l) && i < maxSearched; i++ {
		if words := Leading(l[i:]); len(words) > 0 {
			c.p.Aliases = append(c.p.Aliases, append([]string{c.name}, words...))
		}
	}
}

// table holds every known program by name.
var table = sync.OnceValue(func() map[string]*program {
	all := map[string]*program{}
	for _, t := range []map[string]*program{textTable, searchTable, fileTable, gitTable, goTable, scriptTable, buildTable, packageTable, networkTable, archiveTable, shellTable} {
		for names, p := range t {
			for _, name := range strings.Fields(names) {
				if all[name] != nil {
					panic("shellcmd: two tables contain " + name)
				}
				all[name] = p
			}
		}
	}
	return all
})

// Option reports whether one of the short letters or long names is among the
// options. Long names may be abbreviated. A word that is not known is not an
// option here.
func Option(args []Word, letters string, long ...string) bool {
	for _, a := range args {
		switch {
		case a.Is("--"):
			return false
		case strings.HasPrefix(a.Text, "--"):
			name, _, _ := strings.Cut(a.Text[2:], "=")
			if name != "" && slices.ContainsFunc(long, func(l string) bool { return l == name || len(name) > 2 && strings.HasPrefix(l, name) }) {
				return true
			}
		case strings.HasPrefix(a.Text, "-") && strings.ContainsAny(a.Text[1:], letters):
			return true
		}
	}
	return false
}

// Operands returns the words that are not options.
func Operands(args []Word) []Word {
	var l []Word
	for i, a := range args {
		if a.Is("--") {
			return append(l, args[i+1:]...)
		}
		if !strings.HasPrefix(a.Text, "-") || a.Is("-") {
			l = append(l, a)
		}
	}
	return l
}
