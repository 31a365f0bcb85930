package gitdir

// Launches returns the first setting of a repository's own that makes git run a program, other
// than Git LFS, when it reads or changes the index or makes a branch, and that no environment
// switches off; "" if there is none. The user's own settings do not count.
func (r Repository) Launches() string { return r.program("", "", launches).Name() }

func launches(e Setting) bool {
	switch e.Section {
	case "filter", "diff":
		return runs(e)
	case "hook", "trailer", "tar", "man", "browser":
		return e.Key == "command" || e.Key == "cmd" || e.Key == "path"
	}
	return false
}
