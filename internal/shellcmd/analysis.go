package shellcmd

import (
	"cmp"
)

// An Analysis is the result of [Analyze].
type Analysis struct {
	Command string // as it was given
	// Canonical is the command printed again from its syntax tree; the shell
	// runs it. It is empty if the command has no such form: then the shell runs
	// Command, and no rule about particular commands covers it.
	Canonical string
	Dir       string // where it runs, absolute
	// Parts holds the simple commands in it and everything they would run, in
	// the order in which they begin, as far as the text shows.
	Parts []Part
	// Known reports that Parts is everything that would run.
	Known bool
	Why   string // if not Known: the construct that makes it unknown, one clause
	// Disguised says why nobody can see what the command is, one clause, such as an invisible
	// character; empty if it is what it looks like.
	Disguised string
	// Destructive says why the command could destroy something that cannot be
	// restored, for all of its parts; empty if it is not known to.
	Destructive string
	Git         GitUse
}

// Line returns the text that the shell runs.
func (a Analysis) Line() string { return cmp.Or(a.Canonical, a.Command) }

// Texts returns the sources of the parts.
func (a Analysis) Texts() []string {
	var l []string
	for _, p := range a.Parts {
		l = append(l, p.Text)
	}
	return l
}

// Secrets returns the files that the command must not see, see [Part].
func (a Analysis) Secrets() []string {
	var l []string
	for _, p := range a.Parts {
		l = append(l, p.Secrets...)
	}
	return l
}

// GitUse describes what a command does with git, as far as its text shows. The zero
// value means that it does not call git.
type GitUse struct {
	Calls bool
	Alone bool // only git sees the workspace's files
	// Only: nothing but git and cd into the workspace runs, and every command of git's reads
	// or changes what is easily undone.
	Only   bool
	Writes bool // it writes git's own data: the index, objects, branches
	// Configures is the first call that changes git's configuration, such as
	// "git config", or "".
	Configures string
	Network    string // the first call that contacts a remote, likewise
	// Filter is a program, other than Git LFS, that the settings make git run on the content
	// of files that it stores; "" if it stores none.
	Filter string
}
