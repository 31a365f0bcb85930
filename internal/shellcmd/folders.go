package shellcmd

import (
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// folders are where a command may run; none when that cannot be told.
type folders []string

// or is one of both.
func (f folders) or(g folders) folders {
	if slices.Equal(f, g) || len(f) == 0 {
		return f
	}
	if len(g) == 0 || len(f)+len(g) > maxFolders {
		return nil
	}
	both := slices.Clone(f)
	for _, dir := range g {
		if !slices.Contains(both, dir) {
			both = append(both, dir)
		}
	}
	return both
}

// maxFolders bounds how many folders are thought of at once.
const maxFolders = 8

// only is the one folder, empty when there may be several.
func (f folders) only() string {
	if len(f) == 1 {
		return f[0]
	}
	return ""
}

// paths returns the absolute paths that a name means in the folders, none when
// one of them cannot be told.
func (f folders) paths(name string) []string {
	if filepath.IsAbs(name) {
		f = folders{"/"}
	}
	var l []string
	for _, dir := range f {
		path := meant(dir, name)
		if path == "" {
			return nil
		}
		l = append(l, path)
	}
	return l
}

// meant returns the absolute path that a name means in dir. A name that goes up
// does so from where links lead, as the system has it; its last element stays as
// it is written, so that a rule can mean the link. Empty when the name leads
// nowhere.
func meant(dir, name string) string {
	if !strings.Contains(name, "..") {
		return filepath.Join(dir, name)
	}
	folder, last := name, ""
	if trimmed := strings.TrimRight(name, "/"); trimmed == name {
		i := strings.LastIndexByte(name, '/') + 1
		if l := name[i:]; l != "." && l != ".." {
			folder, last = name[:i], l
		}
	}
	at := follow(dir, folder)
	if at == "" {
		return ""
	}
	return filepath.Join(at, last)
}

// cd is where a change of folder leads.
func (c *call) cd() (yes, no folders) {
	args := c.words[1:]
	physical := false
	for len(args) > 0 && args[0].is("-P", "-L", "-e", "--") {
		physical = args[0].is("-P") || physical && !args[0].is("-L")
		args = args[1:]
	}
	if len(args) != 1 || !args[0].known || args[0].text == "" || args[0].is("-") || len(c.s.in) == 0 {
		return nil, c.s.in
	}
	for _, dir := range c.s.in {
		written := filepath.Join(dir, args[0].text)
		if filepath.IsAbs(args[0].text) {
			dir, written = "/", filepath.Clean(args[0].text)
		}
		to := follow(dir, args[0].text)
		if to == "" || to != written && !physical { // bash remembers the link: its ".." leads out of that
			return nil, c.s.in
		}
		yes = append(yes, to)
	}
	return yes, c.s.in
}

// moves says whether a command changes its folder on the way.
func moves(node syntax.Node) (found bool) {
	syntax.Walk(node, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.CallExpr); ok && len(c.Args) > 0 {
			name, known := literal(c.Args[0])
			found = found || !known || movers[name]
		}
		return !found
	})
	return found
}

// movers are the builtins that change the shell's folder, or run one that may.
var movers = set("cd pushd popd . source builtin command eval")
