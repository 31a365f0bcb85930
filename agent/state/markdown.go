package state

import (
	"fmt"
	"strings"
)

// Count formats a number of things: "1 turn", "2 turns".
func Count(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}

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
