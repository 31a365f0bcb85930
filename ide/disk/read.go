package disk

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// The largest files that can be read and edited, in bytes.
const (
	ReadLimit = 10 << 20
	EditLimit = 50 << 20
)

// Text is a decoded file.
type Text struct {
	Text   string
	Format Format
	Hash   Hash
	Mode   fs.FileMode // the permissions
}

// Info describes a file.
type Info struct {
	fs.FileInfo
	Links uint64 // hard links
}

// Stat describes the file at p. It returns ErrMoved if the path has become a link
// since it was resolved.
func (t *Tree) Stat(p Path) (Info, error) {
	fi, err := t.lstat(p)
	if err == nil && fi.Mode()&fs.ModeSymlink != 0 {
		err = ErrMoved
	}
	if err != nil {
		return Info{}, fmt.Errorf("stat %s: %w", p.Abs, reason(err))
	}
	return Info{fi, ownerOf(fi).links}, nil
}

func (t *Tree) lstat(p Path) (fs.FileInfo, error) {
	dir, name, err := t.reach(p, false)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	return dir.Lstat(name)
}

// Entry is an entry of a folder. Links are not followed.
type Entry struct {
	Name string
	Type fs.FileMode // the bits of its type only
}

// List lists a folder in no particular order, as fast as possible.
func (t *Tree) List(p Path) ([]Entry, error) {
	l, err := t.list(p)
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", p.Abs, reason(err))
	}
	entries := make([]Entry, len(l))
	for i, e := range l {
		entries[i] = Entry{e.Name(), e.Type()}
	}
	return entries, nil
}

func (t *Tree) list(p Path) ([]fs.DirEntry, error) {
	r, err := t.root(p)
	if err != nil {
		return nil, err
	}
	f, err := r.direct.open(p.Rel, onlyFolders)
	if errors.Is(err, errors.ErrUnsupported) {
		return r.readDir(p.Rel)
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.ReadDir(-1)
}

// ReadDir lists a folder in no particular order, with details of its entries.
// Links are listed and not followed.
func (t *Tree) ReadDir(p Path) ([]fs.DirEntry, error) {
	r, err := t.root(p)
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", p.Abs, err)
	}
	l, err := r.readDir(p.Rel)
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", p.Abs, reason(err))
	}
	return l, nil
}

func (r *root) readDir(rel string) ([]fs.DirEntry, error) {
	dir, name, err := r.reach(rel, false)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	f, _, err := open(dir, name, listable)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.ReadDir(-1)
}

// Open opens a regular file for reading. It neither opens nor waits for anything
// else, such as a pipe or a device.
func (t *Tree) Open(p Path) (fs.File, error) {
	f, _, err := t.open(p)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", p.Abs, reason(err))
	}
	return f, nil
}

// ReadText reads and decodes a file of at most [ReadLimit] bytes.
func (t *Tree) ReadText(ctx context.Context, p Path) (Text, error) {
	return t.ReadTextLimit(ctx, p, ReadLimit)
}

// ReadTextLimit reads and decodes a file of at most limit bytes.
func (t *Tree) ReadTextLimit(ctx context.Context, p Path, limit int64) (Text, error) {
	data, mode, err := t.readBytes(ctx, p, limit)
	if err != nil {
		return Text{}, fmt.Errorf("read %s: %w", p.Abs, reason(err))
	}
	text, format, err := DecodeFile(p.Abs, data)
	if err != nil {
		return Text{}, fmt.Errorf("read %s: %w", p.Abs, err)
	}
	return Text{text, format, sha256.Sum256(data), mode}, nil
}

// ReadBytes reads a file of at most limit bytes. For a larger one it returns
// ErrTooLarge without reading it.
func (t *Tree) ReadBytes(ctx context.Context, p Path, limit int64) ([]byte, error) {
	data, _, err := t.readBytes(ctx, p, limit)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", p.Abs, reason(err))
	}
	return data, nil
}

