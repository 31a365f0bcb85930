package settings

import (
	"errors"
	"io/fs"
	"slices"

	"github.com/emendo-dev/emendo/internal/own"
)

// A ProjectFile is the content of a project's settings file, applied or not. It is
// for showing it before the project is trusted.
type ProjectFile struct {
	Path    string
	Keys    []string // that it sets, sorted; keys that nobody declared included
	Ignored []string // among Keys: those that a project does not decide
	JSON    []byte   // what it says, as plain JSON; nil with an error
	Err     error    // why it cannot be read
	// Mistakes are its invalid values. Those in .emendo make emendo ignore the whole
	// file; in .gemini, each is left out.
	Mistakes []error
}

// ProjectFiles reads the settings files of a project, in the order in which they
// count: .gemini, then .emendo. Those that are not there are left out.
func (o Options) ProjectFiles() []ProjectFile {
	var files []ProjectFile
	for _, folder := range own.Folders() {
		if folder == own.Gemini && o.isHome(o.ProjectDir) {
			continue
		}
		l, err := projectLayer(o.ProjectDir, folder)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		f := ProjectFile{Path: l.name, Err: err}
		if err == nil {
			f.read(l)
		}
		files = append(files, f)
	}
	return files
}

func (f *ProjectFile) read(l layer) {
	r, broken := read(l.text, true, nil)
	if broken != nil {
		e := l.errorAt(*broken)
		f.Err = &e
		return
	}
	for _, m := range r.bad {
		e := l.errorAt(m)
		f.Mistakes = append(f.Mistakes, &e)
	}
	f.JSON = []byte("{}")
	if r.root.Value != nil {
		r.root.Standardize()
		f.JSON = r.root.Pack()
	}
	f.Keys = slices.Compact(slices.Sorted(slices.Values(r.keys)))
	f.Ignored = slices.Compact(slices.Sorted(slices.Values(r.private)))
}
