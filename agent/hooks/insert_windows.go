package hooks

import "strings"

// shellExpands reports that $NAME is not an environment variable in PowerShell.
const shellExpands = false

// shellEscape quotes the next character.
const shellEscape = '`'

// asWord quotes a value so that PowerShell takes it as part of one word within
// the open quote, or outside quotes if quote is 0.
func asWord(value string, quote byte) string {
	switch quote {
	case '"':
		return strings.NewReplacer("`", "``", `"`, "`\"", "$", "`$").Replace(value)
	case '\'':
		return value
	}
	return "'" + strings.ReplaceAll(value, "'", "''") + "'"
}
