package program

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/internal/paths"
	"github.com/emendo-dev/emendo/internal/secret"
)

// Limits for searching a directory for secrets.
const (
	maxSearchedFiles = 200_000
	MaxSecrets       = 500
)

// found holds the secrets in a directory, and whether all of it was searched.
type found struct {
	secrets []string
	whole   bool
}

// looksThrough handles a call that reads everything in directories: the secrets
// in them are recorded. Without names it is the current directory. If there is
// too much to search, a rule has to name the whole call.
func (c *Call) looksThrough(names []Word) {
	for _, dir := range c.through(names) {
		f := c.line.secretsIn(dir)
		c.p.Secrets = append(c.p.Secrets, f.secrets...)
		if !f.whole {
			c.requireWords(len(c.words) - 1)
		}
	}
}

// through returns the directories that a call reads, as far as they are in the
// workspace: others need approval anyway.
func (c *Call) through(names []Word) []string {
	if len(c.s.In) == 0 || slices.ContainsFunc(names, func(w Word) bool { return !w.Known }) {
		return c.line.roots
	}
	if len(names) == 0 {
		return c.s.In
	}
	var l []string
	for _, w := range names {
		in := c.s.In
		if filepath.IsAbs(w.Text) {
			in = Folders{"/"}
		}
		for _, dir := range in {
			if path := follow(dir, w.Text); path != "" && c.line.leads("/", path) != outsideWorkspace && !slices.Contains(l, path) {
				l = append(l, path)
			}
		}
	}
	return l
}

// secretsIn finds the secrets in a directory. Links are not followed, as no
// search does that by default.
func (a *CommandLine) secretsIn(dir string) found {
	if f, ok := a.searched[dir]; ok || a.Unsearched {
		return f
	}
	f, n := found{whole: true}, 0
	_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error { // what cannot be listed is not searched either
		if err != nil {
			return nil //nolint:nilerr // see above
		}
		if n++; n > maxSearchedFiles || len(f.secrets) >= MaxSecrets {
			f.whole = false
			return fs.SkipAll
		}
		switch {
		case e.IsDir() && e.Name() == "objects" && strings.HasSuffix(filepath.Dir(path), ".git"):
			return fs.SkipDir // packed objects
		case e.Type().IsRegular() && a.isSecret(path):
			f.secrets = append(f.secrets, path)
		}
		return nil
	})
	if a.searched == nil {
		a.searched = map[string]found{}
	}
	a.searched[dir] = f
	return f
}

// isSecret reports whether a file of the workspace has the name of a secret, or
// holds git's settings with credentials.
func (a *CommandLine) isSecret(path string) bool {
	for _, root := range a.roots {
		if rel, ok := paths.CutFolder(path, root); ok {
			return secret.Named(string(os.PathSeparator)+rel) || secret.Settings(path) && secret.InFile(path)
		}
	}
	return false
}

// looking lists the options with which grep searches directories.
const looking = "-r -R -d --recursive --dereference-recursive --directories"

// searches handles programs whose first operand is a file if an option supplies
// the pattern or asks for names only, and whose file patterns can include
// hidden files and secrets.
func searches(c *Call, u use) {
	given := slices.ContainsFunc(u.args, func(a argument) bool {
		return HasName("-e -f --regexp --file --files --type-list", a.option)
	})
	var names []Word
	through := c.name == "rg" || c.name == "ag" || c.name == "ack"
	first := true
	for _, a := range u.args {
		switch a.option {
		case "":
			if given {
				c.file(a.at, a.value, false)
			}
			if given || !first {
				names = append(names, a.value)
			}
			first = false
		case "-g", "--glob", "--iglob", "--include":
			c.unread = c.unread || !strings.HasPrefix(a.value.Text, "!") && bringsBack(a.value.Text)
		}
		through = through || HasName(looking, a.option) || a.option != "" && !a.listed
	}
	if through {
		c.looksThrough(names)
	}
}

// compares handles programs that compare directories if an option says so.
func compares(c *Call, u use) {
	if slices.ContainsFunc(u.args, func(a argument) bool { return HasName("-r --recursive", a.option) || a.option != "" && !a.listed }) {
		c.looksThrough(u.values())
	}
}

// bringsBack reports whether a pattern may match hidden files and secrets,
// which are then read: all but plain names and endings, in any directory.
func bringsBack(pattern string) bool {
	name := pattern[strings.LastIndexByte(pattern, '/')+1:]
	ending, any := strings.CutPrefix(name, "*.")
	return name == "" || strings.Contains("/"+pattern, "/.") || strings.ContainsAny(ending, `*?[{\`) ||
		secret.Named(name) || any && (secret.Named("."+ending) || secret.Named("credentials."+ending))
}
