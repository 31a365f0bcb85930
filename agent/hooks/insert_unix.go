//go:build !windows

package hooks

import "strings"

// shellExpands: the shell knows the environment as $NAME.
const shellExpands = true

// shellEscape takes the next character as it is.
const shellEscape = '\\'

// asWord is a value as bash takes it for one word where that quote is open; 0:
// none.
func asWord(value string, quote byte) string {
	if quote == '\'' {
		return value
	}
	return "'" + strings.ReplaceAll(value, "'", `'\''`) + "'"
}
