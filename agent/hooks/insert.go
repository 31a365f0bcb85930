package hooks

import (
	"path/filepath"
	"strings"
	"unicode"
)

// inserted substitutes the variables for places in a command, such as
// $GEMINI_PROJECT_DIR. The value is quoted, so a folder name with spaces stays
// one word and cannot run anything.
func (s Scene) inserted(command string) string {
	places := s.places()
	var b strings.Builder
	quote := byte(0) // the open quote
	for i := 0; i < len(command); i++ {
		c := command[i]
		switch {
		case quote == 0 && (c == '\'' || c == '"'):
			quote = c
		case c == quote:
			quote = 0
		case c == shellEscape && quote != '\'' && i+1 < len(command):
			b.WriteByte(c)
			i++
			c = command[i]
		case c == '$':
			name := nameAt(command[i+1:])
			if value, ok := places[name]; ok && canInsert(value, quote) {
				b.WriteString(asWord(value, quote))
				i += len(name)
				continue
			}
		}
		b.WriteByte(c)
	}
	return b.String()
}

// canInsert reports whether a value may be substituted within the open quote, or
// outside quotes if quote is 0. Within double quotes, a shell whose variables
// have the same names does it itself. Text in single quotes is often parsed
// again by another shell, which our quoting would not survive: only values
// without special characters are substituted there, and that shell finds the
// others in its environment.
func canInsert(value string, quote byte) bool {
	switch quote {
	case '"':
		return !shellExpands
	case '\'':
		return strings.IndexFunc(value, means) < 0
	}
	return true
}

// means reports whether a character may have a special meaning to a shell,
// other than separating words.
func means(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != filepath.Separator && !strings.ContainsRune(" _-./:,+@=~%", r)
}

// nameAt returns the name of a variable that a text begins with.
func nameAt(s string) string {
	end := strings.IndexFunc(s, func(r rune) bool {
		return r != '_' && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	if end < 0 {
		return s
	}
	return s[:end]
}
