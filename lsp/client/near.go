package client

import (
	"path/filepath"

	"github.com/emendo-dev/emendo/internal/paths"
)

// Near returns a path relative to the folder that it is in, with the folder's name where the
// editor has several open. Those that sessions have added, as for plans, do not count.
func (c *Client) Near(path string) string {
	for _, folder := range c.Workspace.Snapshot().Tree().Folders() {
		if rel, ok := paths.CutFolder(path, folder); ok {
			if c.Folders.AreSeveral() {
				return filepath.Join(filepath.Base(folder), rel)
			}
			return rel
		}
	}
	return path
}
