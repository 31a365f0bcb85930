package shellcmd

import (
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// literal is the text that a word stands for, when that can be said without
// running anything: no expansion, no pattern, no braces, no tilde.
func literal(w *syntax.Word) (string, bool) {
	if w == nil {
		return "", false
	}
	var b strings.Builder
	for i, p := range w.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			text, special := unescape(p.Value)
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
				b.WriteString(unquote(lit.Value))
			}
		default:
			return "", false
		}
	}
	return b.String(), !braces(w)
}

// unescape takes the backslashes out of unquoted text and says whether it
// holds a character that makes it a pattern.
func unescape(s string) (text string, special bool) {
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

// unquote takes the backslashes that count out of double-quoted text.
func unquote(s string) string {
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

// A word of a command line, as far as it is known.
type word struct {
	text    string       // what it is, or what it begins with
	source  string       // as it is written
	from    uint         // where that begins in the text that it is a part of
	known   bool         // text is all of it, and it is one word
	home    string       // it is not known for certain, and stands for this file in a home
	pattern bool         // it is not known, and stands for nothing but names of files
	plain   bool         // it is known, and no shell would read it as anything else
	node    *syntax.Word // as it was parsed; nil when it is a part of a word
	run     []string     // the words that are known from it on, up to one that is not
}

func (w word) is(l ...string) bool {
	for _, s := range l {
		if w.known && w.text == s {
			return true
		}
	}
	return false
}

// words are the arguments of a call, which are written in source.
func words(args []*syntax.Word, source string) []word {
	l := make([]word, len(args))
	texts := make([]string, len(args))
	for i, w := range args {
		l[i].text, l[i].known = literal(w)
		l[i].node, l[i].from = w, w.Pos().Offset()
		l[i].source = source[l[i].from:w.End().Offset()]
		if !l[i].known {
			l[i].text, l[i].pattern, l[i].home = beginning(w), isPattern(w), atHome(w)
		}
		l[i].plain = l[i].known && l[i].text != "" && strings.IndexFunc(l[i].text, unusual) < 0
		texts[i] = l[i].text
	}
	end := len(l) // the runs share their words: a line may be thousands of wrappers long
	for i := len(l) - 1; i >= 0; i-- {
		if !l[i].known {
			end = i
		}
		l[i].run = texts[i:end:end]
	}
	return l
}

// leading are the literal words that a line begins with.
func leading(l []word) []string {
	if len(l) == 0 {
		return nil
	}
	run := l[0].run
	return run[:min(len(run), len(l))]
}

// beginning is the literal text that a word that is not known begins with.
func beginning(w *syntax.Word) string {
	lit, ok := w.Parts[0].(*syntax.Lit)
	if !ok {
		return ""
	}
	text, _, _ := strings.Cut(lit.Value, "\\")
	return text
}

// isPattern says whether a word can only stand for names of files.
func isPattern(w *syntax.Word) bool {
	lit, ok := w.Parts[0].(*syntax.Lit)
	return ok && len(w.Parts) == 1 && !strings.ContainsAny(lit.Value, `\~{`)
}

// atHome is the file that a word means which begins with a home, as in ~/x,
// ~root/x and "$HOME/x"; empty when it is no such word.
func atHome(w *syntax.Word) string {
	var home string
	var err error
	rest := syntax.Word{Parts: slices.Clone(w.Parts)}
	switch p := rest.Parts[0].(type) {
	case *syntax.Lit:
		name, path, more := strings.Cut(p.Value, "/")
		if name, ok := strings.CutPrefix(name, "~"); ok && (more || len(rest.Parts) == 1) {
			home, err = homeOf(name)
		}
		rest.Parts[0] = &syntax.Lit{Value: "/" + path}
	case *syntax.ParamExp:
		if isHome(p) {
			home, err = homeOf("")
		}
		rest.Parts = rest.Parts[1:]
	case *syntax.DblQuoted:
		if len(p.Parts) > 0 && isHome(p.Parts[0]) {
			home, err = homeOf("")
			rest.Parts[0] = &syntax.DblQuoted{Parts: p.Parts[1:]}
		}
	}
	text, known := literal(&rest)
	if home == "" || err != nil || !known || text != "" && text[0] != '/' {
		return ""
	}
	return filepath.Join(home, text)
}

// isHome says whether a piece of a word is $HOME or ${HOME}.
func isHome(p syntax.WordPart) bool {
	e, ok := p.(*syntax.ParamExp)
	return ok && e.Param.Value == "HOME" && (e.Short || e.End().Offset()-e.Pos().Offset() == uint(len("${HOME}")))
}

// homeOf is the home of a user, or of who runs emendo.
func homeOf(name string) (string, error) {
	if name == "" {
		return os.UserHomeDir()
	}
	u, err := user.Lookup(name)
	if err != nil {
		return "", err
	}
	return u.HomeDir, nil
}
