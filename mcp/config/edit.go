package config

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

	"github.com/emendo-dev/emendo/internal/settings"
)

// ErrExists reports a server that is configured already.
var ErrExists = errors.New("a server of that name is configured already")

// Add adds a server to a settings file of emendo, which need not exist. Everything
// else in the file stays as it is.
func Add(path, name string, s settings.MCPServer) error {
	return edit(path, func(root hujson.Value) ([]patch, error) {
		if root.Find("/mcpServers/"+pointer(name)) != nil {
			return nil, ErrExists
		}
		var l []patch
		if root.Find("/mcpServers") == nil {
			l = append(l, patch{"add", "/mcpServers", map[string]any{}})
		}
		return append(l, patch{"add", "/mcpServers/" + pointer(name), s}), nil
	})
}

// Remove removes a server from a settings file of emendo. It reports whether it was
// there.
func Remove(path, name string) (removed bool, err error) {
	err = edit(path, func(root hujson.Value) ([]patch, error) {
		if removed = root.Find("/mcpServers/"+pointer(name)) != nil; !removed {
			return nil, nil
		}
		return []patch{{"remove", "/mcpServers/" + pointer(name), nil}}, nil
	})
	return removed && err == nil, err
}

// patch is an operation of RFC 6902.
type patch struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value,omitempty"`
}

// pointer returns a name as a part of a JSON pointer.
func pointer(name string) string { return strings.NewReplacer("~", "~0", "/", "~1").Replace(name) }

// edit changes a file by the patches that change returns; none leave it as it is.
func edit(path string, change func(hujson.Value) ([]patch, error)) error {
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
		return fmt.Errorf("%s: not valid JSON: %w", path, err)
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
