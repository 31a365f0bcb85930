package langserver

import (
	"context"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/internal/paths"
)

// A View is the text of a workspace for one request: that of open documents, saved
// or not, and that of the disk.
type View struct {
	Snapshot *ide.Snapshot
	// Texts replaces the text of files by absolute path, whether they are open, on
	// disk, or do not exist yet.
	Texts map[string]string
}

// documents returns the text of every document that a server should have open: the
// editor's, those of the view, and the named files. Files that cannot be read are
// left out.
func (v View) documents(ctx context.Context, p Program, folders, named []string) map[string]string {
	inside := func(path string) bool {
		return p.Serves(path) && paths.WithinAny(path, folders)
	}
	want := map[string]string{}
	for _, d := range v.Snapshot.Documents() {
		if d.Path != "" && inside(d.Path) {
			want[d.Path] = d.Text.String()
		}
	}
	for _, path := range v.Snapshot.AllGone() { // a server would read it on the disk
		if inside(path) {
			want[path] = ""
		}
	}
	for path, text := range v.Texts {
		if inside(path) {
			want[path] = text
		}
	}
	for _, path := range named {
		if _, ok := want[path]; ok || !inside(path) {
			continue
		}
		if f, err := v.Snapshot.Read(ctx, path); err == nil {
			want[path] = f.Text.String()
		}
	}
	return want
}
