package visible

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Escape returns s with every hidden character but line end and tab, and every
// byte that is not UTF-8, written as the escape that a shell or a programmer
// would write: \x1b, \u202e.
func Escape(s string) string {
	if utf8.ValidString(s) && strings.IndexFunc(s, Hidden) < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case Hidden(r) && r != '\n' && r != '\t':
			b.WriteString(EscapeRune(r))
		default:
			b.WriteRune(r)
		}
		i += n
	}
	return b.String()
}

// EscapeRune returns the escape for r: \x1b, \u202e, \U000e0041.
func EscapeRune(r rune) string {
	switch {
	case r < utf8.RuneSelf:
		return fmt.Sprintf(`\x%02x`, r)
	case r < 0x10000:
		return fmt.Sprintf(`\u%04x`, r)
	default:
		return fmt.Sprintf(`\U%08x`, r)
	}
}
