package trust

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/internal/paths"
	"github.com/emendo-dev/emendo/internal/private"
)

const (
	fileName = "trust.json"
	lockName = "trust.lock"
	version  = 1
	maxFile  = 4 << 20 // bytes
)

// A Folder is a trusted folder as it is stored. Device, File and Born identify
// it in the file system. Born distinguishes a new folder from an old one that
// had the same number; it is zero where the system does not report it.
type Folder struct {
	Path   string `json:"path"` // absolute, links resolved
	Device uint64 `json:"device,string"`
	File   uint64 `json:"file,string"`
	Born   int64  `json:"born,string"` // nanoseconds since 1970
}

// same reports whether f and g are the same folder, possibly by different
// paths.
func (f Folder) same(g Folder) bool {
	f.Path = g.Path
	return f == g
}

// A decision is one trusted folder.
type decision struct {
	Folder
	Below bool `json:"below,omitempty"` // all folders below it are trusted too
}

type document struct {
	Version  int        `json:"version"`
	Folders  []decision `json:"folders"`
	Approved []Approval `json:"approved,omitempty"`
}

func (s *Store) file() string { return filepath.Join(s.dir, fileName) }

// decided returns the stored decisions; none if there is no file.
func (s *Store) decided() (d document, err error) {
	info, err := os.Lstat(s.file())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return document{}, nil
	case err == nil && !info.Mode().IsRegular():
		err = errors.New("not a regular file")
	case err == nil:
		err = checkOwner(info)
	}
	var text []byte
	if err == nil {
		text, err = paths.ReadRegular(s.file(), maxFile+1)
	}
	if err == nil && len(text) > maxFile {
		err = fmt.Errorf("larger than %d bytes", maxFile)
	}
	if err == nil {
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.DisallowUnknownFields()
		err = decoder.Decode(&d)
	}
	if err == nil && d.Version != version {
		err = fmt.Errorf("unsupported version %d: want %d", d.Version, version)
	}
	if err != nil {
		return document{}, &UnreadableError{s.file(), err}
	}
	return d, nil
}

// An UnreadableError says that the decisions cannot be read, so no folder is
// trusted.
type UnreadableError struct {
	File string
	Err  error
}

func (e *UnreadableError) Error() string {
	return fmt.Sprintf("read folder trust: %s: %v; every folder is restricted until you fix or delete that file", e.File, e.Err)
}

// Unwrap returns the reason.
func (e *UnreadableError) Unwrap() error { return e.Err }

// change replaces the stored decisions by what edit returns, while holding the
// lock. A file that cannot be read stays as it is.
func (s *Store) change(edit func(document) document) error {
	unlock, err := private.Lock(filepath.Join(s.dir, lockName))
	if err != nil {
		return fmt.Errorf("lock folder trust: %w", err)
	}
	defer unlock()

	d, err := s.decided()
	if err != nil {
		return err
	}
	d = edit(d)
	d.Version = version
	slices.SortFunc(d.Folders, func(a, b decision) int { return strings.Compare(a.Path, b.Path) })
	slices.SortFunc(d.Approved, compareApprovals)
	text, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		return fmt.Errorf("write folder trust: %w", err)
	}
	if len(text) >= maxFile {
		return fmt.Errorf("write folder trust: more than %d bytes: remove folders with `emendo trust remove`", maxFile)
	}
	if err := private.Replace(s.file(), append(text, '\n')); err != nil {
		return fmt.Errorf("write folder trust: %w", err)
	}
	return nil
}

// identify returns the identity of dir.
func identify(dir string) (Folder, error) {
	path, err := filepath.Abs(dir)
	if err != nil {
		return Folder{}, err
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return Folder{}, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return Folder{}, err
	}
	if !info.IsDir() {
		return Folder{}, &fs.PathError{Op: "open folder", Path: path, Err: errors.New("not a folder")}
	}
	f, err := number(path)
	if err != nil {
		return Folder{}, err
	}
	f.Path = path
	return f, nil
}
