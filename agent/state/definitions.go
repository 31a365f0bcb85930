package state

import (
	"path/filepath"

	"github.com/emendo-dev/emendo/agent/definition"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/internal/extension"
)

// The folders of a project, and of the user's home, that hold definitions.
const (
	GeminiFolder = ".gemini"
	OwnFolder    = ".emendo" // in a project; the user's is emendo's folder of configuration
)

// Extensions returns the extensions that the session uses, sorted by name. A session
// in a restricted folder uses none.
func (s *Session) Extensions() []extension.Extension {
	find := s.Agent.Options.Extensions
	if find == nil || !s.Trusted() {
		return nil
	}
	return find(s.Started.Cwd).Used()
}

// Definitions returns the folders, the weakest first, in which extensions, the user and
// the project define things of a kind, such as "commands". dirs are the folders that
// hold such a folder, in a project and in the user's home, the weakest first. A
// project's, and those of extensions, are read in a trusted folder only.
func (s *Session) Definitions(kind string, dirs ...string) []definition.Folder {
	o := s.Agent.Options
	var l []definition.Folder
	for _, e := range s.Extensions() {
		f := definition.Folder{Path: filepath.Join(e.Dir, kind), Scope: definition.Extension, Extension: e.Name}
		if e.Project != "" {
			f.Tree = s.Work.Tree()
		}
		l = append(l, f)
	}
	homes := map[string]bool{} // folders in the user's home
	for _, dir := range dirs {
		at := o.UserDir
		if dir != OwnFolder {
			if o.GeminiDir == "" { // there is no home
				continue
			}
			at = filepath.Join(filepath.Dir(o.GeminiDir), dir)
			homes[disk.RealPath(at)] = true
		}
		if at != "" {
			l = append(l, definition.Folder{Path: filepath.Join(at, kind), Scope: definition.User})
		}
	}
	if !s.Trusted() {
		return l
	}
	for _, dir := range dirs {
		dir = filepath.Join(s.Started.Cwd, dir)
		if homes[disk.RealPath(dir)] { // the workspace is the user's home
			continue
		}
		l = append(l, definition.Folder{Path: filepath.Join(dir, kind), Scope: definition.Project, Tree: s.Work.Tree()})
	}
	return l
}
