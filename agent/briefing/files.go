package briefing

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/internal/gitdir"
	"github.com/emendo-dev/emendo/tools"
)

// Files returns the context files as they are now: the user's own, those of
// extensions, those of the workspace's folders, and the saved facts. Those of
// subfolders follow when a tool touches them, see [Briefing.Nested]. In a
// restricted folder only the user's own are read.
func (br *Briefing) Files(ctx context.Context) []File {
	left := br.o.Left()
	var fs []File
	for _, f := range br.userFiles(ctx, left) {
		fs = append(fs, br.named(f, "user", tools.Shown(f.Path)))
	}
	if !br.o.Trusted() {
		return fs
	}
	fs = append(fs, extensionFiles(ctx, br, left)...)
	for _, f := range append(br.above(ctx, left), br.lookup(left).roots(ctx)...) {
		fs = append(fs, br.named(f, "project", br.shownPath(f.Path)))
	}
	if n, ok := br.notes(); ok && !left.Excludes(transcript.KindMemory, n.path(br.o.Cwd)) {
		text, err := n.read(br.o.Cwd)
		if err != nil {
			br.o.Log.Warn("read saved facts", "session", br.o.SessionID, "err", err)
		}
		if text != "" {
			fs = append(fs, File{Scope: "saved", Name: "memory", Path: n.path(br.o.Cwd), Text: text})
		}
	}
	return fs
}

// above returns the context files of the folders above the session's, up to the
// root of their repository, if the user trusts that root too.
func (br *Briefing) above(ctx context.Context, left transcript.Exclusions) []File {
	var found []File
	var seen []string
	for _, folder := range br.o.Place.Roots() {
		repository, _ := gitdir.Nearest(folder)
		root := repository.Tree
		if root == "" || root == folder || slices.Contains(seen, root) || br.o.Place.Tree().Contains(root) || !br.o.TrustsFolder(root) {
			continue
		}
		seen = append(seen, root)
		tree, err := disk.NewTree([]string{root})
		if err != nil {
			br.o.Log.Warn("read the context files of a repository", "session", br.o.SessionID, "root", root, "err", err)
			continue
		}
		l := br.lookup(left)
		l.Tree = tree
		found = append(found, append(l.roots(ctx), l.above(ctx, filepath.Dir(folder))...)...)
		_ = tree.Close() // it was only read
	}
	return found
}

// shownPath returns a path as the model reads and writes it: relative to the session's
// folder if it is below it.
func (br *Briefing) shownPath(path string) string {
	return tools.Shown(br.o.Place.Near(path))
}

// named returns a file that was looked up with its scope and the names for its reader.
func (br *Briefing) named(f File, scope, name string) File {
	f.Scope, f.Name = scope, name
	for i, p := range f.Imports {
		f.Imports[i] = br.shownPath(p)
	}
	return f
}

// userFiles returns the context files of the user's own folders.
func (br *Briefing) userFiles(ctx context.Context, left transcript.Exclusions) []File {
	var found []File
	for _, dir := range []string{br.o.GeminiDir, br.o.UserDir} {
		if dir != "" {
			found = append(found, br.filesIn(ctx, dir, left)...)
		}
	}
	return found
}

// filesIn returns the context files of one such folder.
func (br *Briefing) filesIn(ctx context.Context, dir string, left transcript.Exclusions) []File {
	tree, err := disk.NewTree([]string{dir})
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			br.o.Log.Warn("read the user's context files", "err", err)
		}
		return nil
	}
	defer func() { _ = tree.Close() }()                                                                        // it was only read
	names := slices.DeleteFunc(br.contextNames(), func(n string) bool { return !strings.HasSuffix(n, ".md") }) // only its Markdown is meant for the model
	return lookup{Tree: tree, Names: names, Left: left.ForKind(transcript.KindContextFile)}.roots(ctx)
}

// extensionFiles returns the context files of the enabled extensions.
func extensionFiles(ctx context.Context, br *Briefing, left transcript.Exclusions) []File {
	if br.o.Extensions == nil {
		return nil
	}
	var fs []File
	for _, e := range br.o.Extensions() {
		if len(e.Context) == 0 {
			continue
		}
		tree, err := disk.NewTree([]string{e.Dir})
		if err != nil {
			br.o.Log.Warn("read the context files of an extension", "extension", e.Name, "err", err)
			continue
		}
		l := lookup{Tree: tree, Left: left.ForKind(transcript.KindContextFile)}
		for _, name := range e.Context {
			for _, f := range l.file(ctx, filepath.FromSlash(name)) {
				fs = append(fs, br.named(f, OfExtension, tools.Shown(f.Path)))
			}
		}
		_ = tree.Close() // it was only read
	}
	return fs
}

// contextNames returns the names of context files.
func (br *Briefing) contextNames() []string { return ContextNames(br.o.Settings().Context.FileNames) }

// lookup looks for context files in the session's folders.
func (br *Briefing) lookup(left transcript.Exclusions) lookup {
	return lookup{Tree: br.o.Place.Tree(), Names: br.contextNames(), Left: left.ForKind(transcript.KindContextFile), Rules: br.o.Ignoring()}
}

// Nested returns the context files of the folders that calls have touched, without
// those in have, which the model already got.
func (br *Briefing) Nested(ctx context.Context, touched, have []string) []transcript.Given {
	if len(touched) == 0 || !br.o.Trusted() {
		return nil
	}
	var given []transcript.Given
	for _, place := range touched {
		l := br.lookup(br.o.Left())
		l.Have = have
		for _, f := range l.above(ctx, place) {
			have = append(have, f.Path)
			name := br.shownPath(f.Path)
			text := transcript.Enclose("project_context", strings.TrimSpace(f.Text), "file", name, "for", filepath.Dir(name))
			given = append(given, transcript.Given{Kind: transcript.KindContextFile, Source: f.Path, Text: text})
		}
	}
	return given
}
