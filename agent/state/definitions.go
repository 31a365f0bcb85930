package state

import (
	"path/filepath"

	"github.com/emendo-dev/emendo/agent/definition"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/internal/extension"
	"github.com/emendo-dev/emendo/internal/own"
)

// A Site is where definitions apply: a session, or the folders of a session to be
// created.
type Site struct {
	process *Process
	cwd     string
	roots   []string
	tree    *disk.Tree
}

// Site returns the site of a session.
func (s *Session) Site() Site { return Site{s.Agent, s.Started.Cwd, s.Work.Roots(), s.Work.Tree()} }

// SiteIn returns the site of folders, absolute with links resolved; cwd is one of
// them. The tree holds the folders that exist.
func (a *Process) SiteIn(cwd string, roots []string, tree *disk.Tree) Site {
	return Site{a, cwd, roots, tree}
}

// Trusted reports whether the user trusts all folders of the site.
func (at Site) Trusted() bool { return at.process.Trusted(at.roots) }

// Extensions returns the extensions that the session uses, sorted by name. A session
// in a restricted folder uses none.
func (s *Session) Extensions() []extension.Extension { return s.Site().extensions() }

func (at Site) extensions() []extension.Extension {
	find := at.process.Options.Extensions
	if find == nil || !at.process.Trusted(at.roots) {
		return nil
	}
	return find(at.cwd).Used()
}

// Definitions returns the folders with definitions of a kind, such as "commands",
// in order of precedence, the lowest first. dirs are the folders that hold a folder
// of that kind in a project and in the user's home, in the same order. Those of
// projects and extensions are only read in trusted folders.
func (at Site) Definitions(kind string, dirs ...string) []definition.Folder {
	o := at.process.Options
	var l []definition.Folder
	for _, e := range at.extensions() {
		f := definition.Folder{Path: filepath.Join(e.Dir, kind), Scope: definition.Extension, Extension: e.Name}
		if e.Project != "" {
			f.Tree = at.tree
		}
		l = append(l, f)
	}
	homes := map[string]bool{} // folders in the user's home
	for _, dir := range dirs {
		home := o.UserDir
		if dir != own.Emendo {
			if o.GeminiDir == "" { // no home folder
				continue
			}
			home = filepath.Join(filepath.Dir(o.GeminiDir), dir)
			homes[disk.RealPath(home)] = true
		}
		if home != "" {
			l = append(l, definition.Folder{Path: filepath.Join(home, kind), Scope: definition.User})
		}
	}
	if !at.process.Trusted(at.roots) {
		return l
	}
	for _, dir := range dirs {
		dir = filepath.Join(at.cwd, dir)
		if homes[disk.RealPath(dir)] { // the workspace is the user's home
			continue
		}
		l = append(l, definition.Folder{Path: filepath.Join(dir, kind), Scope: definition.Project, Tree: at.tree})
	}
	return l
}
