package complete

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/ide/names"
	"github.com/emendo-dev/emendo/internal/paths"
	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/lsp/client"
)

// Added to the score of files that are open in the editor. With an empty query the
// open files come first, the most recently used one at the top.
const (
	openBonus = 60
	openFirst = 1000
)

// place is the context of a prompt: the session's folders, or the workspace's.
type place struct {
	roots []string // absolute; relative paths in the prompt begin at the first
	tree  *disk.Tree
}

// place returns the place of a session, or of the workspace without one.
func (x *Completer) place(ctx context.Context, sessionID string) (place, error) {
	if sessionID == "" {
		tree := x.c.Workspace.Snapshot().Tree()
		roots := slices.DeleteFunc(x.c.Folders.Roots(), func(root string) bool { return !slices.Contains(tree.Folders(), root) })
		return place{roots, tree}, nil
	}
	ses, err := x.c.Host.Session(ctx, sessionID)
	if err != nil {
		return place{}, err
	}
	roots := []string{ses.State.Started.Cwd}
	for _, root := range ses.State.Work.Roots() {
		if root != ses.State.Started.Cwd {
			roots = append(roots, root)
		}
	}
	tree := ses.State.Work.Tree()
	return place{slices.DeleteFunc(roots, func(root string) bool { return !slices.Contains(tree.Folders(), root) }), tree}, nil
}

// within returns the root that contains a path and the slash-separated path from
// there.
func (p place) within(path string) (root, rel string, ok bool) {
	for _, root := range p.roots {
		if rel, ok := paths.CutFolder(path, root); ok && rel != "." {
			return root, filepath.ToSlash(rel), true
		}
	}
	return "", "", false
}

// named returns a file's path for the text of the prompt, and its label for the
// user.
func (p place) named(root, rel string) (path, label string) {
	if root == p.roots[0] {
		return rel, visible.Line(rel)
	}
	return filepath.Join(root, filepath.FromSlash(rel)), visible.Line(filepath.Base(root) + "/" + rel)
}

// folderNames holds the names below a root.
type folderNames struct {
	root  string
	names []names.Name
}

// files holds the files and folders that match.
type files struct {
	items      []Item
	incomplete bool
	lists      []folderNames // all that can be offered
}

// files returns the files and folders that match.
func (x *Completer) files(ctx context.Context, h *client.Host, p place, query string, focus frontend.Focus, snapshot *ide.Snapshot) (out files) {
	index := x.indexOf(h)
	quick, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	open := openFiles(p, focus, snapshot)
	ranking := names.NewRanking(names.NewQuery(query), most)
	for i, root := range p.roots {
		l, complete := index.Below(quick, p.tree, root)
		out.lists = append(out.lists, folderNames{root, l})
		out.incomplete = out.incomplete || !complete
		inside := rootsInside(root, p.roots[:i])
		for j := range l {
			if j%1024 == 0 && ctx.Err() != nil {
				return files{} // the request was cancelled
			}
			n := &l[j]
			if strings.HasSuffix(n.Rel, ide.ChatSuffix) {
				continue
			}
			if len(inside) > 0 && slices.ContainsFunc(inside, func(prefix string) bool { return n.Rel == prefix || strings.HasPrefix(n.Rel, prefix+"/") }) {
				continue // listed under another root
			}
			bonus := 0
			if at, ok := open[filepath.Join(root, n.Rel)]; ok && query == "" {
				bonus = openFirst - at
			} else if ok {
				bonus = openBonus
			}
			ranking.Add(root, n, bonus)
		}
	}
	matches, more := ranking.Best()
	out.incomplete = out.incomplete || more
	for _, m := range matches {
		if strings.ContainsFunc(m.Rel, unicode.IsControl) {
			continue // it cannot be typed, or read
		}
		_, isOpen := open[filepath.Join(m.Root, m.Rel)]
		out.items = append(out.items, fileItem(p, m, isOpen, snapshot))
	}
	return out
}

// fileItem returns the completion of a file or a folder.
func fileItem(p place, m names.Match, open bool, snapshot *ide.Snapshot) Item {
	path, label := p.named(m.Root, m.Rel)
	abs := filepath.Join(m.Root, filepath.FromSlash(m.Rel))
	i := Item{Label: label, Kind: transcript.MentionFile, InsertText: mention(path), score: m.Score}
	if open {
		i.Kind = transcript.MentionEditor
	}
	if m.Folder {
		i.Kind, i.Label, i.InsertText = transcript.MentionFolder, label+"/", mention(path+"/")
	}
	if m.Root != p.roots[0] {
		i.Detail = visible.Line(m.Root)
	}
	i.Block = blockOf(transcript.Block{URI: spelling(abs, snapshot), Name: m.Rel}, i.Kind, "@"+i.Label)
	return i
}

// spelling returns a file's URI as the client writes it if the file is open.
func spelling(abs string, snapshot *ide.Snapshot) string {
	if d := snapshot.DocumentAt(abs); d != nil {
		return d.Spelling
	}
	return string(ide.FileURI(abs))
}

// indexOf returns the index of the host's files.
func (x *Completer) indexOf(h *client.Host) *names.Index {
	x.indexed.Do(func() {
		x.index = h.Agent.NewNames(func(walk func(context.Context)) bool {
			return x.c.Go(func() { walk(x.c.Life()) })
		})
	})
	return x.index
}

// openFiles returns the rank of the files open in the editor, by absolute path: 0
// is the most recently used.
func openFiles(p place, focus frontend.Focus, snapshot *ide.Snapshot) map[string]int {
	open := map[string]int{}
	add := func(path string) {
		if path == "" {
			return
		}
		if _, ok := open[path]; !ok {
			open[path] = len(open)
		}
	}
	for _, u := range append([]ide.URI{focus.Active}, focus.Open...) {
		if d := snapshot.Document(u); d != nil {
			add(d.Path)
		} else if path := u.Path(); path != "" {
			add(path)
		}
	}
	for _, d := range snapshot.Documents() {
		add(d.Path)
	}
	return open
}

// rootsInside returns the roots inside a folder, relative to it.
func rootsInside(folder string, roots []string) (inside []string) {
	for _, root := range roots {
		if rel, ok := paths.CutFolder(root, folder); ok && rel != "." {
			inside = append(inside, filepath.ToSlash(rel))
		}
	}
	return inside
}
