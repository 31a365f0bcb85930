package program

import (
	"path"
	"slices"
	"strings"
)

// A Part is one piece of a command line that is judged on its own: a simple
// command with its redirections, or one that another part runs.
type Part struct {
	Text string // its source, with hidden characters escaped
	// Words holds the program and its arguments without quotes, up to the first
	// that is not literal.
	Words []string
	// Aliases holds other spellings, such as "git push" for "git -C sub push".
	// Rules that deny or ask match them; rules that allow do not.
	Aliases [][]string
	// Inside reports that another part runs it: a wrapper, a substitution,
	// -exec, a function body, sh -c.
	Inside bool
	// Passes reports that it does nothing but run the parts inside it, which
	// are judged instead. It needs no permission of its own, but can be denied.
	Passes bool
	// Known reports that its text shows what it does, so that a rule that
	// allows may cover it.
	Known bool
	Why   string // if not Known: why; else why no prefix rule covers it
	// Least is how many leading words a rule must name to cover it: 1 for the
	// program, 2 for "git push". If it is zero, no prefix is enough: only this
	// exact command can be allowed.
	Least int
	// Open and Full apply to lists of words of one kind, such as addresses or
	// goals: a rule that names more than Open words covers the part only if it
	// names Full. Both are zero if there is no list.
	Open, Full int
	// Offer is the prefix of the permanent rule that the user is offered; empty
	// if none may be offered.
	Offer []string
	// ReadOnly reports that it only reads, inside the workspace, and no files
	// that look secret.
	ReadOnly bool
	// Reads and Writes hold the files that its redirections name, absolute.
	Reads, Writes []string
	// Alters holds the files that its words say it writes, deletes or changes,
	// absolute.
	Alters []string
	// Installs says why it changes what other programs run later; empty if it
	// is not known to.
	Installs string
	// Input is the text that it reads, as far as the command line contains it:
	// a here-document, a here-string, or the command in front of a pipe.
	Input string
	// Secrets holds the files with secrets in the directories that it searches,
	// absolute. A sandbox hides them from the command.
	Secrets []string
	// In holds the directories in which it may run; none if they are not known.
	In Folders
	// Lasting is the command of version control that it runs and that does more than read,
	// or than change what is easily undone, such as "git commit"; empty if there is
	// none.
	Lasting string
	// Removes holds the files and folders that its words name, or a pattern of theirs
	// matches, and that it removes, absolute.
	Removes []string
	// Opens holds the files and folders that its words name and that it may read, absolute.
	// Those in Alters may be among them.
	Opens []string
	// Hosts holds the hosts that it is known to reach, if Remote; none if they are not known.
	Hosts []string
	// Raw reports that it reaches them otherwise than by HTTP.
	Raw bool
	// Needs says why it cannot work in a sandbox: it uses a daemon, the user's keys or
	// settings outside; empty if that is not known.
	Needs string
	// Home holds the files that its words name by a home directory, such as
	// ~/x, absolute. Such a word is not literal, so it ends Words.
	Home []string
	Git  GitCall
	// Opaque says why it may run anything, whatever its words are: it evaluates
	// text, or launches what a setting or its input names. A rule that denies
	// may apply to it. Empty if it is not opaque.
	Opaque string
	// NoProgram reports that it starts no program of its own: it sets
	// variables, compares, or redirects the parts inside it.
	NoProgram bool
	// Foreign reports that its program is not known: any of its words may be a
	// program that it launches.
	Foreign     bool
	Network     bool   // it is known to use the network
	Remote      bool   // and not only servers of this machine
	Destructive string // why it could destroy something; empty if it is not known to
}

// connects records that the part uses the network.
func (p *Part) connects() { p.Network, p.Remote = true, true }

// ConnectsTo records that the part opens a connection to an address of bash, such as
// /dev/tcp/localhost/80.
func (p *Part) ConnectsTo(socket string) {
	names := strings.Split(socket, "/")
	p.Network, p.Remote = true, p.Remote || len(names) != 5 || !localHost().MatchString(names[3])
}

// Covered reports whether a rule that allows these leading words covers the
// part: they match word by word, and they are as many as needed. No words cover
// the files that redirections write.
func (p Part) Covered(prefix []string) bool {
	return p.Known && p.Names(len(prefix)) && begins(p.Words, prefix)
}

// Names reports whether n leading words are as many as a rule that allows must
// name.
func (p Part) Names(n int) bool {
	return p.Least > 0 && n >= p.Least && (n <= p.Open || n >= p.Full)
}

// Named reports whether a rule that denies or asks about these leading words
// matches the part. The program is compared without its directory and case.
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

// MarkUnknown records why the text does not show what the part does. The first
// reason is kept.
func (p *Part) MarkUnknown(why string) {
	if p.Known || p.Why == "" {
		p.Known, p.Why = false, why
	}
}

// A GitCall describes a call of git. The zero value is none.
type GitCall struct {
	Called  bool
	Command string // git's own command; empty if there is none, or if it is not literal
	Writes  bool   // it writes git's own data: the index, objects, branches
	// Configures reports that it changes git's configuration.
	Configures bool
	// Plain reports that it changes nothing but what is easily undone, and that none of its
	// options sets a setting, selects a repository or runs a program.
	Plain bool
}
