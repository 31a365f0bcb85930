package langserver

import (
	"context"
	"strings"

	"github.com/emendo-dev/emendo/ide"
)

// Formats reports whether the server has a formatter.
func (c *Conversation) Formats() bool {
	can := string(c.s.can.Formatting)
	return can != "" && can != "null" && can != "false"
}

// Format returns the text of a file after the server's formatter. The file must be
// one of the server's documents. It keeps the text's kind of indentation.
func (c *Conversation) Format(ctx context.Context, path string) (string, error) {
	text := c.s.documents[path].text
	size, spaces := indentation(text)
	params := map[string]any{
		"textDocument": textDocument{URI: ide.FileURI(path)},
		"options":      map[string]any{"tabSize": size, "insertSpaces": spaces},
	}
	var edits []TextEdit
	if err := c.Call(ctx, "textDocument/formatting", params, &edits); err != nil {
		return "", err
	}
	formatted, _, err := Apply(ide.NewText(text), edits, c.Encoding())
	return formatted, err
}

// indentation detects the indentation of a text: the width of a level, and whether
// it uses spaces.
func indentation(text string) (size int, spaces bool) {
	tabs, steps := 0, map[int]int{}
	last := 0
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "\t") {
			tabs++
			continue
		}
		n := len(line) - len(strings.TrimLeft(line, " "))
		if step := n - last; step > 1 {
			steps[step]++
		}
		last = n
	}
	most := 0
	size = 4
	for step, n := range steps {
		if n > most || n == most && step < size {
			most, size = n, step
		}
	}
	return size, tabs <= most
}
