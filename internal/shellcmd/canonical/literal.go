package canonical

import (
	"regexp"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"
)

// Literal returns the text of a word if nothing has to be run or expanded to
// know it: no expansion, pattern, braces or tilde.
func Literal(w *syntax.Word) (string, bool) {
	if w != nil && len(w.Parts) == 0 { // what is left behind a part that was taken off
		return "", true
	}
	l, ok := piecesOf(w)
	var b strings.Builder
	for _, p := range l {
		ok = ok && p.kind == literally
		b.WriteString(p.text)
	}
	if !ok {
		return "", false
	}
	return b.String(), true
}

var escaped = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?s)\\(?:\n|(.))`)
})

// Unescape removes the backslashes from unquoted text.
func Unescape(s string) string { return escaped().ReplaceAllString(s, "$1") }

// unquote removes the backslashes that quote something in double-quoted text, and
// unquoteDocument those in the text of a here-document that is expanded.
var (
	unquote         = strings.NewReplacer(`\$`, "$", "\\`", "`", `\"`, `"`, `\\`, `\`, "\\\n", "")
	unquoteDocument = strings.NewReplacer(`\$`, "$", "\\`", "`", `\\`, `\`)
)

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
