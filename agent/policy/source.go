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

// Places are where rules are kept. A folder's are its files that end in .toml.
type Places struct {
	Admin    string   // the administrator's folder
	User     string   // the user's folder
	Extra    []string // further files and folders of the user's, which must be there
	Projects []string // folders of projects that are trusted
	Answers  []string // files of answers that hold in the session's folder
}

const (
	maxFile  = 1 << 20 // bytes
	maxFiles = 200     // of one folder
)

// SavedFile is the file in the user's folder that holds the answers that reach
// everywhere.
const SavedFile = "auto-saved.toml"

// A Source reads rules again and again while their files change. It is safe for
// use by several goroutines.
type Source struct {
	mu   sync.Mutex
	read map[string]reading // by file
}

// reading is what a file's text came to.
type reading struct {
	tier     Tier
	text     []byte
	rules    []*Rule
	warnings []Warning
	mistake  *FileError
}

// Read gives the engine of what the files say now, and what is wrong with them,
// one line each: files that are not heeded first.
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
	var told []string
	for _, e := range c.broken {
		told = append(told, e.Error())
	}
	for _, w := range c.warnings {
		told = append(told, w.String())
	}
	return New(c.rules, c.broken), told
}

// collector gathers what the files say.
type collector struct {
	before, now map[string]reading
	rules       []*Rule
	warnings    []Warning
	broken      []*FileError
}

func (c *collector) fail(file string, err error) {
	c.broken = append(c.broken, &FileError{File: file, What: err.Error()})
}

// extra reads what the command line names: it must be there.
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

// folder reads the files of a folder in the order of their names; one that is
// not there has none.
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
		c.fail(dir, fmt.Errorf("there are %d policy files, and at most %d are read", len(entries), maxFiles))
		return
	}
	for _, e := range entries {
		c.file(filepath.Join(dir, e.Name()), tier, tier == OfUser && e.Name() == SavedFile)
	}
}

func (c *collector) file(path string, tier Tier, answers bool) {
	text, err := readFile(path)
	if errors.Is(err, fs.ErrNotExist) && answers {
		return // nobody has answered yet
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

// readFile reads a file of rules. It looks before it opens, because to open a
// pipe would wait for a writer.
func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is no regular file")
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

// cause is an error without the path, which is said beside it.
func cause(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}
