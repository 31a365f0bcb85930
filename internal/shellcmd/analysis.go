package shellcmd

import (
	"cmp"
)

// An Analysis tells what a command line would run.
type Analysis struct {
	Command string // as it was given
	// Canonical is the same command printed again from what was parsed, and what
	// the shell is given. It is empty when the command has no such form: then the
	// shell is given Command, and no rule about some commands covers it.
	Canonical string
	Dir       string // where it runs, absolute
	// Parts are the simple commands in it and all that these would run, in the
	// order in which they begin, as far as it can be told without running it.
	Parts []Part
	// Known says that the parts are all that would run.
	Known bool
	Why   string // else why not: the construct that cannot be told, one clause
	// Destructive says why the command could destroy something that cannot be
	// brought back; empty when it is not known to.
	Destructive string
	Git         GitUse
}

// Line is what the shell is given.
func (a Analysis) Line() string { return cmp.Or(a.Canonical, a.Command) }

// Texts are the sources of the command's parts.
func (a Analysis) Texts() []string {
	var l []string
	for _, p := range a.Parts {
		l = append(l, p.Text)
	}
	return l
}

// Secrets are the files that the command must not see, see [Part].
func (a Analysis) Secrets() []string {
	var l []string
	for _, p := range a.Parts {
		l = append(l, p.Secrets...)
	}
	return l
}

// GitUse is what a command does with git, as far as its text tells. The zero value
// is that it does not call git.
type GitUse struct {
	Calls  bool
	Alone  bool // nothing but git sees the workspace's files
	Writes bool // git's own data: the index, objects, branches
	// Configures is the first call that writes what configures git, such as
	// "git config"; empty when there is none.
	Configures string
	Network    string // the same of a call that talks to a remote
}
