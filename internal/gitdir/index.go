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

	"github.com/emendo-dev/emendo/internal/paths"
)

// An Entry is one file of an index.
type Entry struct {
	Path string // relative to the work tree, with slashes
	Mode uint32
	Hash []byte // of the file's content; must not be retained
}

// Submodule is the mode of an entry that is a submodule.
const Submodule = 0o160000

// mostIndex limits the size of an index, in bytes.
const mostIndex = 512 << 20

// Index calls each for the entries of a repository's index, including those of
// a shared index. A new repository has none.
func (r Repository) Index(each func(Entry)) error {
	size := 20
	for _, s := range Settings(filepath.Join(r.Common, "config")) {
		if s.Name() == "extensions.objectformat" && strings.EqualFold(s.Value, "sha256") {
			size = 32
		}
	}
	path := filepath.Join(r.Git, "index")
	nameless := false
	base, err := readIndex(path, size, func(e Entry) {
		nameless = nameless || e.Path == "" && e.Mode == Submodule
		each(e)
	})
	if err != nil || base == "" {
		return err
	}
	if nameless { // which entry of the shared index it replaces is not determined
		return fmt.Errorf("read %s: %w", path, errIndex)
	}
	_, err = readIndex(filepath.Join(r.Git, "sharedindex."+base), size, each)
	return err
}

var errIndex = errors.New("it is not a git index")

// readIndex reads the entries of one file and returns the hash of its shared
// index, if any.
func readIndex(path string, size int, each func(Entry)) (base string, err error) {
	b, err := paths.ReadRegular(path, mostIndex+1)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return "", nil
	case errors.Is(err, paths.ErrNotRegular), len(b) > mostIndex:
		return "", fmt.Errorf("read %s: %w", path, errIndex)
	case err != nil:
		return "", err
	}
	if base, ok := parseIndex(b, size, each); ok {
		return base, nil
	}
	return "", fmt.Errorf("read %s: %w", path, errIndex)
}

// Bytes before an entry's hash, the flag of an entry with extended flags, and
// the largest path length that the flags can hold.
const (
	beforeHash = 40
	atMode     = 24
	extended   = 0x4000
	nameLength = 0x0fff
)

func parseIndex(b []byte, size int, each func(Entry)) (base string, ok bool) {
	if len(b) < 12+size || string(b[:4]) != "DIRC" {
		return "", false
	}
	version, count := binary.BigEndian.Uint32(b[4:]), binary.BigEndian.Uint32(b[8:])
	if version < 2 || version > 4 {
		return "", false
	}
	end, ok := parseEntries(b, 12, version, count, size, each)
	if !ok || !endsAt(b, end, size) {
		return "", false
	}
	for rest := b[end:]; len(rest) >= 8+size; { // extensions: name, length, content
		n := int(binary.BigEndian.Uint32(rest[4:]))
		if n < 0 || len(rest) < 8+n {
			return "", false
		}
		switch text := rest[8 : 8+n]; string(rest[:4]) {
		case "link":
			if len(text) >= size {
				base = hex.EncodeToString(text[:size])
			}
		case "IEOT": // git reads the entries in several threads, each from an offset
			for text = text[min(4, n):]; len(text) >= 8; text = text[8:] {
				if _, ok := parseEntries(b, int(binary.BigEndian.Uint32(text)), version, binary.BigEndian.Uint32(text[4:]), size, each); !ok {
					return "", false
				}
			}
		}
		rest = rest[8+n:]
	}
	return base, true
}

// endsAt reports whether an index is right about where its entries end: git
// looks for extensions there.
func endsAt(b []byte, end, size int) bool {
	at := len(b) - size - (4 + 4 + 4 + size)
	if at < end || string(b[at:at+4]) != "EOIE" {
		return true
	}
	return int(binary.BigEndian.Uint32(b[at+8:])) == end
}

// parseEntries parses entries from an offset and returns where they end.
func parseEntries(b []byte, from int, version, count uint32, size int, each func(Entry)) (end int, ok bool) {
	if from < 0 || from > len(b) {
		return 0, false
	}
	all := len(b)
	b = b[from:]
	var path []byte
	for n := range count {
		fixed := beforeHash + size + 2
		if len(b) < fixed {
			return 0, false
		}
		e := Entry{Mode: binary.BigEndian.Uint32(b[atMode:]), Hash: b[beforeHash : beforeHash+size]}
		flags := binary.BigEndian.Uint16(b[beforeHash+size:])
		if flags&extended != 0 {
			fixed += 2
		}
		if len(b) < fixed {
			return 0, false
		}
		at := fixed
		if version == 4 { // the path shares a prefix with the one before
			strip, length := offset(b[at:])
			if length == 0 || strip > len(path) && n > 0 {
				return 0, false
			}
			at, path = at+length, path[:max(0, len(path)-strip)]
		} else {
			path = path[:0]
		}
		ends := bytes.IndexByte(b[at:], 0)
		if ends < 0 {
			return 0, false
		}
		path = append(path, b[at:at+ends]...)
		if said := int(flags & nameLength); said < nameLength && said != len(path) { // git uses it
			return 0, false
		}
		next := at + ends + 1
		if version < 4 { // padded to eight bytes
			next = (at + ends + 8) &^ 7
		}
		if next > len(b) {
			return 0, false
		}
		e.Path = string(path)
		each(e)
		b = b[next:]
	}
	return all - len(b), true
}

// offset reads a number in git's variable-length encoding.
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
