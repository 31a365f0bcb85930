package gitdir

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// An Entry is one file of an index.
type Entry struct {
	Path string // relative to the work tree, with slashes
	Mode uint32
	Hash []byte // of the file's content; shared, not to be kept
}

// Submodule is the mode of an entry that is a repository of its own.
const Submodule = 0o160000

// mostIndex bounds the index that is read, in bytes.
const mostIndex = 512 << 20

// Index calls each for the entries of a repository's index, those of the shared
// index that it builds upon included. There are none before the first one is added.
func (r Repository) Index(each func(Entry)) error {
	size := 20
	for _, s := range Settings(filepath.Join(r.Common, "config")) {
		if s.Name() == "extensions.objectformat" && strings.EqualFold(s.Value, "sha256") {
			size = 32
		}
	}
	rest, err := readIndex(filepath.Join(r.Git, "index"), size, each)
	if err != nil {
		return err
	}
	for len(rest) >= 8+size { // extensions: a name, a length, and what it says
		n := int(binary.BigEndian.Uint32(rest[4:]))
		if n < 0 || len(rest) < 8+n {
			break
		}
		if base := rest[8 : 8+n]; string(rest[:4]) == "link" && len(base) >= size {
			if _, err := readIndex(filepath.Join(r.Git, "sharedindex."+hex.EncodeToString(base[:size])), size, each); err != nil {
				return err
			}
		}
		rest = rest[8+n:]
	}
	return nil
}

var errIndex = errors.New("it is not an index of git's")

// readIndex reads the entries of one file and returns what follows them.
func readIndex(path string, size int, each func(Entry)) (rest []byte, err error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > mostIndex {
		return nil, fmt.Errorf("read %s: %w", path, errIndex)
	}
	b := make([]byte, info.Size())
	if _, err := f.ReadAt(b, 0); err != nil && len(b) > 0 {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	if rest, ok := parseIndex(b, size, each); ok {
		return rest, nil
	}
	return nil, fmt.Errorf("read %s: %w", path, errIndex)
}

// What stands before an entry's hash, and the flag of one with more flags.
const (
	beforeHash = 40
	atMode     = 24
	extended   = 0x4000
)

func parseIndex(b []byte, size int, each func(Entry)) (rest []byte, ok bool) {
	if len(b) < 12 || string(b[:4]) != "DIRC" {
		return nil, false
	}
	version, count := binary.BigEndian.Uint32(b[4:]), binary.BigEndian.Uint32(b[8:])
	if version < 2 || version > 4 {
		return nil, false
	}
	b = b[12:]
	var path []byte
	for range count {
		fixed := beforeHash + size + 2
		if len(b) < fixed {
			return nil, false
		}
		e := Entry{Mode: binary.BigEndian.Uint32(b[atMode:]), Hash: b[beforeHash : beforeHash+size]}
		if binary.BigEndian.Uint16(b[beforeHash+size:])&extended != 0 {
			fixed += 2
		}
		if len(b) < fixed {
			return nil, false
		}
		at := fixed
		if version == 4 { // the path is what the one before begins with, and more
			strip, n := offset(b[at:])
			if n == 0 || strip > len(path) {
				return nil, false
			}
			at, path = at+n, path[:len(path)-strip]
		} else {
			path = path[:0]
		}
		end := bytes.IndexByte(b[at:], 0)
		if end < 0 {
			return nil, false
		}
		path = append(path, b[at:at+end]...)
		next := at + end + 1
		if version < 4 { // padded to eight bytes
			next = (at + end + 8) &^ 7
		}
		if next > len(b) {
			return nil, false
		}
		e.Path = string(path)
		each(e)
		b = b[next:]
	}
	return b, true
}

// offset reads a number as git writes those of variable length.
func offset(b []byte) (value, n int) {
	for n < len(b) && n < 5 {
		c := b[n]
		value |= int(c & 0x7f)
		n++
		if c&0x80 == 0 {
			return value, n
		}
		value = (value + 1) << 7
	}
	return 0, 0
}
