package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/ide/ignore"
	"github.com/emendo-dev/emendo/internal/search"
)

// ListDirectory is the tool that lists a folder.
var ListDirectory = Declare(Spec{
	Name: "list_directory", Display: "ReadFolder", Kind: Search, Aliases: []string{"LS", "ls", "list_dir", "list_files", "read_folder"}, Synonyms: dirPathSynonyms,
	Similar: []string{"ls", "listdir", "listfiles", "readfolder"}, FormerNames: []string{"LSTool"}, ClaudeNames: []string{"LS"},
	Investigates: true,
}, pages, NewParams[listDirectoryArgs](), prepareListDirectory)

type listDirectoryArgs struct {
	DirPath   string   `json:"dir_path" jsonschema:"Path, absolute or relative to the session folder."`
	Ignore    []string `json:"ignore,omitempty" jsonschema:"Globs of names or paths to leave out, such as \"*.log\"."`
	Filtering struct {
		Git    *bool `json:"respect_git_ignore,omitempty" jsonschema:"Apply .gitignore. Default: true."`
		Gemini *bool `json:"respect_gemini_ignore,omitempty" jsonschema:"Apply .geminiignore. Default: true."`
	} `json:"file_filtering_options,omitzero" jsonschema:"Which ignore rules apply."`
}

func prepareListDirectory(ctx context.Context, env Env, args listDirectoryArgs) (Action, error) {
	p, err := folder(ctx, env, "dir_path", args.DirPath)
	if err != nil {
		return Action{}, err
	}
	exclude := make([]string, len(args.Ignore))
	for i, pattern := range args.Ignore {
		if exclude[i], err = newGlob(fmt.Sprintf("ignore[%d]", i), strings.TrimPrefix(filepath.ToSlash(pattern), "./")); err != nil {
			return Action{}, err
		}
	}
	return Action{
		Title:     "List " + Shown(env.Near(p.Abs)),
		Locations: []Location{{Path: p.Abs}},
		Effect:    Reads{},
		Run: func(ctx context.Context, _ func(Progress)) Result {
			l := listing{env: env, dir: p, exclude: exclude}
			if err := l.read(ctx, ignoreOptions(env, args.Filtering.Git, args.Filtering.Gemini)); err != nil {
				e := DiskError("list", env.Near(p.Abs), err)
				if e.Type == ReadFailure {
					e.Type = ListFailure
				}
				return Result{Err: e}
			}
			return l.result()
		},
	}, nil
}

// A listing is the content of a folder, as far as it may be shown.
type listing struct {
	env     Env
	dir     disk.Path
	exclude []string // globs of what to leave out
	entries []listed
	ignored int
	blind   bool // the folder itself is ignored
}

// listed is one entry.
type listed struct {
	name   string
	folder bool
	note   string // its size and peculiarities
}

// read fills the listing with the entries on disk and the files that exist only in
// the editor.
func (l *listing) read(ctx context.Context, o ignore.Options) error {
	tree := l.env.Snapshot.Tree()
	var err error
	if l.blind, err = ignore.Ignored(ctx, tree, l.dir, true, o); err != nil {
		return err
	}
	rules, err := ignore.Load(ctx, tree, l.dir, o)
	if err != nil {
		return err
	}
	open := search.OpenBelow(l.env.Snapshot, l.dir)
	found, err := tree.ReadDir(l.dir)
	if err != nil && (len(open) == 0 || !errors.Is(err, fs.ErrNotExist)) {
		return err
	}
	known := map[string]bool{}
	for _, e := range found {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		name := e.Name()
		known[name] = true
		if l.leaves(rules, name, e.IsDir()) || l.env.Snapshot.Gone(l.dir.Join(name).Abs) {
			continue
		}
		entry := l.describe(e)
		if d := open[name]; d != nil && !entry.folder && d.Unsaved {
			entry.note = fmt.Sprintf("%d bytes, %s", d.Text.Len(), whereText(d))
		}
		l.entries = append(l.entries, entry)
	}
	for rel, d := range open {
		name, _, more := strings.Cut(rel, "/")
		if known[name] || l.leaves(rules, name, more) {
			continue
		}
		known[name] = true
		entry := listed{name: name, folder: more, note: fmt.Sprintf("%d bytes, new, %s", d.Text.Len(), whereText(d))}
		if more {
			entry.note = "new, " + whereText(d)
		}
		l.entries = append(l.entries, entry)
	}
	slices.SortFunc(l.entries, func(a, b listed) int {
		if a.folder != b.folder {
			if a.folder {
				return -1
			}
			return 1
		}
		return cmp.Or(strings.Compare(strings.ToLower(a.name), strings.ToLower(b.name)), strings.Compare(a.name, b.name))
	})
	return nil
}

