package canonical

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Literal is the text that a word stands for, when that can be said without
// running anything: no expansion, no pattern, no braces, no tilde.
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

// Unescape takes the backslashes out of unquoted text and says whether it
// holds a character that makes it a pattern.
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

// Unquote takes the backslashes that count out of double-quoted text.
func Unquote(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && strings.IndexByte("$`\"\\\n", s[i+1]) >= 0 {
			if i++; s[i] == '\n' {
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// braces says whether a word might stand for several, as in {a,b} or {1..9}.
// To see a list where there is none only makes a word unknown.
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
