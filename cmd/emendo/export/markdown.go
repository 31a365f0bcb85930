// Package export writes a session as Markdown to read, or as JSON. It knows
// nothing of how sessions are stored.
package export

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/internal/paths"
	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/lsp/chatdoc/grammar"
	"github.com/emendo-dev/emendo/lsp/chatdoc/render"
)

// Markdown returns a session as Markdown, in the form of a chat document.
func Markdown(info transcript.SessionInfo, updates []transcript.Update) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s · %s · %s · %s\n", visible.OneLine(info.Title), info.ID, info.Cwd, info.CreatedAt.Local().Format(time.DateTime), answered(info.Model, updates))
	if info.Summary != "" {
		fmt.Fprintf(&b, "\n%s\n", visible.OneLine(info.Summary))
	}
	for _, t := range render.Turns(updates, below(info.Cwd)) {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n## %s\n", grammar.You, grammar.Escape(t.Question), grammar.Emendo)
		for _, block := range t.Blocks {
			b.WriteString(block.Text)
		}
	}
	return b.String()
}

// answered returns the model that the user chose, followed by other models that
// answered.
func answered(chosen string, updates []transcript.Update) string {
	var names []string
	for _, u := range updates {
		if f, ok := u.Event.(transcript.ResponseFinished); ok && f.Model != "" && f.Model != chosen && !slices.Contains(names, f.Model) {
			names = append(names, f.Model)
		}
	}
	if len(names) == 0 {
		return chosen
	}
	return fmt.Sprintf("%s (%s)", chosen, strings.Join(names, ", "))
}

// below returns paths below a folder relative to it.
func below(folder string) view.Shown {
	return func(path string) string {
		if rel, ok := paths.CutFolder(path, folder); ok {
			return filepath.ToSlash(rel)
		}
		return path
	}
}
