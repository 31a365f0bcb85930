package agent

import (
	"fmt"
	"strings"
)

// howMany counts things for people.
func howMany(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}

// sentence is what an error says, as a sentence.
func sentence(err error) string {
	s := err.Error()
	return strings.ToUpper(s[:1]) + strings.TrimSuffix(s[1:], ".") + "."
}

// markdownCode is a text as code within a line or a cell of Markdown; nothing
// is nothing.
func markdownCode(s string) string {
	if s == "" {
		return ""
	}
	return "`" + strings.NewReplacer("`", "'", "|", "¦", "\n", " ").Replace(s) + "`"
}

// indented is a text within an item of a list.
func indented(s string) string {
	return "  " + strings.ReplaceAll(strings.TrimRight(s, "\n"), "\n", "\n  ") + "\n"
}
