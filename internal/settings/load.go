package settings

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/emendo-dev/emendo/internal/own"
	"github.com/emendo-dev/emendo/internal/paths"
)

// maxFile limits the size of a settings file in bytes, and so the depth of its
// nesting.
const maxFile = 256 << 10

// Options are the layers that settings are read from. The zero value has only those
// that Paths names.
type Options struct {
	Paths Paths
	// ProjectDir is the project's folder, or "".
	ProjectDir string
	// Trusted allows reading the project's own settings.
	Trusted bool
	// Editor holds the editor's initializationOptions.settings.
	Editor json.RawMessage
	// Configuration holds the editor's configuration for emendo, which can change
	// while it runs. It counts as the project's, because a repository can contain
	// it.
	Configuration json.RawMessage
	// Env looks up one environment variable.
	Env func(string) string
	// Extend adds to the settings what extensions have: those of the user, and of
	// project, which is empty unless it is trusted. Nil adds nothing.
	Extend func(s *Settings, project string) []Warning
	// Flags are the command line's settings by key, for example
	// "model.name": strings, ints, bools and lists of strings.
	Flags map[string]any
}

// editorLayer is the name of the layer with the user settings of an editor.
const editorLayer = "initializationOptions.settings"

// A layer is one source of settings.
type layer struct {
	name    string // its path, or words
	text    []byte
	project bool   // may not set what only the user may set
	dir     string // the folder of the project whose layer it is
	origin  Origin
	foreign bool                // belongs to another program: mistakes are warnings, and unknown keys are allowed
	broken  error               // why it could not be read
	env     func(string) string // expands variables in strings; nil expands none
}

// Load reads every layer, weakest first: defaults, the administrator's
// defaults, the user's file, the files of a trusted project (.gemini, then
// .emendo), the editor's, the administrator's file, the environment, flags.
//
// The error is a [*FileError], or several joined. The settings can still be
// used: a layer with an error is ignored and the others apply.
func Load(o Options) (Settings, []Warning, error) {
	s, warnings, failures := o.load(nil)
	if len(failures) == 1 {
		return s, warnings, failures[0]
	}
	return s, warnings, errors.Join(failures...)
}

// loaded is what layers have set.
type loaded struct {
	settings Settings
	projects Settings        // settings that are kept apart, of projects and extensions
	firm     map[string]bool // keys of settings that a project can no longer change
	warnings []Warning
}

// load is Load. For a layer with an error it uses the layer of that name in good,
// which it updates if it is not nil.
func (o Options) load(good map[string]layer) (Settings, []Warning, []error) {
	var failures []error
	to := loaded{settings: Defaults(), firm: map[string]bool{}}
	present := map[string]bool{}
	for _, l := range o.layers() {
		present[l.name] = true
		err := l.broken
		if err == nil {
			err = to.apply(l)
		}
		if err == nil {
			if good != nil {
				good[l.name] = l
			}
			continue
		}
		if l.foreign {
			e, _ := errors.AsType[*FileError](err)
			to.warnings = append(to.warnings, Warning(*e))
		} else {
			failures = append(failures, err)
		}
		if before, ok := good[l.name]; ok {
			warnings := to.warnings
			_ = to.apply(before) // it was applied before
			to.warnings = warnings
		}
	}
	maps.DeleteFunc(good, func(name string, _ layer) bool { return !present[name] })
	s := to.settings
	s.MCP.OfProject, s.Tools.OfProject = to.projects.MCPServers, to.projects.Tools.Discovery
	project := ""
	if o.Trusted {
		project = o.ProjectDir
	}
	if s.Tools.OfProject != (Discovery{}) {
		s.Tools.OfProject.Folder = project
	}
	if o.Extend != nil {
		to.warnings = append(to.warnings, o.Extend(&s, project)...)
	}
	return s, to.warnings, failures
}

// layers reads the texts of all existing layers, weakest first.
func (o Options) layers() (layers []layer) {
	add := func(l layer, err error) {
		if !errors.Is(err, fs.ErrNotExist) {
			l.broken = err
			layers = append(layers, l)
		}
	}

	add(o.systemLayer("system-defaults.json"))
	add(o.fileLayer(o.Paths.Config, "settings.json"))
	if o.Trusted && o.ProjectDir != "" {
		if !o.isHome(o.ProjectDir) { // what is there is Gemini CLI's for its user, and no project's
			l, err := projectLayer(o.ProjectDir, own.Gemini)
			l.foreign = true
			add(l, err)
		}
		add(projectLayer(o.ProjectDir, own.Emendo))
	}
	if len(o.Editor) > 0 {
		add(layer{name: editorLayer, text: o.Editor, env: o.Env}, nil)
	}
	if o.Trusted && len(o.Configuration) > 0 {
		add(layer{name: "the editor's configuration", text: o.Configuration, project: true, dir: o.ProjectDir, origin: OfProject, foreign: true}, nil)
	}
	add(o.systemLayer("settings.json"))
	if o.Env != nil {
		for _, variable := range []string{"GEMINI_MODEL", "EMENDO_MODEL"} { // the stronger one last
			if name := o.Env(variable); name != "" {
				add(valuesLayer("environment variable "+variable, map[string]any{"model.name": name}))
			}
		}
	}
	if len(o.Flags) > 0 {
		add(valuesLayer("command line", o.Flags))
	}
	return layers
}

// isHome reports whether a folder is the user's home.
func (o Options) isHome(folder string) bool {
	if o.Env == nil {
		return false
	}
	for _, variable := range []string{"HOME", "USERPROFILE"} {
		if home := o.Env(variable); home != "" && filepath.Clean(home) == filepath.Clean(folder) {
			return true
		}
	}
	return false
}

