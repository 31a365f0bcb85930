package match

import "strings"

// line is one line of a text.
type line struct {
	at   int // offset of its first byte
	body string
	end  string // "\n", "\r\n", "\r", or "" at the end of a text
}

// split splits a text into lines. A lone carriage return ends a line only in a text
// without any line feed.
func split(text string) []line {
	lone := !strings.Contains(text, "\n") && strings.Contains(text, "\r")
	mark := "\n"
	if lone {
		mark = "\r"
	}
	lines := make([]line, 0, strings.Count(text, mark)+1)
	for at := 0; at < len(text); {
		i := strings.Index(text[at:], mark)
		if i < 0 {
			lines = append(lines, line{at, text[at:], ""})
			break
		}
		body, end := text[at:at+i], mark
		if !lone && strings.HasSuffix(body, "\r") {
			body, end = body[:len(body)-1], "\r\n"
		}
		lines = append(lines, line{at, body, end})
		at += i + 1
	}
	return lines
}

// usualEnd returns the most frequent line end, or "\n" if there is none.
func usualEnd(lines []line) string {
	count := map[string]int{}
	for _, l := range lines {
		count[l.end]++
	}
	best := "\n"
	for _, end := range []string{"\r\n", "\r"} {
		if count[end] > count[best] {
			best = end
		}
	}
	return best
}

// withLineFeeds replaces every "\r\n" of a text by "\n".
func withLineFeeds(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }
