package program

import (
	"path"
	"slices"
	"strings"
)

// A Part is one piece of a command that is decided on its own: a simple command
// with its redirections, or one that another part runs.
type Part struct {
	Text string // its source, with everything hidden in it escaped
	// Words are the program and its arguments without quotes, up to the first
	// that is not literal.
	Words []string
	// Aliases are other spellings of the same: "git push" of "git -C sub push".
	// Rules that deny or ask search them; rules that allow do not.
	Aliases [][]string
	// Inside says that another part runs it: a wrapper, a substitution, -exec,
	// the body of a function, sh -c.
	Inside bool
	// Passes says that it does nothing but run the parts inside it, which
	// decide: it needs nobody's leave of its own, but can be denied.
	Passes bool
	// Known says that what it does can be told from its text, so that a rule
	// that allows may cover it.
	Known bool
	Why   string // why not, or why no rule about its first words covers it; one clause
	// Least is how many leading words a rule must name to cover it: 1 is the
	// program, 2 "git push". No number of words is enough when it is zero:
	// then only this very command as a whole can be allowed.
	Least int
	// Open and Full bound how far words of a series are named, such as addresses or
	// goals: a rule that names more than Open words covers the part only when it
	// names Full. Both are zero where there is no such series.
	Open, Full int
	// Offer are the words that an answer for always stores; none when no such
	// answer may be offered.
	Offer []string
	// ReadOnly says that it is known to read only what is inside the workspace
	// and looks like no secret.
	ReadOnly bool
	// Reads and Writes are the files that its redirections name, absolute.
	Reads, Writes []string
	// Alters are the files that its words say it writes, deletes or changes,
	// absolute.
	Alters []string
	// Installs says why it changes what other programs run later; empty when it is
	// not known to.
	Installs string
	// Input is the text that it reads, as far as the command has it: a
	// here-document, a here-string, or the command in front of a pipe.
	Input string
	// Secrets are the files with secrets in the folders that it looks through,
	// absolute. A sandbox hides them from the command.
	Secrets []string
	// Home are the files that words stand for which begin with a home, such as
	// ~/x, absolute. Such a word is not literal, so it ends Words.
	Home []string
	// Opaque says why it may run anything, whatever its words are: it evaluates
	// text, or launches what a setting or its input names. A rule that denies may
	// mean it. Empty when it does not.
	Opaque string
	// NoProgram says that it starts no program of its own: it sets variables, compares,
	// or says where what is inside it reads and writes.
	NoProgram bool
	// Foreign says that nothing is known of its program: any of its words may be
	// a program that it launches.
	Foreign     bool
	Network     bool   // it is known to talk to the network
	Destructive string // why it could destroy something; empty when it is not known to
}

// Covered says whether a rule that allows these leading words covers the part:
// word by word, and naming all that has to be named. The files that
// redirections write are not covered by any words.
func (p Part) Covered(prefix []string) bool {
	return p.Known && p.Names(len(prefix)) && begins(p.Words, prefix)
}

// Names reports whether n leading words are as many as a rule that allows must
// name.
func (p Part) Names(n int) bool {
	return p.Least > 0 && n >= p.Least && (n <= p.Open || n >= p.Full)
}

// Named says whether a rule that denies or asks about these leading words
// means the part. The program is compared by its name, in whatever folder it is
// said to be, and without case.
func (p Part) Named(prefix []string) bool {
	return means(p.Words, prefix) || slices.ContainsFunc(p.Aliases, func(words []string) bool { return means(words, prefix) })
}

func means(words, prefix []string) bool {
	return len(words) > 0 && len(prefix) > 0 && (len(prefix) == 1 || begins(words[1:], prefix[1:])) &&
		(strings.EqualFold(words[0], prefix[0]) || strings.EqualFold(path.Base(words[0]), prefix[0]))
}

func begins(words, prefix []string) bool {
	return len(prefix) > 0 && len(words) >= len(prefix) && slices.Equal(words[:len(prefix)], prefix)
}

// MarkUnknown records why what the part does cannot be told. The first reason
// counts.
func (p *Part) MarkUnknown(why string) {
	if p.Known || p.Why == "" {
		p.Known, p.Why = false, why
	}
}
