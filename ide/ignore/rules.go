package ignore

// Rules are those that hold for the entries of one folder. They never change,
// and a nil Rules ignores nothing but .git.
type Rules struct {
	path string // of the folder, slash-separated, from where the first rules are; "" there
	git  *level
	over []level // stronger than git's, the strongest first
}

// level is the rules of one file.
type level struct {
	list
	base  int    // length of the path of its folder, with the slash
	above *level // asked when this one has no word on an entry
}

// Ignored says whether an entry of the folder is ignored. All that an ignored
// folder holds is ignored too, and is not asked about.
func (r *Rules) Ignored(name string, isDir bool) bool {
	if name == ".git" {
		return true
	}
	if r == nil {
		return false
	}
	var path string // made when a pattern needs it
	for i := range r.over {
		if p := r.over[i].last(r, name, &path, isDir); p != nil {
			return !p.negated
		}
	}
	for l := r.git; l != nil; l = l.above {
		if p := l.last(r, name, &path, isDir); p != nil {
			return !p.negated
		}
	}
	return false
}

// last is the pattern of the level that has the last word on an entry, or nil.
func (l *level) last(r *Rules, name string, path *string, isDir bool) *pattern {
	if l.paths && *path == "" {
		*path = r.join(name)
	}
	var below string
	if l.paths {
		below = (*path)[l.base:]
	}
	for i := range l.patterns {
		if p := &l.patterns[i]; p.match(name, below, isDir) {
			return p
		}
	}
	return nil
}

func (r *Rules) join(name string) string {
	if r.path == "" {
		return name
	}
	return r.path + "/" + name
}

// Git says whether the folder belongs to a git repository, whose .gitignore
// files count.
func (r *Rules) Git() bool { return r != nil && r.git != nil }

// Enter gives the rules for a folder inside this one. gitignore is the text of
// its .gitignore, empty when it has none.
func (r *Rules) Enter(name, gitignore string) *Rules {
	if r == nil {
		return nil
	}
	in := &Rules{path: r.join(name), git: r.git, over: r.over}
	in.add(gitignore)
	return in
}

// add puts the folder's own .gitignore before the levels above it.
func (r *Rules) add(gitignore string) {
	if !r.Git() {
		return
	}
	if l := parse(gitignore); len(l.patterns) > 0 {
		r.git = &level{list: l, base: r.baseLength(), above: r.git}
	}
}

func (r *Rules) baseLength() int {
	if r.path == "" {
		return 0
	}
	return len(r.path) + 1
}
