package ignore

import "strings"

// pattern is one line of an ignore file.
type pattern struct {
	glob    string
	prefix  int  // bytes of glob before its first wildcard
	negated bool // re-includes what an earlier pattern ignored
	folder  bool // matches folders only
	base    bool // has no slash: matches names at any depth
	suffix  bool // is a star without another wildcard
}

// list holds the patterns of one file, last one first: the last match decides.
type list struct {
	patterns []pattern
	paths    bool // some pattern matches more than the name
}

// parse parses an ignore file.
func parse(text string) list {
	var l list
	text = strings.TrimPrefix(text, "\ufeff")
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSuffix(line, "\r")
		if i := strings.IndexByte(line, 0); i >= 0 {
			line = line[:i]
		}
		if p, ok := parseLine(line); ok {
			l.patterns = append(l.patterns, p)
			l.paths = l.paths || !p.base
		}
	}
	for i, j := 0, len(l.patterns)-1; i < j; i, j = i+1, j-1 {
		l.patterns[i], l.patterns[j] = l.patterns[j], l.patterns[i]
	}
	return l
}

func parseLine(line string) (pattern, bool) {
	if strings.HasPrefix(line, "#") {
		return pattern{}, false
	}
	var p pattern
	p.glob, p.negated = strings.CutPrefix(trimSpaces(line), "!")
	p.glob, p.folder = strings.CutSuffix(p.glob, "/")
	if p.glob == "" {
		return pattern{}, false
	}
	p.base = strings.IndexByte(p.glob, '/') < 0
	p.glob = strings.TrimPrefix(p.glob, "/")
	p.prefix = strings.IndexAny(p.glob, `*?[\`)
	if p.prefix < 0 {
		p.prefix = len(p.glob)
	}
	p.suffix = p.prefix == 0 && p.glob != "" && p.glob[0] == '*' && !strings.ContainsAny(p.glob[1:], `*?[\`)
	return p, true
}

// trimSpaces removes trailing spaces, except one that is escaped by a backslash.
func trimSpaces(line string) string {
	end := 0 // after the last byte that is kept
	for i := 0; i < len(line); i++ {
		if line[i] == ' ' {
			continue
		}
		if line[i] == '\\' {
			i++
		}
		end = i + 1
	}
	return line[:min(end, len(line))]
}

// match reports whether the pattern matches an entry. name is the last element of
// path, which is relative to the folder of the ignore file.
func (p *pattern) match(name, path string, isDir bool) bool {
	if p.folder && !isDir {
		return false
	}
	if p.base {
		switch {
		case p.prefix == len(p.glob):
			return name == p.glob
		case p.suffix:
			return strings.HasSuffix(name, p.glob[1:])
		}
		return wildmatch(p.glob, name, false)
	}
	// As in git, the text before the first wildcard is compared and then removed,
	// so that in "a**/b" the stars begin the pattern.
	rest, ok := strings.CutPrefix(path, p.glob[:p.prefix])
	if !ok {
		return false
	}
	return rest == "" && p.prefix == len(p.glob) || wildmatch(p.glob[p.prefix:], rest, true)
}
