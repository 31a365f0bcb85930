package agent

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/agent/memory"
	"github.com/emendo-dev/emendo/agent/prompt"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/tools"
)

// written is what the user and the project have written down, as it stands now:
// the user's own files, those of the workspace's folders, and what was saved.
// Those of folders further down come when a tool goes there. A restricted
// folder has a say in nothing, so only the user's own are read there.
func (s *Session) written(ctx context.Context) []prompt.File {
	left := s.leftOut()
	var fs []prompt.File
	for _, f := range s.agent.userFiles(ctx, left) {
		fs = append(fs, prompt.File{Scope: "user", Name: tools.Shown(f.Path.Abs), Path: f.Path.Abs, Text: f.Text, Imports: s.nearAll(f.Imports)})
	}
	if !s.Trusted() {
		return fs
	}
	for _, f := range append(s.above(ctx, left), s.look(left).Roots(ctx)...) {
		fs = append(fs, prompt.File{Scope: "project", Name: s.near(f.Path.Abs), Path: f.Path.Abs, Text: f.Text, Imports: s.nearAll(f.Imports)})
	}
	if n, ok := s.notes(); ok && !left.Excludes(transcript.KindMemory, n.Path(s.started.Cwd)) {
		text, err := n.Read(s.started.Cwd)
		if err != nil {
			s.agent.log.Warn("what was saved is not read", "session", s.id, "err", err)
		}
		if text != "" {
			fs = append(fs, prompt.File{Scope: "saved", Name: "memory", Path: n.Path(s.started.Cwd), Text: text})
		}
	}
	return fs
}

// above returns the context files of the folders above the session's, up to the
// root of their repository, where the user has trusted that root too.
func (s *Session) above(ctx context.Context, left transcript.Exclusions) []memory.File {
	var found []memory.File
	var seen []string
	for _, folder := range s.roots() {
		root, _ := repositoryOf(folder)
		if root == "" || root == folder || slices.Contains(seen, root) || s.folders().Contains(root) || !s.agent.o.Trusted(root) {
			continue
		}
		seen = append(seen, root)
		tree, err := disk.NewTree([]string{root})
		if err != nil {
			s.agent.log.Warn("the context files of a repository are not read", "session", s.id, "root", root, "err", err)
			continue
		}
		l := s.look(left)
		l.Tree = tree
		found = append(found, append(l.Roots(ctx), l.Above(ctx, filepath.Dir(folder))...)...)
		_ = tree.Close() // it was only read
	}
	return found
}

// near is a path as the model reads and may write it: relative to the session's
// folder where it is in there.
func (s *Session) near(path string) string {
	if rel, err := filepath.Rel(s.started.Cwd, path); err == nil && filepath.IsLocal(rel) {
		path = rel
	}
	return tools.Shown(path)
}

func (s *Session) nearAll(paths []string) []string {
	var names []string
	for _, p := range paths {
		names = append(names, s.near(p))
	}
	return names
}

// userFiles are the context files of the user's own folders.
func (a *Agent) userFiles(ctx context.Context, left transcript.Exclusions) []memory.File {
	var found []memory.File
	for _, dir := range []string{a.o.GeminiDir, a.o.UserDir} {
		if dir != "" {
			found = append(found, a.filesIn(ctx, dir, left)...)
		}
	}
	return found
}

// filesIn are the context files of one of them.
func (a *Agent) filesIn(ctx context.Context, dir string, left transcript.Exclusions) []memory.File {
	tree, err := disk.NewTree([]string{dir})
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			a.log.Warn("the user's context files are not read", "err", err)
		}
		return nil
	}
	defer func() { _ = tree.Close() }() // it was only read
	names := a.choices().ContextNames
	if names == nil {
		names = memory.DefaultNames
	}
	names = slices.DeleteFunc(slices.Clone(names), func(n string) bool { return !strings.HasSuffix(n, ".md") }) // nothing else of that folder is for the model
	return memory.Look{Tree: tree, Names: names, Left: left.ForKind(transcript.KindContextFile)}.Roots(ctx)
}

// look looks for context files in the session's folders.
func (s *Session) look(left transcript.Exclusions) memory.Look {
	return memory.Look{Tree: s.folders(), Names: s.agent.choices().ContextNames, Left: left.ForKind(transcript.KindContextFile), Rules: s.agent.ignoring()}
}

// touch notes where a call was that did what it says.
func (t *turn) touch(path string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if path != "" && !slices.Contains(t.touched, path) {
		t.touched = append(t.touched, path)
	}
}

// nested gives the model the context files of the folders that its calls have
// touched since the last step, behind their results. What it has still before
// it is not given again; what was compacted away or rewound is.
func (t *turn) nested(ctx context.Context) {
	t.mu.Lock()
	touched := t.touched
	t.touched = nil
	have := t.session.history.Files()
	t.mu.Unlock()
	s := t.session
	if len(touched) == 0 || !s.Trusted() {
		return
	}
	id := t.lastMessage()
	for _, place := range touched {
		l := s.look(s.leftOut())
		l.Have = have
		for _, f := range l.Above(ctx, place) {
			have = append(have, f.Path.Abs)
			name := s.near(f.Path.Abs)
			text := prompt.Enclose("project_context", strings.TrimSpace(f.Text), "file", name, "for", filepath.Dir(name))
			t.emit(transcript.Given{MessageID: id, Kind: transcript.KindContextFile, Source: f.Path.Abs, Text: text})
		}
	}
}
