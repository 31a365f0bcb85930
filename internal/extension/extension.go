// Package extension finds extensions in the format of Gemini CLI and reads what they
// bring: MCP servers, hooks, context files, tools that they exclude, and folders of
// commands, skills and agents. It only reads, so it is safe for untrusted folders. It
// does not know trust or approvals, which its callers check before anything is used.
package extension

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/internal/own"
	"github.com/emendo-dev/emendo/internal/paths"
	"github.com/emendo-dev/emendo/internal/settings"
	"github.com/emendo-dev/emendo/internal/visible"
)

// An Extension is one installed extension.
type Extension struct {
	Name        string
	Version     string
	Description string
	Dir         string // absolute
	File        string // its manifest, absolute
	// Project is the folder of the project that has it; empty if the user does.
	Project string
	// Source is where it was installed from; empty if that is not known.
	Source string

	Servers settings.MCPServers // with the variables of extensions replaced
	Hooks   settings.Hooks      // likewise
	Context []string            // existing context files, relative to Dir
	Exclude []string            // tools that it excludes, as in tools.exclude

	// Off says why it is not used: "disabled", or the manifest that hides it. Empty: it
	// is used.
	Off string
	// Problems are the parts that cannot be read, one each.
	Problems []settings.Warning
}

// Used reports whether the extension is used.
func (e Extension) Used() bool { return e.Off == "" }

// Disabled is the [Extension.Off] of an extension that the user has disabled.
const Disabled = "disabled"

// FolderName is the name of the folder that holds extensions, in the folders of
// configuration of the user and of projects.
const FolderName = "extensions"

// manifestName is the name of the file that makes a folder an extension.
const manifestName = "gemini-extension.json"

// maxExtensions limits how many extensions of one folder are read.
const maxExtensions = 64

// Options of [Find].
type Options struct {
	Config string // folder of the user's configuration; empty: none
	Gemini string // folder of Gemini CLI's user settings; empty: none
	// Project is a folder whose extensions are found too; empty: none. It is also the
	// folder to which Gemini CLI's rules about enabled extensions apply.
	Project  string
	Disabled []string // names of extensions that are not used
}

// A List has the extensions that were found, sorted by name.
type List struct {
	Extensions []Extension
	// Problems are the folders that are not an extension although they should be.
	Problems []settings.Warning
}

// Find returns the installed extensions. Of several with one name the first of these
// is used: emendo's of the user, Gemini CLI's of the user, those of the project in
// .gemini and in .emendo.
func Find(o Options) List {
	var l List
	if o.Config != "" {
		l.add(place{dir: filepath.Join(o.Config, FolderName)}, o)
	}
	if o.Gemini != "" {
		dir := filepath.Join(o.Gemini, FolderName)
		l.add(place{dir: dir, gemini: true, rules: readRules(dir)}, o)
	}
	if o.Project != "" {
		for _, top := range own.Folders() {
			dir := filepath.Join(o.Project, top)
			if paths.Same(dir, o.Gemini) || paths.Same(dir, o.Config) { // the project is the user's home
				continue
			}
			l.add(place{dir: filepath.Join(dir, FolderName), project: o.Project, rel: top + "/" + FolderName}, o)
		}
	}
	slices.SortStableFunc(l.Extensions, func(a, b Extension) int { return cmp.Compare(a.Name, b.Name) })
	return l
}

// OfProject returns the extensions of a project, trusted or not. gemini is the folder
// of Gemini CLI's user settings, which is no project's.
func OfProject(folder, gemini string) List {
	l := Find(Options{Gemini: gemini, Project: folder})
	l.Extensions = slices.DeleteFunc(l.Extensions, func(e Extension) bool { return e.Project == "" })
	for i := range l.Extensions {
		l.Extensions[i].Off = ""
	}
	return l
}

// Used returns the extensions that are used.
func (l List) Used() []Extension {
	return slices.DeleteFunc(slices.Clone(l.Extensions), func(e Extension) bool { return !e.Used() })
}

// place is a folder with extensions.
type place struct {
	dir     string // absolute
	project string // whose it is; empty: the user's
	rel     string // dir in the project, slash-separated
	gemini  bool   // it is Gemini CLI's of the user
	rules   rules
}

// add adds the extensions of a folder.
func (l *List) add(p place, o Options) {
	root, err := p.open()
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			l.problem(p.dir, "cannot be read: "+err.Error())
		}
		return
	}
	defer root.Close()
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		l.problem(p.dir, "cannot be read: "+err.Error())
		return
	}
	n := 0
	for _, entry := range entries {
		name := entry.Name()
		if strings.HasPrefix(name, ".") || entry.Type().IsRegular() {
			continue
		}
		if n++; n > maxExtensions {
			l.problem(p.dir, fmt.Sprintf("has more than %d extensions; the others are ignored", maxExtensions))
			return
		}
		e, err := p.read(root, name)
		if err != nil {
			l.problem(filepath.Join(p.dir, name), err.Error())
			continue
		}
		i := slices.IndexFunc(l.Extensions, func(have Extension) bool { return have.Name == e.Name && have.Used() })
		switch {
		case slices.Contains(o.Disabled, e.Name), o.Project != "" && !p.rules.enabled(e.Name, o.Project):
			e.Off = Disabled
		case i >= 0:
			e.Off = "hidden by " + l.Extensions[i].File
		}
		l.Extensions = append(l.Extensions, e)
	}
}

func (l *List) problem(file, what string) {
	l.Problems = append(l.Problems, settings.Warning{File: file, What: "no extension: " + visible.OneLine(what)})
}

// open opens the folder. That of a project is opened without following a link out of
// the project.
func (p place) open() (*os.Root, error) {
	if p.project == "" {
		return os.OpenRoot(p.dir)
	}
	project, err := os.OpenRoot(p.project)
	if err != nil {
		return nil, err
	}
	defer project.Close()
	return project.OpenRoot(filepath.FromSlash(p.rel))
}

// read reads the extension in a folder of the place.
func (p place) read(root *os.Root, name string) (Extension, error) {
	var dir *os.Root
	var err error
	path := filepath.Join(p.dir, name)
	if p.project == "" { // the user may link to anywhere
		dir, err = os.OpenRoot(path)
	} else {
		dir, err = root.OpenRoot(name)
	}
	if err != nil {
		return Extension{}, err
	}
	defer func() { dir.Close() }()
	installed := readInstalled(dir)
	if p.gemini && installed.Type == "link" && filepath.IsAbs(installed.Source) {
		linked, err := os.OpenRoot(installed.Source)
		if err != nil {
			return Extension{}, fmt.Errorf("open what it links to: %w", err)
		}
		dir.Close()
		dir, path = linked, installed.Source
	}
	e := Extension{Dir: path, File: filepath.Join(path, manifestName), Project: p.project, Source: installed.Source}
	return e, e.read(dir)
}
