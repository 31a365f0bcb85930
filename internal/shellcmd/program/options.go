package program

import (
	"slices"
	"strings"
	"sync"
)

// A program is what is known of a program's arguments, or of a sub-command's.
// The zero value knows no option: a rule has to name each of them.
type program struct {
	// options are those that a rule which names the program covers: they
	// neither execute nor write, leave the workspace or send. Every other one
	// has to be named by the rule, with all that stands before it: options
	// that are not known here, and long ones that are shortened, among them.
	//
	//	-n --number  no value
	//	-n=          a value, in the same word or in the next, where that does not
	//	             look like an option
	//	-f@          the same, and it names a file that is read
	//	-i?          a value in the same word, or none
	//	-#           a number: head -20
	//	-exec;       a command line up to a semicolon or a plus
	//	-e>          a value that is a command line which it runs
	//	-e<          a value that it evaluates in another language
	//
	// With an exclamation mark a call that has it does more than read.
	options string
	// operands say what the words are that are no options.
	operands kind
	// safe says that with these options it only reads: a known-safe command.
	safe bool
	// inert says that no option at all makes it do more than read and print.
	inert bool
	// single says that it begins long options with one dash as well.
	single bool
	// commands are its sub-commands, by their names. What it does with one that is not listed
	// is not known, so a rule has to name that.
	commands map[string]*program
	// same are other names of sub-commands.
	same map[string]string
	// offers says that its name, with its sub-command, is what an answer for
	// always stores; else it is all words.
	offers  bool
	network bool   // it talks to the network
	never   string // why no words of a rule cover it
	opaque  string // why it may run anything, whatever its words are
	// also looks at what the rest cannot say.
	also func(c *Call, u use)

	once  sync.Once
	known map[string]byte // options with what follows them: 0 = @ ? ; > <
}

// kind says what the words of a call that are no options are.
type kind int

const (
	files   kind = iota // all name files that are read
	texts               // none names a file
	pattern             // the first is text, the others are files
	targets             // all name files that are written
	lines               // they are a command line of something else; options end before them
)

const unreading = 0x80 // marks an option with an exclamation mark

// listed says what follows an option, when it is listed.
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

// An argument is a word of a call as its program understands it.
type argument struct {
	at     int    // where it stands in the call
	option string // its name with its dashes; empty for an operand
	value  Word   // of an option, if it has one; else the operand
	listed bool
	end    int // of a command line that it runs: where that ends
}

// A use is how a call uses its program.
type use struct {
	args []argument
	next int // where its own options end, when words of something else follow
}

// arguments reads the words from one place on as the program would. It ends at
// the first operand when the program's own options do.
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
			i = t.long(&args, l, i)
		default:
			i = t.short(&args, l, i)
		}
	}
	return args, len(l)
}

// long reads --name, --name=value and --name value. It returns where the
// option ends.
func (t *program) long(args *[]argument, l []Word, i int) int {
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

// optional says whether a word after an option that takes a value looks like an
// option itself. Not every version of every program would take it for the
// value: "git diff -U --output=x" writes a file.
func (w Word) optional() bool {
	return len(w.Text) > 1 && w.Text[0] == '-' && (w.Text[1] == '-' || 'a' <= w.Text[1]|' ' && w.Text[1]|' ' <= 'z')
}

// short reads one word of options of a letter each, the last of which may have
// a value in the same word or in the next.
func (t *program) short(args *[]argument, l []Word, i int) int {
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
		case !ok: // the rest may be its value, and so may the next word
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

// in asks a table about the words from one place on.
func (c *Call) in(t *program, from int) {
	args, next := t.arguments(c.words, from)
	c.safe, c.offers = t.safe, t.offers
	c.p.Network = c.p.Network || t.network
	for _, a := range args {
		kind, _ := t.listed(a.option)
		switch {
		case a.option == "":
		case !a.listed:
			c.must(a.at)
			c.p.Foreign = c.p.Foreign || !t.inert // its value may be a program
		case kind&unreading != 0:
			c.unread = true
		}
		c.launches(t, a)
		if a.option != "" && a.listed && kind&^unreading == '@' {
			c.file(a.at, a.value, false)
		}
	}
	c.operands(t, args)
	if t.never != "" {
		c.never(t.never)
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

// launches sees to an option whose value is run. One that is shortened may be
// such an option.
func (c *Call) launches(t *program, a argument) {
	if kind, ok := t.listed(a.option); ok {
		if kind&^unreading == '>' && a.option != "" {
			c.must(a.at)
			s := c.s
			s.Handed = true
			c.code(a.value, s)
		}
		if kind&^unreading == '<' && a.option != "" {
			c.must(a.at)
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

// operands sees to the words that are no options.
func (c *Call) operands(t *program, args []argument) {
	first := true
	for _, a := range args {
		if a.option != "" {
			continue
		}
		switch t.operands {
		case files:
			c.file(a.at, a.value, false)
		case pattern:
			if !first || !a.value.Known { // which may stand for several
				c.file(a.at, a.value, false)
			}
		case targets:
			c.file(a.at, a.value, true)
		case texts, lines:
		}
		first = false
	}
}

// command is the sub-command of that name; nil: it is not listed.
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

// command asks the table of the sub-command that stands at next.
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
	c.in(sub, next+1)
	if !c.safe || c.unread { // the program's name covers only what reads
		c.must(next)
	}
}

// maxSearched is how many words are tried as the name of a sub-command.
const maxSearched = 64

// search has rules that deny try each word from one place on as the
// sub-command.
func (c *Call) search(from int) {
	l := c.words[from:]
	for i := 1; i < len(l) && i < maxSearched; i++ {
		if words := Leading(l[i:]); len(words) > 0 {
			c.p.Aliases = append(c.p.Aliases, append([]string{c.name}, words...))
		}
	}
}

// table is every program that is known, by its name.
var table = sync.OnceValue(func() map[string]*program {
	all := map[string]*program{}
	for _, t := range []map[string]*program{textTable, searchTable, fileTable, gitTable, goTable, scriptTable, buildTable, packageTable, networkTable, archiveTable, shellTable} {
		for names, p := range t {
			for _, name := range strings.Fields(names) {
				if all[name] != nil {
					panic("shellcmd: two tables speak of " + name)
				}
				all[name] = p
			}
		}
	}
	return all
})

// Option says whether one of the short letters or of the long names is among
// the options. Long names may be shortened, as programs allow; a word that is
// not known may hold anything and is no option here.
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

// Operands are the words that are no options.
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