func (o Options) fileLayer(folder, name string) (layer, error) {
	if folder == "" {
		return layer{}, fs.ErrNotExist
	}
	path := filepath.Join(folder, name)
	text, err := readFile(path, anywhere{}, path)
	return layer{name: path, text: text, env: o.Env}, err
}

// systemLayer reads one of the administrator's layers.
func (o Options) systemLayer(name string) (layer, error) {
	l, err := o.fileLayer(o.Paths.System, name)
	l.origin = OfSystem
	return l, err
}

// projectLayer reads a project's settings without following a link out of it.
func projectLayer(project, folder string) (layer, error) {
	root, err := os.OpenRoot(project)
	if err != nil {
		return layer{}, fs.ErrNotExist // the project's folder is for others to report
	}
	defer root.Close()
	name := filepath.Join(folder, "settings.json")
	path := filepath.Join(project, name)
	text, err := readFile(path, root, name)
	return layer{name: path, text: text, project: true, dir: project, origin: OfProject}, err
}

func valuesLayer(name string, values map[string]any) (layer, error) {
	text, err := json.Marshal(values)
	if err != nil {
		return layer{}, &FileError{File: name, What: err.Error()}
	}
	return layer{name: name, text: text}, nil
}

// files provides settings files: an [os.Root], or [anywhere].
type files interface {
	Stat(name string) (fs.FileInfo, error)
	OpenFile(name string, flag int, perm fs.FileMode) (*os.File, error)
}

// anywhere follows links to any place.
type anywhere struct{}

func (anywhere) Stat(name string) (fs.FileInfo, error) { return os.Stat(name) }

func (anywhere) OpenFile(name string, flag int, perm fs.FileMode) (*os.File, error) {
	return os.OpenFile(name, flag, perm)
}

// readFile returns the content of a small regular file; path is its name in errors.
// It checks before it opens, because opening a device may have effects, and does
// not wait for the writer of a pipe that has replaced the file since.
func readFile(path string, from files, name string) ([]byte, error) {
	info, err := from.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	failed := func(what string) ([]byte, error) { return nil, &FileError{File: path, What: what} }
	if err != nil {
		return failed("cannot be read: " + cause(err))
	}
	if !info.Mode().IsRegular() {
		return failed("cannot be read: it is no regular file")
	}
	file, err := from.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return failed("cannot be read: " + cause(err))
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err != nil {
		return failed("cannot be read: " + cause(err))
	}
	if len(text) > maxFile {
		return failed(fmt.Sprintf("is larger than %d bytes, which no settings file is", maxFile))
	}
	return text, nil
}

// cause returns the system's error without the path.
func cause(err error) string {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err.Error()
	}
	return err.Error()
}

// apply sets the values of a layer, or none if it returns an error.
func (to *loaded) apply(l layer) error {
	r, broken := read(l.text, l.project, l.env)
	if len(r.bad) > 0 && !l.foreign {
		broken = &r.bad[0]
	}
	if broken != nil {
		e := l.errorAt(*broken)
		return &e
	}
	warned := slices.Concat(r.bad, r.kept)
	if !l.foreign {
		warned = slices.Concat(warned, r.unknown, r.old)
	}
	for _, m := range warned {
		to.warnings = append(to.warnings, Warning(l.errorAt(m)))
	}
	for _, f := range r.found {
		to.set(f, l)
	}
	return nil
}

// set sets a value of a layer, as far as a project may.
func (to *loaded) set(f found, l layer) {
	d := f.setting
	ignore := func(format string, args ...any) {
		to.warnings = append(to.warnings, Warning(l.errorAt(mistake{f.offset, fmt.Sprintf(format, args...)})))
	}
	switch {
	case d.key == "model.name" && !l.project:
		to.settings.Model.Own = ""
	case d.key == "model.name" && to.settings.Model.Own == "":
		to.settings.Model.Own = to.settings.Model.Name
	case d.firm && !l.project:
		to.firm[d.key] = true
	case d.firm && to.firm[d.key]:
		ignore("%q is ignored: it is set elsewhere, and a project does not change that", d.key)
		return
	case l.project && d.projects != "" && f.value != d.projects:
		ignore("%q is ignored: a project sets it only to %q", d.key, d.projects)
		return
	case l.project && d.folders:
		inside, outside := l.inside(f.value.([]string))
		for _, folder := range outside {
			ignore("%q in %q is ignored: a project does not take in folders outside of it; name it in your own settings", folder, d.key)
		}
		f.value = inside
	}
	s := &to.settings
	if d.apart && (l.origin == OfProject || l.origin == OfExtension) {
		s = &to.projects
	}
	if field, ok := d.field(s).(adding); ok {
		field.add(f.value.(jsontext.Value), l)
		return
	}
	d.assign(s, f.value)
}

// inside separates the folders inside the project from those outside, with links
// resolved. It makes those inside absolute.
func (l layer) inside(list []string) (inside, outside []string) {
	project, err := filepath.EvalSymlinks(l.dir)
	if err != nil {
		return nil, list
	}
	for _, folder := range list {
		path := folder
		if !filepath.IsAbs(path) {
			path = filepath.Join(project, path)
		}
		real, err := filepath.EvalSymlinks(path)
		if err != nil || !paths.Within(real, project) {
			outside = append(outside, folder)
			continue
		}
		inside = append(inside, real)
	}
	return inside, outside
}

// errorAt returns the position of a mistake in the layer. Layers made from values have no
// lines.
func (l layer) errorAt(m mistake) FileError {
	e := FileError{File: l.name, What: m.what}
	if filepath.IsAbs(l.name) {
		e.Line, e.Column = position(l.text, m.offset)
	}
	return e
}
