package briefing

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/ide/ignore"
	"github.com/emendo-dev/emendo/tools"
)

// maxTree is the number of files and folders in the tree that the model gets at the
// start, the same as Gemini CLI's.
const maxTree = 200

// unlisted are listed but not entered: dependencies, git data and build output.
var unlisted = []string{"node_modules", ".git", ".svn", ".hg", "dist", "__pycache__"}

// branch is a folder of the tree.
type branch struct {
	at       disk.Path
	name     string
	rules    *ignore.Rules
	files    []string
	folders  []*branch
	unlooked bool // its contents are not shown
	more     int  // entries that did not fit
}

// listing collects the files and folders to show.
type listing struct {
	tree     *disk.Tree
	ignoring ignore.Options
	room     int // how many more fit
}

// draw draws folders of the tree, breadth first and bounded.
func (l *listing) draw(ctx context.Context, folders []string) string {
	var roots, level []*branch
	for _, r := range folders {
		b := &branch{at: disk.Path{Abs: r, Root: r, Rel: "."}, name: r}
		if rules, err := ignore.Load(ctx, l.tree, b.at, l.ignoring); err == nil { // without its rules, show nothing of it
			b.rules, roots = rules, append(roots, b)
		}
	}
	cut := false
	for level = roots; len(level) > 0 && ctx.Err() == nil; {
		var next []*branch
		for _, b := range level {
			l.readEntries(ctx, b)
			cut = cut || b.more > 0
			next = append(next, b.folders...)
		}
		level = next
	}
	var b strings.Builder
	fmt.Fprintf(&b, "The workspace, at most %d files and folders; what is ignored is left out.", maxTree)
	if cut {
		b.WriteString(" \"...\" marks a folder with more entries: list it to see them.")
	}
	b.WriteString("\n")
	for _, r := range roots {
		fmt.Fprintf(&b, "\n%s%c\n", r.name, filepath.Separator)
		r.draw(&b, "")
	}
	return transcript.Enclose("folders", b.String())
}

// readEntries reads the entries of a folder.
func (l *listing) readEntries(ctx context.Context, b *branch) {
	if b.unlooked {
		return
	}
	if l.room <= 0 {
		b.more = 1
		return
	}
	entries, err := l.tree.List(b.at)
	if err != nil {
		b.unlooked = true
		return
	}
	slices.SortFunc(entries, func(x, y disk.Entry) int { return cmp.Compare(x.Name, y.Name) })
	for _, e := range entries {
		isDir := e.Type.IsDir()
		if b.rules.Ignored(e.Name, isDir) || b.at.Rel+"/"+e.Name == ide.ChatFolder {
			continue
		}
		if l.room <= 0 {
			b.more++
			continue
		}
		l.room--
		if !isDir {
			b.files = append(b.files, e.Name)
			continue
		}
		f := &branch{at: b.at.Join(e.Name), name: e.Name, unlooked: slices.Contains(unlisted, e.Name)}
		if !f.unlooked {
			if f.rules, err = ignore.Load(ctx, l.tree, f.at, l.ignoring); err != nil {
				f.unlooked = true
			}
		}
		b.folders = append(b.folders, f)
	}
}

// draw writes the contents of a folder, files before folders.
func (b *branch) draw(out *strings.Builder, indent string) {
	n := len(b.files) + len(b.folders)
	if b.unlooked || b.more > 0 {
		n++
	}
	line := func(name string) (below string) {
		n--
		if n > 0 {
			fmt.Fprintf(out, "%s├───%s\n", indent, name)
			return indent + "│   "
		}
		fmt.Fprintf(out, "%s└───%s\n", indent, name)
		return indent + "    "
	}
	for _, f := range b.files {
		line(tools.Shown(f))
	}
	for _, f := range b.folders {
		f.draw(out, line(tools.Shown(f.name)+string(filepath.Separator)))
	}
	if n > 0 {
		line("...")
	}
}
