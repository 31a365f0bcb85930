package client

import (
	"path/filepath"

	"github.com/emendo-dev/emendo/internal/paths"
)

// Near returns a path relative to the folder of the workspace that it is in, with the folder's
// name where there are several.
func (c *Client) Near(path string) string {
	open := c.Workspace.Snapshot().Tree().Folders()
	for _, folder := range open {
		if rel, ok := paths.CutFolder(path, folder); ok {
			if len(open) > 1 {
				return filepath.Join(filepath.Base(folder), rel)
			}
			return rel
		}
	}
	return path
}