// ReadInto is ReadBytes for reading many files. It reuses buf if the bytes fit and
// the system supports the fast path.
func (t *Tree) ReadInto(ctx context.Context, p Path, limit int64, buf []byte) ([]byte, error) {
	r, err := t.root(p)
	if err == nil {
		var data []byte
		if data, err = r.direct.read(p.Rel, limit, buf); err == nil {
			return data, nil
		}
	}
	if errors.Is(err, errors.ErrUnsupported) {
		return t.ReadBytes(ctx, p, limit)
	}
	return nil, fmt.Errorf("read %s: %w", p.Abs, reason(err))
}

func (t *Tree) readBytes(ctx context.Context, p Path, limit int64) ([]byte, fs.FileMode, error) {
	f, fi, err := t.open(p)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	if fi.Size() > limit {
		return nil, 0, fmt.Errorf("%w: %d bytes, the limit is %d", ErrTooLarge, fi.Size(), limit)
	}
	data := make([]byte, 0, fi.Size()+1) // one more, to read the end without growing
	for {
		if err := context.Cause(ctx); err != nil {
			return nil, 0, err
		}
		if len(data) == cap(data) {
			data = append(data, 0)[:len(data)]
		}
		n, err := f.Read(data[len(data):min(cap(data), len(data)+chunk)])
		data = data[:len(data)+n]
		if int64(len(data)) > limit { // the file grew meanwhile
			return nil, 0, fmt.Errorf("%w: more than %d bytes", ErrTooLarge, limit)
		}
		if err == io.EOF {
			return data, fi.Mode().Perm(), nil
		}
		if err != nil {
			return nil, 0, err
		}
	}
}

// chunk is how many bytes are read between two checks of the context.
const chunk = 1 << 20

// tries bounds the attempts to open a file that is replaced between being checked
// and being opened, as editors do when they save.
const tries = 5

func (t *Tree) open(p Path) (file, fs.FileInfo, error) {
	r, err := t.root(p)
	if err != nil {
		return nil, nil, err
	}
	return r.open(p.Rel)
}

// open opens a regular file, the fast way if the system has one.
func (r *root) open(rel string) (file, fs.FileInfo, error) {
	f, err := r.direct.open(rel, nonBlocking)
	if errors.Is(err, errors.ErrUnsupported) {
		return r.openByElement(rel)
	}
	if err != nil {
		return nil, nil, err
	}
	fi, err := f.Stat()
	if err == nil {
		err = regular(fi)
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, fi, nil
}

// openByElement opens a regular file by way of each folder that it is in.
func (r *root) openByElement(rel string) (f file, fi fs.FileInfo, err error) {
	dir, name, err := r.reach(rel, false)
	if err != nil {
		return nil, nil, err
	}
	defer dir.Close()
	return open(dir, name, regular)
}

// open opens an entry for reading if check accepts it. The entry is checked before,
// because opening a device may have an effect, and compared after, because it may
// have been replaced.
func open(dir folder, name string, check func(fs.FileInfo) error) (f file, fi fs.FileInfo, err error) {
	for range tries {
		var before fs.FileInfo
		if before, err = dir.Lstat(name); err != nil {
			return nil, nil, err
		}
		if err = check(before); err != nil {
			return nil, nil, err
		}
		if f, err = dir.OpenFile(name, os.O_RDONLY|nonBlocking, 0); err != nil {
			return nil, nil, err
		}
		fi, err = f.Stat()
		if err == nil && os.SameFile(before, fi) {
			return f, fi, nil
		}
		f.Close()
		if err != nil {
			return nil, nil, err
		}
		err = ErrMoved
	}
	return nil, nil, err
}

// hashOf returns the hash of a file of any size, and the zero Hash if there is no
// file.
func hashOf(ctx context.Context, dir folder, name string) (Hash, error) {
	f, _, err := open(dir, name, regular)
	if errors.Is(err, fs.ErrNotExist) {
		return Hash{}, nil
	}
	if err != nil {
		return Hash{}, err
	}
	defer f.Close()
	sum, buffer := sha256.New(), make([]byte, 64<<10)
	for {
		if err := context.Cause(ctx); err != nil {
			return Hash{}, err
		}
		n, err := f.Read(buffer)
		sum.Write(buffer[:n])
		if err == io.EOF {
			return Hash(sum.Sum(nil)), nil
		}
		if err != nil {
			return Hash{}, err
		}
	}
}
