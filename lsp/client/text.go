package client

import (
	"strconv"
	"strings"

	"github.com/emendo-dev/emendo/ide"
)

// Count returns n followed by the noun, in the plural unless n is 1.
func Count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.Itoa(n) + " " + noun
}

// Lines returns the number of lines of s in words.
func Lines(s string) string {
	// Splitting the text is worth it only for a lone carriage return: a list of
	// hunks asks for each.
	n := strings.Count(s, "\n")
	if strings.Contains(s, "\r") {
		n = ide.NewText(s).Lines() - 1
	}
	if s != "" && !strings.HasSuffix(s, "\n") && !strings.HasSuffix(s, "\r") {
		n++
	}
	return Count(n, "line")
}

// LineAround returns the line that holds an offset, without its indentation and
// line end. For the end of a text that ends with a line end it is the last line
// with text: some editors do not let the cursor go behind it.
func LineAround(t *ide.Text, at int, enc ide.Encoding) ide.Range {
	n := t.LineAt(at)
	if n > 0 && t.LineStart(n) == t.Len() {
		n--
	}
	line := t.Line(n)
	body := strings.TrimRight(line, "\r\n")
	start := t.LineStart(n)
	end := start + len(body)
	return t.Range(start+len(body)-len(strings.TrimLeft(body, " \t")), end, enc)
}
