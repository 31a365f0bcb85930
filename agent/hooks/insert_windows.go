package hooks

import "strings"

// shellExpands: to PowerShell, $NAME is a variable of its own.
const shellExpands = false

// shellEscape takes the next character as it is.
const shellEscape = '`'

// asWord is a value as PowerShell takes it for one word where that quote is
// open; 0: none.
func asWord(value string, quote byte) string {
	switch quote {
	case '"':
		return strings.NewReplacer("`", "``", `"`, "`\"", "$", "`$").Replace(value)
	case '\'':
		return value
	}
	return "'" + strings.ReplaceAll(value, "'", "''") + "'"
}
