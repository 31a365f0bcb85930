package gitdir

import (
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/internal/paths"
)

// mostSettings limits how many settings files are read for a repository.
const mostSettings = 50

// Targets returns the files and directories, absolute, that a repository's
// settings, and the user's settings in home, make git run or read as further
// settings: they must be protected like the settings themselves. For links
// among the hooks and settings, their targets are included. If home is empty,
// the user's settings are not read. config is the user's configuration
// directory if it is not .config in home.
func (r Repository) Targets(home, config string) []string {
	s := search{home: home, tree: r.Tree}
	s.links(r.Common)
	s.links(r.Git)
	if home != "" {
		s.found = append(s.found, UserSettings(home, config)...)
	}
	for range s.files(r, config) { // which adds what they name
	}
	return s.found
}

// files yields the settings files of a repository, those of the user if the home folder is
// given, and what they include. It reads each of them.
func (s *search) files(r Repository, config string) iter.Seq[string] {
	return func(yield func(string) bool) {
		files := []string{filepath.Join(r.Common, "config"), filepath.Join(r.Git, "config.worktree")}
		if s.home != "" {
			files = append(files, UserSettings(s.home, config)...)
		}
		for n := 0; n < len(files) && n < mostSettings; n++ {
			if !yield(files[n]) {
				return
			}
			for _, more := range s.read(files[n]) {
				if !slices.Contains(files, more) {
					files = append(files, more)
				}
			}
		}
	}
}

// UserSettings returns the settings files that git reads for a user. config is
// the configuration directory if it is not .config in home.
func UserSettings(home, config string) []string {
	l := []string{filepath.Join(home, ".gitconfig"), filepath.Join(home, ".config", "git", "config")}
	if filepath.IsAbs(config) {
		l = append(l, filepath.Join(config, "git", "config"))
	}
	return l
}

// A search collects what settings name.
type search struct {
	home, tree string
	found      []string
}

func (s *search) add(path string) { s.found = append(s.found, path) }

// links adds the targets of links among the sealed entries of a repository's
// directory and among its hooks.
func (s *search) links(dir string) {
	for _, path := range Sealed(dir) {
		s.link(path)
	}
	s.hooks(filepath.Join(dir, "hooks"))
}

// hooks adds the targets of links in a directory of hooks.
func (s *search) hooks(dir string) {
	entries, _ := os.ReadDir(dir) // there may be none
	for _, e := range entries {
		if e.Type()&os.ModeSymlink != 0 {
			s.link(filepath.Join(dir, e.Name()))
		}
	}
}

func (s *search) link(path string) {
	info, err := os.Lstat(path)
	if err != nil || info.Mode()&os.ModeSymlink == 0 {
		return
	}
	if to, err := os.Readlink(path); err == nil {
		s.add(paths.Absolute(to, filepath.Dir(path)))
	}
}

// hookNames lists the programs that git looks for in a hooks directory.
var hookNames = strings.Fields(`applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg commit-msg post-commit pre-rebase
	post-checkout post-merge pre-push pre-receive update proc-receive post-receive post-update reference-transaction push-to-checkout pre-auto-gc post-rewrite
	sendemail-validate fsmonitor-watchman post-index-change`)

// read adds what a settings file names, and returns the files that it includes.
func (s *search) read(file string) []string {
	var included []string
	for _, e := range Settings(file) {
		switch {
		case e.Key == "path" && (e.Section == "include" || e.Section == "includeif"):
			if path := s.path(filepath.Dir(file), e.Value); path != "" {
				s.add(path)
				included = append(included, path)
			}
		case e.Name() == "core.hookspath":
			dir := s.path(s.tree, e.Value)
			if dir == "" {
				continue
			}
			if s.add(dir); dir == s.tree { // the work tree itself is not sealed
				for _, name := range hookNames {
					s.add(filepath.Join(dir, name))
				}
			}
			s.hooks(dir)
		case e.Name() == "core.attributesfile":
			if path := s.path(s.tree, e.Value); path != "" {
				s.add(path)
			}
		case runs(e):
			s.programs(e.Value)
		}
	}
	return included
}

// programKeys lists settings by section that make git run a program when it shows, compares,
// stores or signs, rather than by a name that the user types.
var programKeys = map[string][]string{
	"filter": {"clean", "smudge", "process"}, "diff": {"external", "command", "textconv"}, "merge": {"driver"},
	"core": {"fsmonitor", "editor", "pager", "sshcommand", "askpass", "gitproxy", "alternaterefscommand"},
	"gpg":  {"program", "defaultkeycommand"}, "sequence": {"editor"}, "interactive": {"difffilter"}, "credential": {"helper"},
}

// runs reports whether a setting is one of these, or names a pager.
func runs(e Setting) bool {
	return e.Section == "pager" || slices.Contains(programKeys[e.Section], e.Key)
}

// programs adds the words of a command line that are paths.
func (s *search) programs(line string) {
	for _, word := range strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" \t\n;|&()'\"!=", r) }) {
		if !strings.ContainsRune(word, '/') {
			continue
		}
		path := s.path(s.tree, word)
		if info, err := os.Stat(path); path != "" && (err != nil || info.Mode().IsRegular()) {
			s.add(path)
		}
	}
}

// path returns the file that a setting names; empty if that is not known.
func (s *search) path(from, name string) string {
	rest, inHome := strings.CutPrefix(name, "~/")
	switch {
	case name == "" || strings.HasPrefix(name, "%("):
		return ""
	case inHome && s.home != "":
		return filepath.Join(s.home, rest)
	case strings.HasPrefix(name, "~"):
		return ""
	}
	return paths.Absolute(name, from)
}

// Filter returns the first program, other than Git LFS, that a repository's settings, and the
// user's in home, make git run on the content of files that it stores or checks out, or, if
// diffs is set, compares; "" if there is none. config is as in [Repository.Targets].
func (r Repository) Filter(home, config string, diffs bool) string {
	return r.program(home, config, func(e Setting) bool {
		return (e.Section == "filter" || e.Section == "diff" && diffs) && runs(e)
	}).Value
}

// program returns the first matching setting that names a program other than Git LFS; without
// one, the zero Setting.
func (r Repository) program(home, config string, matches func(Setting) bool) Setting {
	s := search{home: home, tree: r.Tree}
	for file := range s.files(r, config) {
		for _, e := range Settings(file) {
			if matches(e) && e.Value != "" && !strings.HasPrefix(e.Value, "git-lfs ") {
				return e
			}
		}
	}
	return Setting{}
}
