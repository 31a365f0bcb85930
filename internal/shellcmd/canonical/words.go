package canonical

import (
	"regexp"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"
)

// Text that the shell can read in one way only, so it is printed as it is.
var (
	bareName = regexp.MustCompile(`^(\]|[A-Za-z0-9_./:@%+,-]+)$`)
	bare     = regexp.MustCompile(`^(\]|\{\}|[A-Za-z0-9_./:@%+,=-]+)$`)
	name     = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	tilde    = regexp.MustCompile(`^~[A-Za-z0-9_+-]*(/|$)`)
	brackets = regexp.MustCompile(`^[A-Za-z0-9_./:@%+,^!*?\[\]-]+$`)
	braced   = regexp.MustCompile(`^[A-Za-z0-9_./:@%+,*?{}-]+$`)
	ansi     = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\$'[ -&(-~]*'$`)
	})
	variable = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*#?$!-])$`)
	})
	parameter = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\$\{[!#]?([A-Za-z_][A-Za-z0-9_]*|[0-9@*#?])(\[([@*]|[0-9]+|\$?[A-Za-z_][A-Za-z0-9_]*)\])?([:=+?%#/^,@-]([A-Za-z0-9_./:@%+,=^*?#! "-]|\$[A-Za-z0-9_]|\$\{[A-Za-z0-9_]+\})*)?\}$`)
	})
	arithmetic = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\$?\(\(([A-Za-z0-9_ +*/%<>=!&|?:,~^()#\[\]-]|\$[A-Za-z0-9_]|\$\{#?[A-Za-z0-9_]+\})*\)\)$`)
	})
	counting = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\(\(([A-Za-z0-9_ +*/%<>=!&|?:,~^;()-]|\$[A-Za-z0-9_]|\$\{#?[A-Za-z0-9_]+\})*\)\)$`)
	})
	descriptor = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^([0-9]+|\{[A-Za-z_][A-Za-z0-9_]*\})$`)
	})
	unquoted = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?s)[*?]|(?:\\.|[^\\*?]|\\$)+`)
	})
	bracketed = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?s)^(?:\\.|[^\\\[])*\[`)
	})
	expression = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[A-Za-z0-9_./:@%+,^*?\[\]-]+\$?$`)
	})
)

// A piece is a part of a word that is printed in one way.
type piece struct {
	kind pieceKind
	text string
	node syntax.WordPart // of an expansion
}

type pieceKind int

const (
	literally pieceKind = iota // literal text
	asWritten                  // syntax that is kept: patterns, braces, a tilde
	expanded
	expandedInQuotes
)

// piecesOf splits a word into pieces. It returns false if a part has no
// canonical form.
func piecesOf(w *syntax.Word) ([]piece, bool) {
	if w == nil || len(w.Parts) == 0 {
		return nil, false
	}
	if l, whole, ok := keptWhole(w); whole {
		return l, ok
	}
	var l []piece
	for i, part := range w.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			text := part.Value
			if i == 0 && strings.HasPrefix(text, "~") {
				home := tilde.FindString(text)
				if home == "" || !strings.HasSuffix(home, "/") && len(w.Parts) > 1 {
					return nil, false
				}
				l, text = append(l, piece{kind: asWritten, text: home}), text[len(home):]
			}
			if strings.Contains(text, "=~") || strings.Contains(text, ":~") {
				return nil, false
			}
			l = append(l, unquotedPieces(text)...)
		case *syntax.SglQuoted:
			switch {
			case !part.Dollar:
				l = append(l, piece{text: part.Value})
			case !ansi().MatchString("$'" + part.Value + "'"):
				return nil, false
			default:
				l = append(l, piece{kind: asWritten, text: "$'" + part.Value + "'"})
			}
		case *syntax.DblQuoted:
			if part.Dollar {
				return nil, false
			}
			if len(part.Parts) == 0 {
				l = append(l, piece{})
			}
			for _, q := range part.Parts {
				if lit, ok := q.(*syntax.Lit); ok {
					l = append(l, piece{text: unquote.Replace(lit.Value)})
				} else {
					l = append(l, piece{kind: expandedInQuotes, node: q})
				}
			}
		default:
			l = append(l, piece{kind: expanded, node: part})
		}
	}
	return joinedPieces(l), true
}

// keptWhole returns the single piece of a word with brackets or braces that
// bash expands. It is kept as written if it contains only safe characters. For
// other words, whole is false.
func keptWhole(w *syntax.Word) (l []piece, whole, ok bool) {
	kept := (*regexp.Regexp)(nil)
	for _, part := range w.Parts {
		if lit, ok := part.(*syntax.Lit); ok && bracketed().MatchString(lit.Value) {
			kept = brackets
		}
	}
	if braces(w) {
		kept = braced
	}
	if kept == nil {
		return nil, false, false
	}
	lit, ok := w.Parts[0].(*syntax.Lit)
	if !ok || len(w.Parts) > 1 || !kept.MatchString(lit.Value) {
		return nil, true, false
	}
	return []piece{{kind: asWritten, text: lit.Value}}, true, true
}

// unquotedPieces splits unquoted text into literal text and the characters of a
// pattern.
func unquotedPieces(s string) []piece {
	var l []piece
	for _, text := range unquoted().FindAllString(s, -1) {
		switch plain := Unescape(text); {
		case text == "*" || text == "?":
			l = append(l, piece{kind: asWritten, text: text})
		case plain != "": // else it was a continued line
			l = append(l, piece{text: plain})
		}
	}
	return l
}

// joinedPieces joins adjacent pieces of the same kind.
func joinedPieces(l []piece) []piece {
	var joined []piece
	for _, p := range l {
		if n := len(joined) - 1; n >= 0 && p.node == nil && joined[n].node == nil && joined[n].kind == p.kind {
			joined[n].text += p.text
			continue
		}
		joined = append(joined, p)
	}
	return joined
}

// simpleParameter returns a plain reference to a variable.
func simpleParameter(n *syntax.ParamExp, source string) (string, bool) {
	if n.Param == nil || !variable().MatchString(n.Param.Value) {
		return "", false
	}
	text := TextOf(n, source)
	if text != "$"+n.Param.Value && text != "${"+n.Param.Value+"}" {
		return "", false
	}
	return "${" + n.Param.Value + "}", true
}

// TextOf returns a piece of syntax as it is written.
func TextOf(n syntax.Node, source string) string {
	from, to := n.Pos().Offset(), n.End().Offset()
	if from > to || to > uint(len(source)) {
		return ""
	}
	return source[from:to]
}

// Reserved holds the words that begin something other than a simple command.
var Reserved = func() map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq("if then elif else fi for while until do done case esac in select function time coproc declare typeset local export readonly let") {
		m[w] = true
	}
	return m
}()
