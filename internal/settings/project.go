package settings

import (
	"bytes"
	"errors"
	"io/fs"
	"iter"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

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
		e := l.at(*broken)
		f.Err = &e
		return
	}
	for _, m := range r.bad {
		e := l.at(m)
		f.Mistakes = append(f.Mistakes, &e)
	}
	text := bytes.TrimPrefix(l.text, byteOrderMark)
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{}")
	}
	root, err := hujson.Parse(text)
	if err != nil {
		panic("settings: " + err.Error()) // it was parsed before
	}
	root.Standardize()
	f.JSON = root.Pack()
	f.walk("", root)
	slices.Sort(f.Keys)
	f.Keys = slices.Compact(f.Keys)
	f.Ignored = slices.Compact(slices.Sorted(slices.Values(r.private)))
}

// walk collects keys as far as they are groups of settings.
func (f *ProjectFile) walk(group string, v hujson.Value) {
	object, ok := v.Value.(*hujson.Object)
	if !ok {
		return
	}
	for _, m := range object.Members {
		name, _ := m.Name.Value.(hujson.Literal)
		key := name.String()
		if group != "" {
			key = group + "." + key
		}
		if _, isObject := m.Value.Value.(*hujson.Object); isObject && isGroup(key) {
			f.walk(key, m.Value)
			continue
		}
		if key != "$schema" {
			f.Keys = append(f.Keys, key)
		}
	}
}

// ByEvent returns the definitions of each event that has any.
func (h Hooks) ByEvent() iter.Seq2[string, []HookDefinition] {
	return func(yield func(string, []HookDefinition) bool) {
		s := Settings{Hooks: h}
		for _, d := range hookSettings {
			event, ok := strings.CutPrefix(d.key, "hooks.")
			if !ok {
				continue
			}
			if list := *d.field(&s).(*[]HookDefinition); len(list) > 0 && !yield(event, list) {
				return
			}
		}
	}
}
