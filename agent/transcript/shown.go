package transcript

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/tools"
)

// DiffsOf returns the full old and new texts, for clients that show diffs. A move
// is a deletion and a creation.
func DiffsOf(e tools.Edits) []Diff {
	var l []Diff
	for _, f := range e.Files {
		if f.Op == ledger.Rename {
			old := f.Base.Text.String()
			l = append(l, Diff{Path: f.Path, Old: &old}, Diff{Path: f.NewPath, New: old})
			continue
		}
		d := Diff{Path: cmp.Or(f.Path, string(f.URI)), New: f.New}
		if f.Op != ledger.Create {
			old := f.Base.Text.String()
			d.Old = &old
		}
		l = append(l, d)
	}
	return l
}

// PlanOf returns the task list for the user, without abandoned tasks.
func PlanOf(n tools.Notes) Plan {
	p := Plan{Entries: []PlanEntry{}, Tasks: n.Tasks}
	for _, t := range n.Todos {
		e := PlanEntry{Content: t.Description, Priority: "medium", Status: string(t.Status)}
		if t.Status == tools.TodoBlocked {
			e.Content, e.Status = e.Content+" (blocked)", string(tools.TodoPending)
		}
		if t.Status != tools.TodoCancelled {
			p.Entries = append(p.Entries, e)
		}
	}
	return p
}

// SourcesOf lists citations once each, one a line, sorted.
func SourcesOf(cs []model.Citation) string {
	var lines []string
	seen := map[string]bool{}
	for _, c := range cs {
		if c.URI == "" || seen[c.URI] {
			continue
		}
		seen[c.URI] = true
		if c.Title != "" {
			lines = append(lines, fmt.Sprintf("- [%s](%s)\n", c.Title, c.URI))
		} else {
			lines = append(lines, fmt.Sprintf("- %s\n", c.URI))
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}
