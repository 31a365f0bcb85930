package trust

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/internal/private"
)

const (
	fileName = "trust.json"
	lockName = "trust.lock"
	version  = 1
	maxFile  = 4 << 20 // bytes
)

// A folder is a trusted folder as it is stored. Device, File and Born identify
// it in the file system. Born distinguishes a new folder from an old one that
// had the same number; it is zero where the system does not report it.
type folder struct {
	Path   string `json:"path"` // absolute, links resolved
	Device uint64 `json:"device,string"`
	File   uint64 `json:"file,string"`
	Born   int64  `json:"born,string"` // nanoseconds since 1970
}

// same reports whether f and g are the same folder, possibly by different
// paths.
func (f folder) same(g folder) bool {
	f.Path = g.Path
	return f == g
}

// A decision is one trusted folder.
type decision struct {
	folder
	Below bool `json:"below,omitempty"` // all folders below it are trusted too
}

type document struct {
	Version  int        `json:"version"`
	Folders  []decision `json:"folders"`
	Approved []approval `json:"approved,omitempty"`
}

// A reading is the file's content when its status was info; info is nil if
// there was no file.
type reading struct {
	done     bool
	info     fs.FileInfo
	document // immutable
	err      error
}

// isOf reports whether the file is unchanged: every change replaces it by a new
// file.
func (r reading) isOf(info fs.FileInfo) bool {
	if r.info == nil || info == nil {
		return r.done && r.info == nil && info == nil
	}
	return os.SameFile(r.info, info) && r.info.ModTime().Equal(info.ModTime()) && r.info.Size() == info.Size() && r.info.Mode() == info.Mode()
}

func (s *Store) file() string { return filepath.Join(s.dir, fileName) }

// decided returns the stored decisions. It reads the file only if it has
// changed.
func (s *Store) decided() (document, error) {
	info, err := os.Lstat(s.file())
	if errors.Is(err, fs.ErrNotExist) {
		info, err = nil, nil
	}
	if err != nil {
		return document{}, unreadable(s.file(), err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.read.isOf(info) {
		s.read = reading{done: true, info: info}
		if info != nil {
			s.read.document, s.read.err = s.load(info)
		}
	}
	return s.read.document, s.read.err
}

func (s *Store) load(info fs.FileInfo) (document, error) {
	if !info.Mode().IsRegular() {
		return document{}, unreadable(s.file(), errors.New("not a regular file"))
	}
	if err := checkOwner(info); err != nil {
		return document{}, unreadable(s.file(), err)
	}
	f, err := os.Open(s.file())
	if err != nil {
		return document{}, unreadable(s.file(), err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return document{}, unreadable(s.file(), err)
	}
	if len(text) > maxFile {
		return document{}, unreadable(s.file(), fmt.Errorf("larger than %d bytes", maxFile))
	}
	var d document
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&d); err != nil {
		return document{}, unreadable(s.file(), err)
	}
	if d.Version != version {
		return document{}, unreadable(s.file(), fmt.Errorf("unsupported version %d: want %d", d.Version, version))
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

// unreadable returns err as an [UnreadableError] about file.
func unreadable(file string, err error) error {
	return &UnreadableError{file, err}
}

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
	d.Folders, d.Approved = slices.Clone(d.Folders), slices.Clone(d.Approved)
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

// without returns folders without the one at path.
func without(folders []decision, path string) []decision {
	return slices.DeleteFunc(slices.Clone(folders), func(f decision) bool { return f.Path == path })
}

// identify returns the identity of dir.
func identify(dir string) (folder, error) {
	path, err := filepath.Abs(dir)
	if err != nil {
		return folder{}, err
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return folder{}, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return folder{}, err
	}
	if !info.IsDir() {
		return folder{}, &fs.PathError{Op: "open folder", Path: path, Err: errors.New("not a folder")}
	}
	f, err := number(path)
	if err != nil {
		return folder{}, err
	}
	f.Path = path
	return f, nil
}
