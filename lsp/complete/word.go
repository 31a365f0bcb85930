package complete

import (
	"os"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/emendo-dev/emendo/agent/briefing"
	"github.com/emendo-dev/emendo/ide"
)

// maxWord is the maximum length of the completed word, in bytes.
const maxWord = 4096

// word is the word that the user is typing after an @ or a /.
type word struct {
	start int    // offset of the mark, in bytes
	query string // after the mark, without the quotes and backslashes that protect blanks
}

// mentionBefore returns the mention at the end of a text: an @ at the start of a
// word and what follows, in the syntax of prompts.
func mentionBefore(text string) (word, bool) {
	for at := len(text); ; {
		at = strings.LastIndexByte(text[:at], '@')
		if at < 0 || len(text)-at > maxWord {
			return word{}, false
		}
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		if at > 0 && !unicode.IsSpace(before) && !strings.ContainsRune("([{<\"'`", before) {
			continue
		}
		if query, ok := unquoted(text[at+1:]); ok {
			return word{at, query}, true
		}
	}
}

// unquoted returns the path typed so far; false if it has ended.
func unquoted(typed string) (string, bool) {
	if quoted, ok := strings.CutPrefix(typed, `"`); ok {
		return quoted, !strings.ContainsAny(quoted, "\"\n")
	}
	return briefing.Unescape(typed)
}

// mention returns a path in the syntax of prompts.
func mention(path string) string {
	if !strings.ContainsFunc(path, unicode.IsSpace) && !strings.HasPrefix(path, `"`) && (os.PathSeparator == '\\' || !strings.Contains(path, `\`)) {
		return "@" + path
	}
	if !strings.Contains(path, `"`) {
		return `@"` + path + `"`
	}
	var b strings.Builder
	b.WriteByte('@')
	for _, r := range path {
		if unicode.IsSpace(r) || r == '\\' || r == '"' {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// commandBefore returns the slash command at the end of a text, if the text begins
// with it.
func commandBefore(text string) (word, bool) {
	typed := strings.TrimLeftFunc(text, unicode.IsSpace)
	query, ok := strings.CutPrefix(typed, "/")
	if !ok || strings.ContainsFunc(query, unicode.IsSpace) || strings.Contains(query, "/") {
		return word{}, false
	}
	return word{len(text) - len(typed), query}, true
}

// bytesOf converts an offset in units of an encoding to bytes. An offset past the
// end is clamped to the end, one inside a character to its start.
func bytesOf(text string, units int, e ide.Encoding) int {
	for i, r := range text {
		if units -= e.Units(utf8.RuneLen(r)); units < 0 {
			return i
		}
	}
	return len(text)
}

// unitsBefore returns the length of a text in units of an encoding.
func unitsBefore(text string, e ide.Encoding) int {
	n := 0
	for _, r := range text {
		n += e.Units(utf8.RuneLen(r))
	}
	return n
}
