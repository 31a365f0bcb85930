package present

import (
	"cmp"
	"context"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/internal/paths"
	"github.com/emendo-dev/emendo/lsp/client"
)

// reference names a place in a file. Lines and columns count from one; 0: none.
type reference struct {
	name               string
	line, column, last int
}

// position is how compilers, tests and models write a line, a column and a last line:
// "a.go:3:5", "a.go:3-9", "a.go#L3-L9", "a.ts(4,2)" and `a.py", line 3`.
var position = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(.+?)(?::(\d+)(?::(\d+))?(?:-(\d+))?|#L(\d+)(?:C\d+)?(?:-L?(\d+)(?:C\d+)?)?|\((\d+)(?:, ?(\d+))?\)|["']?,? lines? (\d+)(?:-(\d+))?)$`)
})

// references returns what a text may mean, the likeliest first: a name can have anything in it.
func references(text string) (l []reference) {
	const around = " \t\n`'\"*<>()[]{}"
	bare := strings.TrimRight(strings.Trim(text, around), ".,;:!?")
	inner := strings.Trim(bare, around) // of "(see `a.go`),"
	for _, s := range []string{text, bare, strings.TrimPrefix(bare, "@"), inner, strings.TrimPrefix(inner, "@")} {
		l = append(l, reference{name: s})
		if m := position().FindStringSubmatch(s); m != nil {
			number := func(groups ...int) (n int) {
				for _, g := range groups {
					n = cmp.Or(n, numberIn(m[g]))
				}
				return n
			}
			l = append(l, reference{m[1], number(2, 5, 7, 9), number(3, 8), number(4, 6, 10)})
		}
	}
	return l
}

// numberIn returns a number; 0 of what is none, or too large.
func numberIn(s string) int {
	if n, err := strconv.ParseInt(s, 10, 32); err == nil {
		return int(n)
	}
	return 0
}

// rangeOf returns the range that a reference names; nil: none.
func (r reference) rangeOf() *view.Range {
	if r.line == 0 {
		return nil
	}
	start := view.Position{Line: r.line - 1, Character: max(r.column-1, 0)}
	if r.last >= r.line {
		return &view.Range{Start: start, End: view.Position{Line: r.last}}
	}
	return &view.Range{Start: start, End: start}
}

// files are the files that texts of a session may mean.
type files struct {
	snapshot *ide.Snapshot // within the session's folders
	folders  []string      // its own first
	named    []string      // paths that the conversation names
}

// filesOf returns the files that the texts of a target may mean.
func filesOf(ctx context.Context, v *Views, c chosen) (files, error) {
	now := v.c.Workspace.Snapshot()
	f := files{snapshot: now, folders: now.Tree().Folders()}
	if c.Session != "" {
		ses, err := v.c.Host.Session(ctx, c.Session)
		if err != nil {
			return f, err
		}
		f.snapshot = now.Within(ses.State.Work.Tree())
		f.folders = append([]string{ses.State.Started.Cwd}, ses.State.Work.Roots()...)
	}
	uris := []string{}
	if o := v.get(c.Session); o != nil {
		if err := o.readAll(); err != nil {
			return f, err
		}
		o.mu.Lock()
		uris = view.URIsIn(o.fold)
		o.mu.Unlock()
	}
	for _, l := range c.Item.Lines {
		if l.Place != nil {
			uris = append(uris, l.Place.URI, l.Place.NewURI)
		}
	}
	for _, u := range uris {
		if path := ide.ParseURI(u).Path(); path != "" {
			f.named = append(f.named, path)
		}
	}
	return f, nil
}

