package tools

import (
	"path"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/tools/match"
)

// unfencedNote tells the model of a fence that was taken away.
const unfencedNote = "the code fence around the new text was removed"

// fencing are the ends of names of files in which a text may begin and end with
// a code fence.
var fencing = []string{"", ".md", ".markdown", ".mdown", ".mdx", ".mdc", ".qmd", ".rmd", ".rst", ".adoc", ".asciidoc", ".txt", ".org", ".tex", ".wiki", ".prompt", ".tmpl", ".snap"}

// unfenced returns a new text without the code fence that a model put around it,
// and what to tell of that; empty when there was none, or when it may be meant.
func (e editable) unfenced(text, old string) (plain, note string) {
	if slices.Contains(fencing, strings.ToLower(path.Ext(e.name))) {
		return text, ""
	}
	plain, ok := match.Unfence(text, old, e.file.Text.String())
	if !ok {
		return text, ""
	}
	return plain, unfencedNote
}
