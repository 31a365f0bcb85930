package reach

import (
	"errors"
	"io/fs"
	"os"
	"slices"

	"github.com/emendo-dev/emendo/internal/paths"
)

// mostMade bounds how many folders are made for commands that keep the workspace as it was.
const mostMade = 256

// keepWorkspace has a command leave the workspace as it was: it writes nothing there but the
// folders of dependencies and builds that git ignores, and what the user has opened by extra.
// Folders that tools are likely to make are made before, since nothing can be made in a folder
// that is read-only.
func (p *Profile) keepWorkspace(place *Workspace, found findings, extra Extra) {
	folders := paths.ResolveAll(place.Folders)
	p.builds = slices.DeleteFunc(append(found.builds, place.makeBuildFolders(found.makes)...), func(dir string) bool {
		return !paths.WithinAny(dir, folders) || !paths.IsRealFolder(dir)
	})
	open := slices.Concat(place.allowedFolders(), paths.ResolveAll(extra.Write))
	p.Write = slices.DeleteFunc(p.Write, func(path string) bool { return paths.WithinAny(path, folders) && !paths.WithinAny(path, open) })
	p.Write, p.Read = append(p.Write, p.builds...), append(p.Read, folders...)
	p.Kept = slices.DeleteFunc(p.Kept, func(path string) bool { return !paths.WithinAny(path, p.Write) })
	p.keeps = folders
}

// Keeps reports whether the command must leave a path as it was.
func (p *Profile) Keeps(path string) bool {
	return paths.WithinAny(path, p.keeps) && !paths.WithinAny(path, p.Write)
}

// Builds returns the folders of the workspace that a command may write which leaves the rest
// as it was.
func (p *Profile) Builds() []string { return p.builds }

// makeBuildFolders makes the folders that are absent and that git would ignore, and returns them.
func (p *Workspace) makeBuildFolders(dirs []string) []string {
	p.making.Lock()
	defer p.making.Unlock()
	if p.ignores == nil {
		p.ignores = map[string]bool{}
	}
	var l []string
	for _, dir := range dirs {
		ignored, known := p.ignores[dir]
		if !known {
			ignored = p.Ignored == nil || p.Ignored(dir)
			p.ignores[dir] = ignored
		}
		if !ignored || len(l) == mostMade {
			continue
		}
		switch err := os.Mkdir(dir, 0o755); {
		case err == nil:
			p.made = append(p.made, dir)
		case !errors.Is(err, fs.ErrExist): // another command's may be there by now
			continue
		}
		l = append(l, dir)
	}
	return l
}

// RemoveMade removes the folders that were made for commands, if they are empty. No command may run
// meanwhile.
func (p *Workspace) RemoveMade() {
	p.making.Lock()
	defer p.making.Unlock()
	for _, dir := range p.made {
		_ = os.Remove(dir) // one that holds something stays
	}
	p.made = nil
}
