package program

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/internal/secret"
)

// A reach is where a file name leads.
type reach int

// Where a name leads, from the least to the most restricted.
const (
	// InsideWorkspace is a file of the workspace that is not secret.
	InsideWorkspace  reach = iota
	insideSecret           // inside, but it holds or may hold secrets
	outsideWorkspace       // outside the workspace, or unknown
)

func (r reach) String() string {
	switch r {
	case InsideWorkspace:
		return "inside the workspace"
	case insideSecret:
		return "which may hold secrets"
	case outsideWorkspace:
		return "which may be outside the workspace"
	}
	panic("shellcmd: unknown reach")
}

// Reach returns where a name leads from each of the directories; the worst
// counts. Links are followed as they are now: this only decides when to ask,
// and the sandbox limits what the command can reach.
func (a *CommandLine) Reach(name string, in Folders) reach {
	switch {
	case name == "" || name == "-" || name == "/dev/null":
		return InsideWorkspace
	case secret.Named(name):
		return insideSecret
	case filepath.IsAbs(name):
		return a.leads("/", name)
	case len(in) == 0:
		return outsideWorkspace
	}
	worst := InsideWorkspace
	for _, dir := range in {
		worst = max(worst, a.leads(dir, name))
	}
	return worst
}

func (a *CommandLine) leads(dir, name string) reach {
	path := follow(dir, name)
	for _, root := range a.roots {
		if path == root || strings.HasPrefix(path, strings.TrimSuffix(root, "/")+"/") {
			if secret.Named(path[len(root):]) || secret.InFile(path) {
				return insideSecret
			}
			return InsideWorkspace
		}
	}
	return outsideWorkspace
}

// follow returns where a name leads from a directory, links followed. Elements
// that do not exist are kept as written.
func follow(dir, name string) string {
	path := dir
	for rest := name; rest != ""; {
		var element string
		element, rest, _ = strings.Cut(rest, "/")
		switch element {
		case "", ".":
			continue
		case "..":
			path = filepath.Dir(path)
			continue
		}
		path = filepath.Join(path, element)
		if info, err := os.Lstat(path); err == nil && info.Mode()&os.ModeSymlink != 0 {
			if to, err := filepath.EvalSymlinks(path); err == nil {
				path = to
			} else {
				return "" // a broken link or a loop
			}
		}
	}
	return path
}

// Folders holds the directories in which a command may run; empty if they are
// not known.
type Folders []string

// Union returns the union of both.
func (f Folders) Union(g Folders) Folders {
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

// maxFolders limits how many directories are tracked at once.
const maxFolders = 8

// Single returns the directory if there is exactly one, else the empty string.
func (f Folders) Single() string {
	if len(f) == 1 {
		return f[0]
	}
	return ""
}

// Paths returns the absolute paths that a name means in the directories; none
// if one of them is not known.
func (f Folders) Paths(name string) []string {
	if filepath.IsAbs(name) {
		f = Folders{"/"}
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

// meant returns the absolute path that a name means in dir, or the empty string
// if it leads nowhere. ".." is resolved from where links lead, as the system
// does. The last element is kept as written, so that a rule can name a link.
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

// changeFolder returns where a change of directory leads.
func (c *Call) changeFolder() (yes, no Folders) {
	args := c.words[1:]
	physical := false
	for len(args) > 0 && args[0].Is("-P", "-L", "-e", "--") {
		physical = args[0].Is("-P") || physical && !args[0].Is("-L")
		args = args[1:]
	}
	if len(args) != 1 || !args[0].Known || args[0].Text == "" || args[0].Is("-") || len(c.s.In) == 0 {
		return nil, c.s.In
	}
	for _, dir := range c.s.In {
		written := filepath.Join(dir, args[0].Text)
		if filepath.IsAbs(args[0].Text) {
			dir, written = "/", filepath.Clean(args[0].Text)
		}
		to := follow(dir, args[0].Text)
		if to == "" || to != written && !physical { // bash remembers the link, and a later ".." leads out of it
			return nil, c.s.In
		}
		yes = append(yes, to)
	}
	return yes, c.s.In
}

// MovesFolder holds the builtins that change the shell's directory, or run a
// command that may.
var MovesFolder = NameSet("cd pushd popd . source builtin command eval")
