package policy

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
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

// A Source reads rules again whenever their files have changed. It is safe for
// concurrent use.
type Source struct {
	mu   sync.Mutex
	read map[string]reading // by file
}

// A reading is the result of parsing a file.
type reading struct {
	tier     Tier
	text     []byte
	rules    []*Rule
	warnings []Warning
	mistake  *FileError
}

// Read returns an engine of the current rules, and the problems with their
// files, one line each: ignored files first.
func (s *Source) Read(p Places) (*Engine, []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := collector{before: s.read, now: map[string]reading{}}
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
	s.read = c.now
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
	before, now map[string]reading
	rules       []*Rule
	warnings    []Warning
	broken      []*FileError
}

func (c *collector) fail(file string, err error) {
	c.broken = append(c.broken, &FileError{File: file, What: err.Error()})
}

// extra reads a file or directory from the command line, which must exist.
func (c *collector) extra(path string) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		c.fail(path, cause(err))
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
		c.fail(dir, cause(err))
		return
	}
	entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool {
		return !strings.HasSuffix(e.Name(), ".toml") || strings.HasPrefix(e.Name(), ".") || e.IsDir()
	})
	if len(entries) > maxFiles {
		c.fail(dir, fmt.Errorf("there are %d policy files; the limit is %d", len(entries), maxFiles))
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
		c.fail(path, cause(err))
		return
	}
	r, ok := c.before[path]
	if !ok || r.tier != tier || !bytes.Equal(r.text, text) {
		r = reading{tier: tier, text: text}
		r.rules, r.warnings, r.mistake = reader{file: path, tier: tier, answers: answers}.read(text)
	}
	c.now[path] = r
	c.rules, c.warnings = append(c.rules, r.rules...), append(c.warnings, r.warnings...)
	switch {
	case r.mistake == nil:
	case answers && !mayDeny(text): // without them everything is asked about again
		c.warnings = append(c.warnings, Warning(*r.mistake))
	default:
		c.broken = append(c.broken, r.mistake)
	}
}

// readFile reads a policy file. It checks the file before opening it, because
// opening a pipe would block.
func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is not a regular file")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // nothing was written
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
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