// whereText says where the text of a document is that the disk does not have.
func whereText(d *ide.Document) string {
	if d.Proposed {
		return "proposed"
	}
	return "unsaved"
}

// leaves reports whether an entry is left out, and counts it.
func (l *listing) leaves(rules *ignore.Rules, name string, isDir bool) bool {
	out := l.blind || rules.Ignored(name, isDir) || slices.ContainsFunc(l.exclude, func(pattern string) bool { return l.matches(pattern, name, isDir) })
	if out {
		l.ignored++
	}
	return out
}

// matches reports whether a glob matches the name of an entry or, if it has a slash,
// its path from the session's folder or the root.
func (l *listing) matches(pattern, name string, isDir bool) bool {
	folders := strings.HasSuffix(pattern, "/")
	if pattern = strings.TrimSuffix(pattern, "/"); folders && !isDir {
		return false
	}
	paths := []string{name}
	if strings.Contains(pattern, "/") {
		paths = append(paths, filepath.ToSlash(l.env.Near(l.dir.Join(name).Abs)), filepath.ToSlash(l.dir.Join(name).Abs))
	}
	plain := strings.ReplaceAll(pattern, "[", `\[`) // [slug].tsx is a name, too
	return slices.ContainsFunc(paths, func(p string) bool {
		return doublestar.MatchUnvalidated(pattern, p) || doublestar.MatchUnvalidated(plain, p)
	})
}

// describe returns an entry as listed. A link is described by its target.
func (l *listing) describe(e fs.DirEntry) listed {
	entry := listed{name: e.Name(), folder: e.IsDir()}
	switch {
	case entry.folder:
	case e.Type()&fs.ModeSymlink != 0:
		l.follow(&entry)
	case !e.Type().IsRegular():
		entry.note = "not a regular file"
	default:
		info, err := e.Info()
		if err != nil {
			entry.note = "unreadable"
			break
		}
		entry.note = fmt.Sprintf("%d bytes", info.Size())
	}
	return entry
}

// follow describes a link by its target.
func (l *listing) follow(entry *listed) {
	tree := l.env.Snapshot.Tree()
	p, err := tree.Resolve(l.dir.Join(entry.name).Abs)
	var info disk.Info
	if err == nil {
		info, err = tree.Stat(p)
	}
	switch {
	case errors.Is(err, disk.ErrOutside):
		entry.note = "link to outside the workspace"
	case errors.Is(err, syscall.ELOOP):
		entry.note = "link, part of a loop"
	case errors.Is(err, fs.ErrNotExist):
		entry.note = "broken link"
	case err != nil:
		entry.note = "unreadable link"
	case info.IsDir():
		entry.folder = true
		entry.note = "link to " + l.env.Near(p.Abs)
	default:
		entry.note = fmt.Sprintf("%d bytes, link to %s", info.Size(), l.env.Near(p.Abs))
	}
}

func (l *listing) result() Result {
	name := Shown(l.dir.Abs)
	var out Lines
	shownCount := 0
	for _, e := range l.entries {
		line := Shown(e.name)
		if e.folder {
			line = "[DIR] " + line
		}
		if e.note != "" {
			line += " (" + Shown(e.note) + ")"
		}
		if !out.Add(line) {
			break
		}
		shownCount++
	}
	var s strings.Builder
	if len(l.entries) == 0 {
		fmt.Fprintf(&s, "The folder %s is empty", name)
		if l.ignored > 0 {
			s.WriteString(" except for ignored entries")
		}
		s.WriteString(".\n")
	} else {
		fmt.Fprintf(&s, "In the folder %s:\n%s", name, out.String())
	}
	if n := len(l.entries) - shownCount; n > 0 {
		fmt.Fprintf(&s, "(%d more not shown; use glob with a narrower pattern)\n", n)
	}
	if l.ignored > 0 {
		fmt.Fprintf(&s, "(%d ignored)\n", l.ignored)
	}
	summary := fmt.Sprintf("Found %s", Count(len(l.entries), "item", "items"))
	if l.ignored > 0 {
		summary += fmt.Sprintf(" (%d ignored)", l.ignored)
	}
	return Result{Output: s.String(), Summary: summary}
}
