package settings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

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

// Edit changes a settings file of emendo, which need not exist, by the patches that
// change returns; none leave it as it is. Everything else in it stays as it is.
func Edit(path string, change func(hujson.Value) ([]Patch, error)) error {
	text, err := os.ReadFile(path)
	mode := fs.FileMode(0o600)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	default:
		if info, err := os.Stat(path); err == nil {
			mode = info.Mode().Perm()
		}
	}
	empty := len(bytes.TrimSpace(text)) == 0
	if empty {
		text = []byte("{}\n")
	}
	root, err := hujson.Parse(text)
	if err != nil {
		return fmt.Errorf("%s: not valid JSON: %s", path, strings.TrimPrefix(err.Error(), "hujson: "))
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
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	temp, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	_, err = temp.Write(root.Pack())
	if err = errors.Join(err, temp.Chmod(mode), temp.Sync(), temp.Close()); err == nil {
		err = os.Rename(temp.Name(), path)
	}
	if err != nil {
		err = errors.Join(err, os.Remove(temp.Name()))
	}
	return err
}
