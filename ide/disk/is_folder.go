package disk

import "os"

// IsFolder reports whether path is a folder, or a link to one.
func IsFolder(path string) bool {
	i, err := os.Stat(path)
	return err == nil && i.IsDir()
}
