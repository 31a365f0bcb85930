package disk

import (
	"context"
	"crypto/sha256"
	"errors"
)

// Why a path is not served.
var (
	ErrOutside  = errors.New("the path is outside the workspace")
	ErrIsDir    = errors.New("the path is a folder")
	ErrNotFile  = errors.New("the path is no regular file")
	ErrBinary   = errors.New("the file is binary")
	ErrTooLarge = errors.New("the file is too large")
	ErrChanged  = errors.New("the file has changed on disk since it was read")
)

// Tree is the folders of a workspace.
type Tree struct {
	// filled in by the room's owner
}

// Path is a place in the tree.
type Path struct {
	Abs  string // absolute, links resolved
	Root string // the folder it is in, links resolved
	Rel  string // slash-separated, relative to Root; "." is Root itself
}

// Hash of a file's bytes.
type Hash [sha256.Size]byte

// Format is how a text is written as bytes.
type Format struct {
	Encoding string // "utf-8", "utf-16le", "utf-16be", "latin-1"; empty is utf-8
	BOM      bool
}

// Text is a decoded file.
type Text struct {
	Text   string
	Format Format
	Hash   Hash
}

// Resolve finds a path in the tree; the file need not exist.
func (t *Tree) Resolve(name string) (Path, error) { return Path{}, ErrOutside }

// ReadText reads and decodes a file.
func (t *Tree) ReadText(ctx context.Context, p Path) (Text, error) { return Text{}, ErrOutside }
