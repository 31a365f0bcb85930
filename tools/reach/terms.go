package reach

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/emendo-dev/emendo/internal/paths"
	"github.com/emendo-dev/emendo/internal/protect"
)

// terms say what is guarded from a command beyond what is guarded from every command.
type terms struct {
	// watched: files that instruct agents, or run elsewhere or later: nobody allowed the
	// command.
	watched bool
	// context: files that instruct agents, of which those are a part: the model has read
	// untrusted content.
	context bool
	names   []string // of further files that instruct agents
}

func termsOf(e Extra) terms {
	return terms{watched: e.Unasked, context: e.Unasked || e.Untrusted, names: e.Context}
}

// isZero reports whether nothing is guarded beyond what always is.
func (t terms) isZero() bool { return !t.watched && !t.context }

// guards reports whether a name, relative to the workspace, is guarded by the terms.
func (t terms) guards(name string) bool {
	named := slices.Contains(t.names, filepath.Base(name))
	return t.watched && (named || protect.Of(name) == protect.Watched) || t.context && (named || protect.IsContext(name))
}

// guard protects what the terms guard of the watched files as what is protected from every
// command.
func (f *findings) guard(p *Workspace, t terms) {
	for _, path := range f.watched {
		if !t.guards(p.relative(path)) {
			continue
		}
		if info, err := os.Lstat(path); err == nil && info.Mode()&os.ModeSymlink != 0 {
			f.links = append(f.links, path)
		} else {
			f.protected = append(f.protected, path)
		}
	}
}

// relative returns a path relative to the outermost folder that commands may write and that
// contains it, or its last name.
func (p *Workspace) relative(path string) string {
	rel := filepath.Base(path)
	for _, folder := range slices.Concat(p.Folders, p.allowedFolders()) {
		if l, err := filepath.Rel(folder, path); err == nil && paths.Within(path, folder) && len(l) >= len(rel) {
			rel = l
		}
	}
	return rel
}
