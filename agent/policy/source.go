package policy

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/internal/paths"
)

// Places are the locations of rules. In a directory, all files ending in
// .toml are read.
type Places struct {
	Admin    string   // the administrator's directory
	User     string   // the user's directory
	Extra    []string // further files and directories of the user, which must exist
	Projects []string // directories of trusted projects
	Answers  []string // files of answers that apply in the session's directory
}

const (
	maxFile  = 1 << 20 // bytes
	maxFiles = 200     // per directory
)

// SavedFile is the file in the user's directory for answers that apply
// everywhere.
const SavedFile = "auto-saved.toml"

// Read returns an engine of the current rules, and the problems with their
// files, one line each: ignored files first.
func Read(p Places) (*Engine, []string) {
	var c collector
	c.folder(p.Admin, OfAdmin)
	c.folder(p.User, OfUser)
	for _, path := range p.Extra {
		c.extra(path)
	}
	for _, dir := range p.Projects {
		c.folder(dir, OfProject)
	}
	for _, file := range p.Answers {
		c.file(file, OfUser, true)
	}
	var problems []string
	for _, e := range c.broken {
		problems = append(problems, e.Error())
	}
	for _, w := range c.warnings {
		problems = append(problems, w.String())
	}
	return New(c.rules, c.broken), problems
}

// A collector collects the rules of the files.
type collector struct {
	rules    []*Rule
	warnings []Warning
	broken   []*FileError
}

func (c *collector) addError(file string, err error) {
	c.broken = append(c.broken, &FileError{File: file, What: err.Error()})
}

// extra reads a file or directory from the command line, which must exist.
func (c *collector) extra(path string) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		c.addError(path, cause(err))
	case info.IsDir():
		c.folder(path, OfUser)
	default:
		c.file(path, OfUser, false)
	}
}

// folder reads the files of a directory in the order of their names. A missing
// directory has none.
func (c *collector) folder(dir string, tier Tier) {
	if dir == "" {
		return
	}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err == nil && tier == OfAdmin {
		err = checkAdmin(dir)
	}
	if err != nil {
		c.addError(dir, cause(err))
		return
	}
	entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool {
		return !strings.HasSuffix(e.Name(), ".toml") || strings.HasPrefix(e.Name(), ".") || e.IsDir()
	})
	if len(entries) > maxFiles {
		c.addError(dir, fmt.Errorf("there are %d policy files; the limit is %d", len(entries), maxFiles))
		return
	}
	for _, e := range entries {
		c.file(filepath.Join(dir, e.Name()), tier, tier == OfUser && e.Name() == SavedFile)
	}
}

func (c *collector) file(path string, tier Tier, answers bool) {
	text, err := readFile(path)
	if errors.Is(err, fs.ErrNotExist) && answers {
		return // no answers yet
	}
	if err == nil && tier == OfAdmin {
		err = checkAdmin(path)
	}
	if err != nil {
		c.addError(path, cause(err))
		return
	}
	rules, warnings, mistake := reader{file: path, tier: tier, answers: answers}.read(text)
	c.rules, c.warnings = append(c.rules, rules...), append(c.warnings, warnings...)
	switch {
	case mistake == nil:
	case answers && !mayDeny(text): // without them everything is asked about again
		c.warnings = append(c.warnings, Warning(*mistake))
	default:
		c.broken = append(c.broken, mistake)
	}
}

// readFile reads a policy file.
func readFile(path string) ([]byte, error) {
	text, err := paths.ReadRegular(path, maxFile+1)
	if err == nil && len(text) > maxFile {
		err = fmt.Errorf("it is larger than %d bytes", maxFile)
	}
	return text, err
}

// cause returns an error without the path, which is printed beside it.
func cause(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}
