package hooks

import (
	"path/filepath"
	"strings"
	"unicode"
)

// inserted is a command with the places put in where it names them, such as
// $GEMINI_PROJECT_DIR, so that a folder with a blank in its name is one word and
// runs nothing.
func (s Scene) inserted(command string) string {
	places := s.places()
	var b strings.Builder
	quote := byte(0) // the one that is open
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
			if value, ok := places[name]; ok && fits(value, quote) {
				b.WriteString(asWord(value, quote))
				i += len(name)
				continue
			}
		}
		b.WriteByte(c)
	}
	return b.String()
}

// fits reports whether a value is put in where that quote is open; 0: none. Between
// double quotes, a shell that knows the environment by the same names does it
// itself. What stands between single ones is often read once more, by another
// shell, where no quotes of ours would hold: only what means nothing but itself
// goes there, and that shell finds the rest in its environment.
func fits(value string, quote byte) bool {
	switch quote {
	case '"':
		return !shellExpands
	case '\'':
		return strings.IndexFunc(value, means) < 0
	}
	return true
}

// means reports whether a character may mean something to a shell, besides that a
// word ends.
func means(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != filepath.Separator && !strings.ContainsRune(" _-./:,+@=~%", r)
}

// nameAt is the name of a variable that a text begins with.
func nameAt(s string) string {
	end := strings.IndexFunc(s, func(r rune) bool {
		return r != '_' && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	if end < 0 {
		return s
	}
	return s[:end]
}
