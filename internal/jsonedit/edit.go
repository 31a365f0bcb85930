// Package jsonedit changes single values of the JSON files that users also edit by hand.
// Comments, order and layout of the rest stay as they are.
package jsonedit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"github.com/tailscale/hujson"
)

// A Patch is an operation of RFC 6902.
type Patch struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value,omitempty"`
}

// Pointer returns a name as a part of a JSON pointer.
func Pointer(name string) string { return strings.NewReplacer("~", "~0", "/", "~1").Replace(name) }

// changing is held from the reading of a file to its writing: of two changes none is lost.
var changing sync.Mutex

// ChangeFile changes the file at path, or that to which it links, by the patches that change
// returns. If there are none, it does not write. It creates a file that does not exist,
// for the user alone. Readers see the old text or the new one.
func ChangeFile(path string, change func(hujson.Value) ([]Patch, error)) error {
	changing.Lock()
	defer changing.Unlock()
	path, text, mode, err := read(path)
	if err != nil {
		return err
	}
	empty := len(bytes.TrimSpace(text)) == 0
	if empty {
		text = []byte("{}\n")
	}
	root, err := hujson.Parse(text)
	if err != nil {
		return fmt.Errorf("%s: invalid JSON: %s", path, strings.TrimPrefix(err.Error(), "hujson: "))
	}
	patches, err := change(root)
	if err != nil || len(patches) == 0 {
		return err
	}
	operations, err := json.Marshal(patches)
	if err != nil {
		return err
	}
	if err := root.Patch(operations); err != nil {
		return fmt.Errorf("change %s: %w", path, err)
	}
	if empty { // else the user has formatted it
		root.Format()
	}
	return replace(path, root.Pack(), mode)
}

// read returns the path of a file without symbolic links, its text and its permissions.
// A file that does not exist is empty.
func read(path string) (real string, text []byte, mode fs.FileMode, err error) {
	real, err = filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Lstat(path); err == nil {
			return "", nil, 0, fmt.Errorf("%s is a symbolic link to a file that does not exist", path)
		}
		return path, nil, 0o600, nil
	}
	if err != nil {
		return "", nil, 0, err
	}
	info, err := os.Stat(real)
	if err != nil {
		return "", nil, 0, err
	}
	if !info.Mode().IsRegular() {
		return "", nil, 0, fmt.Errorf("%s is not a regular file", path)
	}
	file, err := os.OpenFile(real, os.O_RDONLY|syscall.O_NONBLOCK, 0) // do not block if it has become a pipe
	if err != nil {
		return "", nil, 0, err
	}
	defer file.Close()
	text, err = io.ReadAll(file)
	return real, text, info.Mode().Perm(), err
}

func replace(path string, text []byte, mode fs.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	temp, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	_, err = temp.Write(text)
	if err = errors.Join(err, temp.Chmod(mode), temp.Sync(), temp.Close()); err == nil {
		err = os.Rename(temp.Name(), path)
	}
	if err != nil {
		err = errors.Join(err, os.Remove(temp.Name()))
	}
	return err
}
