package definition

import "strings"

// FrontMatter divides a Markdown file into the YAML between two lines of three
// hyphens at its start, and the text behind it, trimmed. It returns false if the
// file has none.
func FrontMatter(text string) (yaml, body string, ok bool) {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	if strings.TrimRight(lines[0], " \t") != "---" {
		return "", "", false
	}
	for i, line := range lines[1:] {
		if strings.TrimRight(line, " \t") == "---" {
			return strings.Join(lines[1:i+1], "\n"), strings.TrimSpace(strings.Join(lines[i+2:], "\n")), true
		}
	}
	return "", "", false
}