// candidates returns the paths that a name may mean, the likeliest first: an absolute one
// itself, a relative one below each of the folders, and below the folder that its first part
// names. Names on other machines mean none: opening those sends the user's credentials there.
func (f files) candidates(name string) (l []string) {
	switch {
	case name == "" || strings.HasPrefix(name, "//") || strings.HasPrefix(name, `\\`) || strings.ContainsRune(name, 0):
		return nil
	case filepath.IsAbs(name):
		return []string{filepath.Clean(name)}
	}
	first, rest, deep := strings.Cut(filepath.ToSlash(name), "/")
	for _, folder := range f.folders {
		l = append(l, filepath.Join(folder, name))
	}
	for _, folder := range f.folders {
		if deep && filepath.Base(folder) == first {
			l = append(l, filepath.Join(folder, rest))
		}
	}
	if deep && (first == "a" || first == "b") { // in the heading of a diff
		for _, folder := range f.folders {
			l = append(l, filepath.Join(folder, rest))
		}
	}
	return l
}

// lookUp returns the files that a name means: one, or those that end in it. May reports that a
// file with the name, which need not exist, may be opened.
func (f files) lookUp(name string) (l []string, may bool) {
	for _, path := range f.candidates(name) {
		if !f.isOpen(path) {
			continue
		}
		may = true
		if f.exists(path) {
			return []string{path}, true
		}
	}
	if filepath.IsAbs(name) || name == "" {
		return nil, may
	}
	end := string(filepath.Separator) + filepath.Clean(name)
	all := slices.Clone(f.named)
	for _, d := range f.snapshot.Documents() {
		all = append(all, d.Path)
	}
	for _, path := range all {
		if strings.HasSuffix(path, end) && f.isOpen(path) && f.exists(path) {
			l = append(l, path)
		}
	}
	slices.Sort(l)
	return slices.CompactFunc(l, paths.Same), may
}

// isOpen reports whether a file may be opened: it is in the folders, or the conversation
// names it.
func (f files) isOpen(path string) bool {
	return f.snapshot.Tree().Contains(disk.RealPath(path)) || slices.Contains(f.named, path)
}

func (f files) exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil || f.snapshot.DocumentAt(disk.RealPath(path)) != nil
}

// uri returns the address of a file, as the client spells it.
func (f files) uri(path string) string {
	if d := f.snapshot.DocumentAt(disk.RealPath(path)); d != nil {
		return string(d.URI)
	}
	return string(ide.FileURI(path))
}

// resolve returns the place that a text means.
func (f files) resolve(text string) (view.Place, error) {
	if d := f.snapshot.Document(ide.ParseURI(text)); d != nil {
		return view.Place{URI: string(d.URI)}, nil
	}
	text, err := asPath(text)
	if err != nil {
		return view.Place{}, err
	}
	inside := false
	for _, r := range references(text) {
		for _, name := range []string{r.name, pathUnescaped(r.name)} {
			l, may := f.lookUp(name)
			inside = inside || may
			switch {
			case len(l) == 1:
				return view.Place{URI: f.uri(l[0]), Range: r.rangeOf()}, nil
			case len(l) > 1:
				return view.Place{}, client.Unable("%s names %d files: %s", name, len(l), strings.Join(l, ", "))
			}
		}
	}
	if !inside {
		return view.Place{}, client.Unable("%s is outside of the session's folders, and the session does not use it", text)
	}
	return view.Place{}, client.Unable("%s does not exist", text)
}

// asPath returns the path of a file's address, with the position that it has; other texts as
// they are. Addresses of the web are not for emendo to open.
func asPath(text string) (string, error) {
	scheme, _, isURL := strings.Cut(text, "://")
	switch {
	case strings.HasPrefix(text, "mailto:"), isURL && scheme != "file":
		return "", client.Unable("%s is no file: emendo opens none but files", text)
	case !isURL:
		return text, nil
	}
	address, fragment, at := strings.Cut(text, "#")
	path := ide.ParseURI(address).Path()
	if path == "" {
		return "", client.Unable("%s names no file", text)
	}
	if at {
		path += "#" + fragment
	}
	return path, nil
}

// pathUnescaped returns the target of a link as a path.
func pathUnescaped(s string) string {
	if plain, err := url.PathUnescape(s); err == nil {
		return plain
	}
	return s
}
