package config

import (
	"errors"

	"github.com/tailscale/hujson"

	"github.com/emendo-dev/emendo/internal/jsonedit"
	"github.com/emendo-dev/emendo/internal/settings"
)

// ErrExists reports a server that is configured already.
var ErrExists = errors.New("a server of that name is configured already")

// Add adds a server to a settings file of emendo, which need not exist. Everything
// else in the file stays as it is.
func Add(path, name string, s settings.MCPServer) error {
	return jsonedit.ChangeFile(path, func(root hujson.Value) ([]jsonedit.Patch, error) {
		if root.Find("/mcpServers/"+jsonedit.Pointer(name)) != nil {
			return nil, ErrExists
		}
		var l []jsonedit.Patch
		if root.Find("/mcpServers") == nil {
			l = append(l, jsonedit.Patch{Op: "add", Path: "/mcpServers", Value: map[string]any{}})
		}
		return append(l, jsonedit.Patch{Op: "add", Path: "/mcpServers/" + jsonedit.Pointer(name), Value: s}), nil
	})
}

// Remove removes a server from a settings file of emendo. It reports whether it was
// there.
func Remove(path, name string) (removed bool, err error) {
	err = jsonedit.ChangeFile(path, func(root hujson.Value) ([]jsonedit.Patch, error) {
		if removed = root.Find("/mcpServers/"+jsonedit.Pointer(name)) != nil; !removed {
			return nil, nil
		}
		return []jsonedit.Patch{{Op: "remove", Path: "/mcpServers/" + jsonedit.Pointer(name)}}, nil
	})
	return removed && err == nil, err
}
