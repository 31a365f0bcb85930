package sessiontest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/lsp/lsptest"
)

// decision decides one hunk.
type decision struct {
	ChangeSetID string  `json:"changeSetId"`
	HunkID      string  `json:"hunkId,omitempty"`
	Action      string  `json:"action"`
	Text        *string `json:"text,omitempty"`
}

// placed is a hunk and where it is.
type placed struct {
	lsptest.Hunk
	set, uri string
}

func hunksOf(sets []lsptest.ChangeSet) (all []placed) {
	for _, s := range sets {
		for _, f := range s.Files {
			for _, h := range f.Hunks {
				all = append(all, placed{h, s.ChangeSetID, f.URI})
			}
		}
	}
	return all
}

// find returns the only hunk in one of the states whose new text, or else old
// text, contains a text.
func find(sets []lsptest.ChangeSet, text string, states ...string) (placed, error) {
	var found, old []placed
	for _, h := range hunksOf(sets) {
		switch {
		case !slices.Contains(states, h.State):
		case strings.Contains(h.NewText, text):
			found = append(found, h)
		case strings.Contains(h.OldText, text):
			old = append(old, h)
		}
	}
	if len(found) == 0 {
		found = old
	}
	if len(found) != 1 {
		return placed{}, fmt.Errorf("%d hunks that are %s hold %q", len(found), strings.Join(states, " or "), text)
	}
	return found[0], nil
}

// shownHunks describes hunks for people.
func shownHunks(sets []lsptest.ChangeSet, name func(uri string) string) string {
	var b strings.Builder
	for _, s := range sets {
		for _, f := range s.Files {
			for _, h := range f.Hunks {
				b.WriteString(h.State)
				if h.Edited {
					b.WriteString(", edited")
				}
				switch f.Op {
				case "modify":
					fmt.Fprintf(&b, ": %s %s\n", name(f.URI), lines(h.Range))
				default:
					fmt.Fprintf(&b, ": %s %s\n", f.Op, name(f.URI))
				}
				if h.Reason != "" {
					fmt.Fprintf(&b, "  (%s)\n", h.Reason)
				}
				markLines(&b, "  - ", h.OldText)
				markLines(&b, "  + ", h.NewText)
			}
		}
	}
	return b.String()
}

func lines(r ide.Range) string {
	last := r.End.Line
	if r.End.Character > 0 {
		last++
	}
	if r.Start == r.End {
		return fmt.Sprintf("before line %d", r.Start.Line+1)
	}
	return fmt.Sprintf("lines %d-%d", r.Start.Line+1, last)
}

func markLines(b *strings.Builder, sign, text string) {
	for l := range strings.Lines(text) {
		b.WriteString(sign + strings.TrimRight(l, "\r\n") + "\n")
	}
}
