package visible

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Name returns a name as it is shown to the model and the user, on one line and
// with hidden characters escaped. A file may have any name: with a line end it
// could pass for our output, with a bidirectional control for another name.
func Name(name string) string {
	plain := func(r rune) bool {
		return r == ' ' || r != utf8.RuneError && unicode.IsGraphic(r) && !unicode.IsSpace(r) && !Hidden(r)
	}
	if strings.IndexFunc(name, func(r rune) bool { return !plain(r) }) < 0 {
		return name
	}
	var s strings.Builder
	for len(name) > 0 {
		r, size := utf8.DecodeRuneInString(name)
		if plain(r) {
			s.WriteString(name[:size])
		} else {
			q := strconv.QuoteToASCII(name[:size])
			s.WriteString(q[1 : len(q)-1])
		}
		name = name[size:]
	}
	return s.String()
}
