package tools

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
