package program

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/internal/secret"
)

// Bounds of what is looked through for secrets.
const (
	maxSearchedFiles = 200_000
	MaxSecrets       = 500
)

// found are the secrets in a folder, and whether it was looked through as a whole.
type found struct {
	secrets []string
	whole   bool
}

// looksThrough sees to a call that reads all that is in folders: what is secret
// there is told, wherever it lies. Without names it is the folder that it runs in.
// Where there is too much to look through, a rule has to name the whole call.
func (c *Call) looksThrough(names []Word) {
	for _, dir := range c.through(names) {
		f := c.secretsIn(dir)
		c.p.Secrets = append(c.p.Secrets, f.secrets...)
		if !f.whole {
			c.must(len(c.words) - 1)
		}
	}
}

// through are the folders that a call looks through, as far as they are in the
// workspace: others are asked about.
func (c *Call) through(names []Word) []string {
	if len(c.s.In) == 0 || slices.ContainsFunc(names, func(w Word) bool { return !w.Known }) {
		return c.roots
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
			if path := follow(dir, w.Text); path != "" && c.leads("/", path) != outsideWorkspace && !slices.Contains(l, path) {
				l = append(l, path)
			}
		}
	}
	return l
}

// secretsIn finds the secrets in a folder. Links are not followed: no search does
// that by itself.
func (a *CommandLine) secretsIn(dir string) found {
	if f, ok := a.searched[dir]; ok || a.Called != nil { // it is not about secrets
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
			return fs.SkipDir // what is packed
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

// isSecret reports whether a file of the workspace is called as those that hold
// secrets, or has git's settings with credentials in it.
func (a *CommandLine) isSecret(path string) bool {
	for _, root := range a.roots {
		if rel, err := filepath.Rel(root, path); err == nil && filepath.IsLocal(rel) {
			return secret.Named(string(os.PathSeparator)+rel) || secret.Settings(path) && holdsSecret(path)
		}
	}
	return false
}

// looking are options of grep by which it looks through folders.
const looking = "-r -R -d --recursive --dereference-recursive --directories"

// searches is of programs whose first operand is a file when an option has given
// the pattern or asks for names only, and whose patterns for names can have
// hidden files and secrets read.
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

// compares is of programs that compare folders when an option says so.
func compares(c *Call, u use) {
	var names []Word
	through := false
	for _, a := range u.args {
		if a.option == "" {
			names = append(names, a.value)
		}
		through = through || HasName("-r --recursive", a.option) || a.option != "" && !a.listed
	}
	if through {
		c.looksThrough(names)
	}
}

// bringsBack reports whether a pattern may find hidden files and secrets that are
// read then: all but plain names and endings, in whatever folders.
func bringsBack(pattern string) bool {
	name := pattern[strings.LastIndexByte(pattern, '/')+1:]
	ending, any := strings.CutPrefix(name, "*.")
	return name == "" || strings.Contains("/"+pattern, "/.") || strings.ContainsAny(ending, `*?[{\`) ||
		secret.Named(name) || any && (secret.Named("."+ending) || secret.Named("credentials."+ending))
}
