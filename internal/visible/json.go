package visible

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf16"
)

// EscapeJSON returns JSON in which hidden characters are written as \u escapes,
// which means the same. JSON that is printed may be read on a terminal, which
// would obey control and direction characters that are allowed in strings.
func EscapeJSON(s string) string {
	if strings.IndexFunc(s, steers) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case !steers(r):
			b.WriteRune(r)
		case r > 0xFFFF:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// steers reports whether a character of JSON is hidden; the line ends and tabs
// between its values are not.
func steers(r rune) bool { return r > '~' && Hidden(r) }

// JSON returns a writer for a JSON encoder, which writes each value at once. It
// writes to w with hidden characters escaped.
func JSON(w io.Writer) io.Writer { return escaped{w} }

// PrintJSON writes a value as indented JSON with the escapes of [JSON].
func PrintJSON(w io.Writer, v any) error {
	e := json.NewEncoder(JSON(w))
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

type escaped struct{ w io.Writer }

func (e escaped) Write(b []byte) (int, error) {
	if _, err := io.WriteString(e.w, EscapeJSON(string(b))); err != nil {
		return 0, err
	}
	return len(b), nil
}
