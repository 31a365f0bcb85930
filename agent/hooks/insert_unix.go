//go:build !windows

package hooks

import "strings"

// shellExpands reports that the shell expands environment variables as $NAME.
const shellExpands = true

// shellEscape quotes the next character.
const shellEscape = '\\'

// asWord quotes a value so that bash takes it as part of one word within the
// open quote, or outside quotes if quote is 0.
func asWord(value string, quote byte) string {
	if quote == '\'' {
		return value
	}
	return "'" + strings.ReplaceAll(value, "'", `'\''`) + "'"
}
