package ignore

// Rules are the rules for the entries of one folder. They are immutable. A nil Rules
// ignores nothing but .git.
type Rules struct {
	path string // of the folder, slash-separated, relative to the folder of the first rules; "" for that
	git  *level
	over []level // take precedence over git's, the highest first

	tracked *tracked
	inside  bool // git ignores the folder, and with it what it does not track in there
}

// level is the rules of one file.
type level struct {
	list
	base  int    // length of the path of its folder, with the slash
	above *level // used if no pattern of this one matches
}

// Ignored reports whether an entry of the folder is ignored. Everything in an
// ignored folder is ignored as well; do not call Ignored for it. Git's rules do not
// ignore a file that git tracks, nor a folder with such a file.
func (r *Rules) Ignored(name string, isDir bool) bool {
	if name == ".git" {
		return true
	}
	if r == nil {
		return false
	}
	var path string // computed when a pattern needs it
	if p := r.overriding(name, &path, isDir); p != nil {
		return !p.negated
	}
	return r.excluded(name, &path, isDir) && !r.tracked.has(r.join(name), isDir)
}

// overriding returns the pattern that decides about an entry whatever git's rules say,
// or nil.
func (r *Rules) overriding(name string, path *string, isDir bool) *pattern {
	for i := range r.over {
		if p := r.over[i].lastMatch(r, name, path, isDir); p != nil {
			return p
		}
	}
	return nil
}

// excluded reports whether git's rules exclude an entry, as they do unless git tracks it.
func (r *Rules) excluded(name string, path *string, isDir bool) bool {
	if r.inside {
		return true
	}
	for l := r.git; l != nil; l = l.above {
		if p := l.lastMatch(r, name, path, isDir); p != nil {
			return !p.negated
		}
	}
	return false
}

// lastMatch returns the last pattern of the level that matches an entry, or nil.
func (l *level) lastMatch(r *Rules, name string, path *string, isDir bool) *pattern {
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

// Git reports whether the folder belongs to a git repository, whose .gitignore files
// apply.
func (r *Rules) Git() bool { return r != nil && r.git != nil }

// Enter returns the rules for a folder inside this one. gitignore is the text of its
// .gitignore, or "".
func (r *Rules) Enter(name, gitignore string) *Rules {
	if r == nil {
		return nil
	}
	in := &Rules{path: r.join(name), git: r.git, over: r.over, tracked: r.tracked}
	var path string
	in.inside = r.overriding(name, &path, true) == nil && r.excluded(name, &path, true)
	in.add(gitignore)
	return in
}

// add puts the folder's .gitignore in front of the levels above it.
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
