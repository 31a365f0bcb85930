package grammar

import "strings"

// Escape returns Markdown in which no line is a heading of the document, or one on whose
// line the user could have typed, and which leaves no block open, so that a heading after
// it is one.
func Escape(markdown string) string {
	var b strings.Builder
	rest := markdown
	for _, h := range headingsIn(markdown) {
		if h.speaker() == "" && !strings.HasPrefix(h.text, string(You)) {
			continue
		}
		at := h.start - (len(markdown) - len(rest))
		mark := at + strings.IndexByte(rest[at:], '#')
		b.WriteString(rest[:mark])
		b.WriteByte('\\')
		rest = rest[mark:]
	}
	b.WriteString(rest)
	text := b.String()
	if open := Open(text); open != "" {
		return strings.TrimSuffix(text, "\n") + "\n" + strings.TrimRight(open, "\n")
	}
	return text
}

// Open returns the lines that close the block which a text leaves open, with a
// blank line after them; "" if there is none. Such a block, of code or of HTML,
// would contain everything that follows.
func Open(markdown string) string {
	if !opens(markdown, "") {
		return ""
	}
	ends := []string{fence(markdown, '`'), fence(markdown, '~'), ">", "-->", "?>", "]]>"}
	for _, tag := range []string{"pre", "script", "style", "textarea"} { // the end of each ends all of them
		if strings.Contains(strings.ToLower(markdown), "<"+tag) {
			ends = append(ends, "</"+tag+">")
		}
	}
	for _, end := range ends {
		if !opens(markdown, end) {
			return end + "\n\n"
		}
	}
	panic("grammar: unknown kind of open block") // CommonMark has no other
}

// opens reports whether a heading after a text, and a line that may close its last
// block, is part of that block.
func opens(markdown, end string) bool {
	text := strings.TrimRight(markdown, "\r\n") + "\n"
	if end != "" {
		text += end + "\n"
	}
	at := len(text) + 1
	text += "\n## " + string(You) + "\n"
	l := headingsIn(text)
	return len(l) == 0 || l[len(l)-1].start != at
}

// fence returns a fence that closes every block of code in a text whose fences
// are made of a character.
func fence(markdown string, of byte) string {
	longest, run := 3, 0
	for i := range len(markdown) {
		if markdown[i] != of {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return strings.Repeat(string(of), longest)
}
