// Package names finds files and folders by what a user has typed of their names. It
// keeps a list of the names below each folder, which it brings up to date in the
// background, and ranks those that match. It does not look into files, and does not
// decide which of them may be shown.
package names

import (
	"strings"
	"unicode/utf8"
)

// Name is the name of a file or a folder.
type Name struct {
	Rel    string // slash-separated, from the folder of the list
	Folder bool

	lower   string // Rel in lower case
	base    int    // offset of the last element of lower
	letters letters
}

// New returns a name by its slash-separated path.
func New(rel string, folder bool) Name {
	lower := strings.ToLower(rel)
	return Name{rel, folder, lower, strings.LastIndexByte(lower, '/') + 1, lettersOf(lower)}
}

// depth returns the number of folders in the path.
func (n *Name) depth() int { return strings.Count(n.lower[:n.base], "/") }

// letters is a set of characters. A name can only match if it has all those of the
// query, which one comparison tells for most names.
type letters uint64

func lettersOf(s string) letters {
	var l letters
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z':
			l |= 1 << (c - 'a')
		case '0' <= c && c <= '9':
			l |= 1 << (26 + c - '0')
		case c >= utf8.RuneSelf:
			l |= 1 << 36
		}
	}
	return l
}

// containsAll reports whether l has all of o.
func (l letters) containsAll(o letters) bool { return l&o == o }
