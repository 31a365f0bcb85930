package state

import (
	"fmt"
	"strings"
)

// Count counts things for people.
func Count(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}

// Sentence is what an error says, as a sentence.
func Sentence(err error) string {
	s := err.Error()
	return strings.ToUpper(s[:1]) + strings.TrimSuffix(s[1:], ".") + "."
}

// MarkdownCode is a text as code within a line or a cell of Markdown; nothing
// is nothing.
func MarkdownCode(s string) string {
	if s == "" {
		return ""
	}
	return "`" + strings.NewReplacer("`", "'", "|", "¦", "\n", " ").Replace(s) + "`"
}

// Indent is a text within an item of a list.
func Indent(s string) string {
	return "  " + strings.ReplaceAll(strings.TrimRight(s, "\n"), "\n", "\n  ") + "\n"
}
