package view

import (
	"encoding/json"
	"errors"
	"strings"
)

// Row is a line of a diff.
type Row struct {
	Mark  string   // "=", "-" or "+"; "…" for lines that are left out
	Text  string   // without the end of the line
	Words [][2]int // what has changed in the line, from and to, in units of the position encoding
}

// MarshalJSON returns a row as an array.
func (r Row) MarshalJSON() ([]byte, error) {
	l := []any{r.Mark, r.Text}
	if len(r.Words) > 0 {
		l = append(l, r.Words)
	}
	return json.Marshal(l)
}

// UnmarshalJSON reads a row.
func (r *Row) UnmarshalJSON(b []byte) error {
	var l []json.RawMessage
	if err := json.Unmarshal(b, &l); err != nil {
		return err
	}
	*r = Row{}
	for i, to := range []any{&r.Mark, &r.Text, &r.Words} {
		if i < len(l) {
			if err := json.Unmarshal(l[i], to); err != nil {
				return err
			}
		}
	}
	if len(l) < 2 {
		return errors.New("a row has a mark and a text")
	}
	return nil
}

// linesOf returns the lines of a text without their ends: "\n", "\r\n" or a lone "\r".
func linesOf(s string) (l []string) {
	for s != "" {
		i := strings.IndexAny(s, "\r\n")
		if i < 0 {
			return append(l, s)
		}
		l = append(l, s[:i])
		if strings.HasPrefix(s[i:], "\r\n") {
			i++
		}
		s = s[i+1:]
	}
	return l
}
