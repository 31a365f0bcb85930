package extension

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/emendo-dev/emendo/internal/paths"
	"github.com/emendo-dev/emendo/internal/settings"
	"github.com/emendo-dev/emendo/internal/visible"
)

// Limits of what is read.
const (
	maxFile        = 256 << 10 // bytes
	maxContext     = 20        // context files
	maxDescription = 300       // characters
)

// goodName matches the names of extensions.
var goodName = regexp.MustCompile(`^[A-Za-z0-9-]+$`)

// manifest has the fields of a gemini-extension.json but the servers.
type manifest struct {
	Name        string          `json:"name"`
	Version     string          `json:"version"`
	Description string          `json:"description"`
	Context     json.RawMessage `json:"contextFileName"`
	Exclude     []string        `json:"excludeTools"`
	Settings    []variable      `json:"settings"`
}

// defaultContext is the context file of an extension that names none.
const defaultContext = "GEMINI.md"

// Read reads the extension in a folder of the user's. Its files are meant to be in the
// folder at, which the variables in it stand for.
func Read(dir, at string) (Extension, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return Extension{}, err
	}
	defer root.Close()
	e := Extension{Dir: at, File: filepath.Join(at, manifestName)}
	return e, e.read(root)
}

// read reads the files of an extension in its folder. The error says why it is none.
func (e *Extension) read(dir *os.Root) error {
	text, err := readFile(dir, manifestName)
	if errors.Is(err, fs.ErrNotExist) {
		return errors.New("it has no " + manifestName)
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", manifestName, err)
	}
	plain, err := hujson.Standardize(bytes.Clone(text))
	if err != nil {
		return fmt.Errorf("%s: not valid JSON: %s", manifestName, strings.TrimPrefix(err.Error(), "hujson: "))
	}
	var m manifest
	if err := json.Unmarshal(plain, &m); err != nil {
		return fmt.Errorf("%s: %s", manifestName, strings.TrimPrefix(err.Error(), "json: "))
	}
	switch {
	case len(m.Name) > 64, !goodName.MatchString(m.Name):
		return fmt.Errorf("%s: invalid name %.80q: want 1 to 64 letters, digits and -", manifestName, m.Name)
	case strings.TrimSpace(m.Version) == "":
		return fmt.Errorf("%s: version is missing", manifestName)
	}
	e.Name, e.Version = m.Name, visible.ShortLine(m.Version, 40)
	e.Description = visible.ShortLine(m.Description, maxDescription)
	e.Exclude = m.Exclude
	e.context(dir, m.Context)
	var wrong []settings.Warning
	_, e.Servers, wrong = settings.OfExtensionFile(e.File, text, e.Project)
	e.Problems = append(e.Problems, wrong...)
	e.hooks(dir)
	e.replaceVariables(e.values(dir, m.Settings))
	return nil
}

// hooks reads hooks/hooks.json.
func (e *Extension) hooks(dir *os.Root) {
	name := filepath.Join("hooks", "hooks.json")
	text, err := readFile(dir, name)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil {
		e.problem(name, "cannot be read: "+err.Error())
		return
	}
	var wrong []settings.Warning
	e.Hooks, _, wrong = settings.OfExtensionFile(filepath.Join(e.Dir, name), text, e.Project)
	e.Problems = append(e.Problems, wrong...)
	for _, list := range e.Hooks.ByEvent() {
		for i := range list {
			list[i].Extension = e.Name
			if e.Project == "" {
				list[i].Home = e.Dir
			}
		}
	}
}

// context finds the context files, which have to be inside the folder. Those that do
// not exist are left out.
func (e *Extension) context(dir *os.Root, named json.RawMessage) {
	names := []string{defaultContext}
	if len(named) > 0 && string(named) != "null" {
		var one string
		if json.Unmarshal(named, &one) == nil {
			names = []string{one}
		} else if err := json.Unmarshal(named, &names); err != nil {
			e.problem(manifestName, "contextFileName must be a string or a list of strings")
			return
		}
	}
	for _, name := range names {
		if len(e.Context) == maxContext {
			e.problem(manifestName, fmt.Sprintf("contextFileName has more than %d files; the others are ignored", maxContext))
			return
		}
		if !filepath.IsLocal(filepath.FromSlash(name)) {
			e.problem(manifestName, fmt.Sprintf("contextFileName %.80q is outside the extension", name))
			continue
		}
		if info, err := dir.Stat(filepath.FromSlash(name)); err == nil && info.Mode().IsRegular() {
			e.Context = append(e.Context, name)
		}
	}
}

func (e *Extension) problem(name, what string) {
	e.Problems = append(e.Problems, settings.Warning{File: filepath.Join(e.Dir, name), What: visible.OneLine(what)})
}

// installed is what Gemini CLI, and emendo, write down about an installation.
type installed struct {
	Source string `json:"source"`
	Type   string `json:"type"` // "local", "link", "git" …
}

const installedName = ".gemini-extension-install.json"

func readInstalled(dir *os.Root) (i installed) {
	if text, err := readFile(dir, installedName); err == nil {
		_ = json.Unmarshal(text, &i) // without it, the extension is still one
	}
	return i
}

// readFile reads a small regular file in a folder.
func readFile(root *os.Root, name string) ([]byte, error) { return paths.ReadIn(root, name, maxFile) }

// RecordSource writes down in an extension's folder that it was copied from source.
func RecordSource(dir, source string) error {
	text, err := json.Marshal(installed{Source: source, Type: "local"})
	if err != nil {
		return err
	}
	path := filepath.Join(dir, installedName)
	if err := os.RemoveAll(path); err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o600)
}
