package state

import (
	"strings"
)

// Sentence formats an error as a sentence.
func Sentence(err error) string {
	s := err.Error()
	return strings.ToUpper(s[:1]) + strings.TrimSuffix(s[1:], ".") + "."
}

// MarkdownCode formats text as inline code, also within a table. Empty text stays
// empty.
func MarkdownCode(s string) string {
	if s == "" {
		return ""
	}
	return "`" + strings.NewReplacer("`", "'", "|", "¦", "\n", " ").Replace(s) + "`"
}

// Indent indents text so that it belongs to the list item above.
func Indent(s string) string {
	return "  " + strings.ReplaceAll(strings.TrimRight(s, "\n"), "\n", "\n  ") + "\n"
}
