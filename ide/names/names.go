// Package names finds files and folders by what a user has typed of their names. It
// keeps a list of the names below each folder, which it brings up to date in the
// background, and ranks those that match. It does not look into files, and does not
// decide which of them may be shown.
package names

import "strings"

// Name is the name of a file or a folder.
type Name struct {
	Rel    string // slash-separated, from the folder of the list
	Folder bool

	lower string // Rel in lower case
	base  int    // offset of the last element of lower
}

// New returns a name by its slash-separated path.
func New(rel string, folder bool) Name {
	lower := strings.ToLower(rel)
	return Name{rel, folder, lower, strings.LastIndexByte(lower, '/') + 1}
}

// depth returns the number of folders in the path.
func (n *Name) depth() int { return strings.Count(n.lower[:n.base], "/") }
