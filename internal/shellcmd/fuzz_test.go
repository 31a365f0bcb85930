package shellcmd

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"

	"github.com/emendo-dev/emendo/internal/shellcmd/shellcmdtest"
)

// allowable reports whether some rules could allow the command.
func allowable(r Analysis) bool {
	return len(r.Parts) > 0 && !slices.ContainsFunc(r.Parts, func(p Part) bool { return !p.Passes && !p.ReadOnly && !p.Covered(p.Words) })
}

// permitted reports whether a piece of syntax may be in an allowed command. The
// list is separate from the analysis.
func permitted(n syntax.Node) bool {
	switch n := n.(type) {
	case nil, *syntax.File, *syntax.Word, *syntax.TimeClause, *syntax.Comment:
		return true
	case *syntax.Stmt:
		return !n.Background && !n.Coprocess && !n.Disown && n.Cmd != nil
	case *syntax.CallExpr:
		return len(n.Assigns) == 0 && len(n.Args) > 0
	case *syntax.BinaryCmd:
		return n.Op == syntax.AndStmt || n.Op == syntax.OrStmt || n.Op == syntax.Pipe
	case *syntax.SglQuoted:
		return !n.Dollar
	case *syntax.DblQuoted:
		return !n.Dollar
	case *syntax.Lit:
		return true
	case *syntax.Redirect:
		return n.N == nil || strings.Trim(n.N.Value, "0123456789") == ""
	}
	return false
}

// A command that can be allowed contains only permitted syntax, and nothing
// that a shell would expand, judged by its characters alone.
func FuzzAnalyze(f *testing.F) {
	for _, c := range shellcmdtest.Commands(f, "/w") {
		if len(c.Command) < 1000 {
			f.Add(c.Command)
		}
	}
	f.Fuzz(func(t *testing.T, s string) {
		r := Analyze(s, "/w", []string{"/w"})
		if r.Known == (r.Why != "") {
			t.Errorf("%q is known: %v, and why not: %q", s, r.Known, r.Why)
		}
		for _, p := range r.Parts {
			if strings.ContainsFunc(p.Text, func(c rune) bool { return unicode.In(c, unicode.Cc, unicode.Cf) && c != '\n' && c != '\t' }) {
				t.Errorf("a part of %q hides something: %q", s, p.Text)
			}
			if !p.Known && (p.ReadOnly || p.Passes || p.Least > 0 || p.Offer != nil) {
				t.Errorf("a part of %q is not known, and could be allowed: %+v", s, p)
			}
			if p.Offer != nil && !p.Covered(p.Offer) {
				t.Errorf("what is offered does not cover a part of %q: %+v", s, p)
			}
		}
		if !allowable(r) {
			return
		}
		if !r.Known {
			t.Errorf("%q can be allowed and is not known: %s", s, r.Why)
		}
		if !utf8.ValidString(s) || len(s) > 16<<10 || strings.ContainsAny(s, "\r\x00\x1b") {
			t.Errorf("%q can be allowed", s)
		}
		if at := expands(s); at >= 0 && !strings.Contains(s, "<<") {
			t.Errorf("%q can be allowed, and something is expanded at %q", s, s[at:])
		}
		file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(s), "")
		if err != nil {
			t.Fatalf("%q can be allowed and is no syntax: %v", s, err)
		}
		syntax.Walk(file, func(n syntax.Node) bool {
			if !permitted(n) {
				t.Errorf("%q can be allowed with a %T", s, n)
			}
			return true
		})
	})
}

// expanding holds the characters that give a dollar sign a meaning.
const expanding = `{([?#@*!-$"'_0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ`

// expands returns the position of the first character outside of quotes and
// comments that has a meaning for a shell, or -1. It knows no grammar.
func expands(s string) int {
	quote, start := byte(0), true // current quote; at the start of a word
	for i := 0; i < len(s); i++ {
		c := s[i]
		at := start
		start = false
		switch {
		case quote == '\'':
			if c == '\'' {
				quote = 0
			}
		case c == '\\':
			i++
		case c == '$' && i+1 < len(s) && strings.IndexByte(expanding, s[i+1]) >= 0:
			if quote != '"' || s[i+1] != '"' && s[i+1] != '\'' {
				return i
			}
		case c == '`':
			return i
		case quote == '"':
			if c == '"' {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case c == '#' && at:
			for i < len(s) && s[i] != '\n' {
				i++
			}
			start = true
		case c == '(' || c == ')':
			return i
		case c == '~' && at:
			return i
		case c == '&':
			both := i+1 < len(s) && s[i+1] == '&'
			if !both && (i == 0 || s[i-1] != '<' && s[i-1] != '>') && (i+1 == len(s) || s[i+1] != '>') {
				return i
			}
			if both {
				i++
			}
			start = true
		default:
			start = strings.IndexByte(" \t\n;|<>", c) >= 0
		}
	}
	return -1
}
