package state

import (
	"path/filepath"

	"github.com/emendo-dev/emendo/agent/definition"
	"github.com/emendo-dev/emendo/ide/disk"
)

// The folders of a project, and of the user's home, that hold definitions.
const (
	GeminiFolder = ".gemini"
	OwnFolder    = ".emendo" // in a project; the user's is emendo's folder of configuration
)

// Definitions returns the folders, the weakest first, in which the user and the
// project define things of a kind, such as "commands". dirs are the folders that
// hold such a folder, in a project and in the user's home, the weakest first. A
// project's are read in a trusted folder only.
func (s *Session) Definitions(kind string, dirs ...string) []definition.Folder {
	o := s.Agent.Options
	var l []definition.Folder
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
