// Package editorconfig reads from .editorconfig files what a project wants of the form
// of a file. It knows sections, and the two properties that emendo needs.
package editorconfig

import (
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/emendo-dev/emendo/internal/paths"
)

// Properties are those of one file, in lower case; empty: nothing is said.
type Properties struct {
	Charset   string // such as "utf-8", "utf-8-bom", "latin1" or "utf-16le"
	EndOfLine string // "lf", "crlf" or "cr"
}

// Limits of what is read: the size of a file in bytes, and the folders above a file.
const (
	mostBytes   = 64 << 10
	mostFolders = 64
)

// Of returns the properties of the file at an absolute path, which need not exist. The
// nearest .editorconfig counts, then those in the folders above it, up to one that says
// that it is the root.
func Of(path string) Properties {
	var p Properties
	dir := filepath.Dir(path)
	for range mostFolders {
		text, err := paths.ReadRegular(filepath.Join(dir, ".editorconfig"), mostBytes)
		rel, ok := paths.CutFolder(path, dir)
		if err == nil && ok {
			found, root := parse(string(text), filepath.ToSlash(rel))
			if p.Charset == "" {
				p.Charset = found.Charset
			}
			if p.EndOfLine == "" {
				p.EndOfLine = found.EndOfLine
			}
			if root {
				break
			}
		}
		if dir == filepath.Dir(dir) {
			break
		}
		dir = filepath.Dir(dir)
	}
	if p.Charset == "unset" {
		p.Charset = ""
	}
	if p.EndOfLine == "unset" {
		p.EndOfLine = ""
	}
	return p
}

// parse returns what the text of a file says about the path rel below its folder, and
// whether it is the root. Later sections count more.
func parse(text, rel string) (p Properties, root bool) {
	preamble, matches := true, false
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' || line[0] == ';' {
			continue
		}
		if section, ok := strings.CutPrefix(line, "["); ok {
			preamble = false
			end := strings.LastIndexByte(section, ']')
			matches = end > 0 && matchesGlob(section[:end], rel)
			continue
		}
		name, value, _ := strings.Cut(line, "=")
		name, value = strings.ToLower(strings.TrimSpace(name)), strings.ToLower(strings.TrimSpace(value))
		switch {
		case preamble && name == "root":
			root = value == "true"
		case matches && name == "charset":
			p.Charset = value
		case matches && name == "end_of_line":
			p.EndOfLine = value
		}
	}
	return p, root
}

// matchesGlob reports whether the glob of a section matches a path. One without a slash
// matches names in every folder.
func matchesGlob(glob, rel string) bool {
	if !strings.Contains(glob, "/") {
		glob = "**/" + glob
	}
	return doublestar.MatchUnvalidated(strings.TrimPrefix(glob, "/"), rel)
}
