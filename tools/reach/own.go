package reach

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/emendo-dev/emendo/internal/paths"
)

// own describes emendo's own folders, which decide what may run.
type own struct {
	folders []string               // all of them, without links
	above   []string               // folders of the workspace that contain one
	absent  []string               // those that could not be made
	linked  map[string]os.FileInfo // those that are reached by a link, which a command could replace
}

// replaced returns those that are another folder now.
func (o own) replaced() []string {
	var l []string
	for dir, was := range o.linked {
		if now, err := os.Stat(dir); err == nil && !os.SameFile(was, now) {
			l = append(l, dir)
		}
	}
	return l
}

// makeOwn makes emendo's own folders that are absent and that a command could make, since only
// what exists can be masked. It returns the folders above them too, which a command must not
// rename: another folder in their place would be emendo's next time.
func (p *Workspace) makeOwn(writable []string) own {
	var o own
	for _, dir := range p.Private {
		if dir == "" {
			continue
		}
		real := paths.Resolve(dir)
		if in := slices.IndexFunc(writable, func(w string) bool { return paths.Within(real, w) }); in >= 0 {
			if !paths.Exists(real) && os.MkdirAll(real, 0o700) != nil {
				o.absent = append(o.absent, real)
			}
			for above := filepath.Dir(real); above != writable[in] && paths.Within(above, writable[in]); above = filepath.Dir(above) {
				o.above = append(o.above, above)
			}
		}
		if info, err := os.Stat(real); err == nil && real != filepath.Clean(dir) {
			if o.linked == nil {
				o.linked = map[string]os.FileInfo{}
			}
			o.linked[dir] = info
		}
		o.folders = append(o.folders, real)
	}
	return o
}
