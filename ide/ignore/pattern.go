package ignore

import "strings"

// pattern is one line of a file of rules.
type pattern struct {
	glob    string
	prefix  int  // bytes of glob before its first wildcard
	negated bool // takes back what an earlier pattern ignored
	folder  bool // of folders only
	base    bool // has no slash: of names, at any depth
	suffix  bool // a star and then no wildcard
}

// list is the patterns of one file, the last one first: it has the last word.
type list struct {
	patterns []pattern
	paths    bool // some pattern looks at more than the name
}

// parse reads a file of rules.
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

// trimSpaces takes spaces off the end, but for one that a backslash keeps.
func trimSpaces(line string) string {
	end := 0 // after the last byte that stays
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

// match says whether the pattern fits an entry: name is its last element, path
// the whole, from the folder that the file of rules is in.
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
	// What stands before the first wildcard is compared and then forgotten, so
	// that in "a**/b" the stars begin the pattern. So does git.
	rest, ok := strings.CutPrefix(path, p.glob[:p.prefix])
	if !ok {
		return false
	}
	return rest == "" && p.prefix == len(p.glob) || wildmatch(p.glob[p.prefix:], rest, true)
}
