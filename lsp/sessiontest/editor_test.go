package sessiontest

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/idetest"
)

// uri returns the URI of a file of the workspace, or of a document that is not a
// file.
func (p *play) uri(name string) string {
	if strings.Contains(name, ":") {
		return name
	}
	return string(ide.FileURI(filepath.Join(p.dir, name)))
}

// name is the inverse of uri.
func (p *play) name(uri string) string {
	path := ide.ParseURI(uri).Path()
	if rel, err := filepath.Rel(p.dir, path); path != "" && err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return uri
}

// rewriteBuffer replaces the text of a buffer by one act of typing.
func rewriteBuffer(e *idetest.Editor, uri, text string) {
	old := e.Text(uri)
	a := 0
	for a < len(old) && a < len(text) && old[a] == text[a] {
		a++
	}
	a = strings.LastIndexByte(old[:a], '\n') + 1
	i, j := len(old), len(text)
	for i > a && j > a && old[i-1] == text[j-1] {
		i, j = i-1, j-1
	}
	if n := strings.IndexByte(old[i:], '\n'); n >= 0 && i > a { // whole lines
		i, j = i+n+1, j+n+1
	} else if n < 0 {
		i, j = len(old), len(text)
	}
	e.Type(uri, a, i, text[a:j])
}

// isSubstitution reports whether words are a substitution, not the name of a
// section.
func isSubstitution(words string) bool {
	return strings.HasPrefix(words, "s/") || strings.HasPrefix(words, "s|")
}

// substitute replaces the only occurrence that s/old/new/ names.
func substitute(e *idetest.Editor, uri, command string) error {
	parts := strings.Split(command, command[1:2])
	if len(parts) != 4 || parts[3] != "" {
		return fmt.Errorf("%q is no s/old/new/", command)
	}
	var old, text string
	for from, to := range map[string]*string{parts[1]: &old, parts[2]: &text} {
		s, err := strconv.Unquote(`"` + strings.ReplaceAll(from, `"`, `\"`) + `"`)
		if err != nil {
			return fmt.Errorf("%q: %w", command, err)
		}
		*to = s
	}
	now := e.Text(uri)
	if n := strings.Count(now, old); n != 1 {
		return fmt.Errorf("%q is in the text %d times", old, n)
	}
	i := strings.Index(now, old)
	e.Type(uri, i, i+len(old), text)
	return nil
}
