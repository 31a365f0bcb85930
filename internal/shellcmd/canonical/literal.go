package canonical

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Literal returns the text of a word if nothing has to be run or expanded to
// know it: no expansion, pattern, braces or tilde.
func Literal(w *syntax.Word) (string, bool) {
	if w == nil {
		return "", false
	}
	var b strings.Builder
	for i, p := range w.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			text, special := Unescape(p.Value)
			if special || i == 0 && strings.HasPrefix(p.Value, "~") || strings.Contains(p.Value, "=~") || strings.Contains(p.Value, ":~") {
				return "", false
			}
			b.WriteString(text)
		case *syntax.SglQuoted:
			if p.Dollar {
				return "", false
			}
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			if p.Dollar {
				return "", false
			}
			for _, q := range p.Parts {
				lit, ok := q.(*syntax.Lit)
				if !ok {
					return "", false
				}
				b.WriteString(Unquote(lit.Value))
			}
		default:
			return "", false
		}
	}
	return b.String(), !braces(w)
}

// Unescape removes the backslashes from unquoted text and reports whether it
// contains a character of a pattern.
func Unescape(s string) (text string, special bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\' && i+1 < len(s):
			if i++; s[i] != '\n' {
				b.WriteByte(s[i])
			}
		case c == '*' || c == '?' || c == '[':
			special = true
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), special
}

// Unquote removes the backslashes that quote something in double-quoted text.
func Unquote(s string) string { return unescape(s, "$`\"\\\n") }

// unescape removes the backslashes before the given characters, and newlines after them.
func unescape(s, characters string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && strings.IndexByte(characters, s[i+1]) >= 0 {
			if i++; s[i] == '\n' {
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// braces reports whether a word might expand to several, as {a,b} and {1..9}
// do. A false positive only makes a word unknown.
func braces(w *syntax.Word) bool {
	open, list := false, false
	for _, p := range w.Parts {
		if lit, ok := p.(*syntax.Lit); ok {
			open = open || strings.Contains(lit.Value, "{")
			list = list || strings.Contains(lit.Value, ",") || strings.Contains(lit.Value, "..")
		}
	}
	return open && list
}
