// Package proposed names to the model the files whose text has edits on which the user has
// not decided: tools read it with them, the editor and the disk are without.
package proposed

import (
	"fmt"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/internal/visible"
)

// Limits of a note.
const (
	mostNames = 20
	maxName   = 300 // characters
)

// Files returns those of the files, by absolute paths, whose text has proposed edits, and
// those that such edits remove, with the names that near returns for their paths; without
// paths, all of them.
func Files(s *ide.Snapshot, near func(path string) string, paths ...string) (names []string) {
	add := func(path string) {
		if path != "" && (len(paths) == 0 || slices.Contains(paths, path)) {
			names = append(names, near(path))
		}
	}
	for _, d := range s.Proposed() {
		add(d.Path)
	}
	for _, path := range s.AllGone() {
		add(path)
	}
	return names
}

// With is the note that what follows is of the text of these files with the edits.
func With(names []string) string {
	return "[With your proposed edits, on which the user has not decided; the editor and the disk are without them: " + Listed(names) + "]"
}

// Without is the note that what follows is of the editor's text of these files.
func Without(names []string) string {
	return "[Of the editor's text, which is without your proposed edits, on which the user has not decided: " + Listed(names) + "]"
}

// Listed joins names of files, the first twenty of many.
func Listed(names []string) string {
	var shown []string
	for _, name := range names[:min(len(names), mostNames)] {
		name, _ := visible.Clip(visible.OneLine(name), maxName)
		shown = append(shown, visible.Line(name))
	}
	if more := len(names) - len(shown); more > 0 {
		shown = append(shown, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(shown, ", ")
}
