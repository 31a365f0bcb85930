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
	for _, f := range s.look(left).Roots(ctx) {
		fs = append(fs, prompt.File{Scope: "project", Name: s.near(f.Path.Abs), Path: f.Path.Abs, Text: f.Text, Imports: s.nearAll(f.Imports)})
	}
	if n, ok := s.notes(); ok && !left.is(kindMemory, n.Path(s.started.Cwd)) {
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

// userFiles are the context files of the user's own folder.
func (a *Agent) userFiles(ctx context.Context, left exclusions) []memory.File {
	if a.o.UserDir == "" {
		return nil
	}
	tree, err := disk.NewTree([]string{a.o.UserDir})
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
	return memory.Look{Tree: tree, Names: names, Left: left.of(kindContextFile)}.Roots(ctx)
}

// look looks for context files in the session's folders.
func (s *Session) look(left exclusions) memory.Look {
	return memory.Look{Tree: s.tree, Names: s.agent.choices().ContextNames, Left: left.of(kindContextFile), Rules: s.agent.ignoring()}
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
	have := t.session.history.files()
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
			text := enclose("project_context", strings.TrimSpace(f.Text), "file", name, "for", filepath.Dir(name))
			t.emit(Given{MessageID: id, Kind: kindContextFile, Source: f.Path.Abs, Text: text})
		}
	}
}
