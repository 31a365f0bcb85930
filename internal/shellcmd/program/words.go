package program

import (
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/emendo-dev/emendo/internal/shellcmd/canonical"
)

// A Word of a command line, as far as it is known.
type Word struct {
	Text    string       // what it is, or what it begins with
	Source  string       // as it is written
	From    uint         // where that begins in the text that it is a part of
	Known   bool         // text is all of it, and it is one word
	Home    string       // it is not known for certain, and stands for this file in a home
	pattern bool         // it is not known, and stands for nothing but names of files
	plain   bool         // it is known, and no shell would read it as anything else
	Node    *syntax.Word // as it was parsed; nil when it is a part of a word
	run     []string     // the words that are known from it on, up to one that is not
}

func (w Word) Is(l ...string) bool {
	for _, s := range l {
		if w.Known && w.Text == s {
			return true
		}
	}
	return false
}

// Words are the arguments of a call, which are written in source.
func Words(args []*syntax.Word, source string) []Word {
	l := make([]Word, len(args))
	texts := make([]string, len(args))
	for i, w := range args {
		l[i].Text, l[i].Known = canonical.Literal(w)
		l[i].Node, l[i].From = w, w.Pos().Offset()
		l[i].Source = source[l[i].From:w.End().Offset()]
		if !l[i].Known {
			l[i].Text, l[i].pattern, l[i].Home = beginning(w), isPattern(w), atHome(w)
		}
		l[i].plain = l[i].Known && l[i].Text != "" && strings.IndexFunc(l[i].Text, unusual) < 0
		texts[i] = l[i].Text
	}
	end := len(l) // the runs share their words: a line may be thousands of wrappers long
	for i := len(l) - 1; i >= 0; i-- {
		if !l[i].Known {
			end = i
		}
		l[i].run = texts[i:end:end]
	}
	return l
}

// Leading are the literal words that a line begins with.
func Leading(l []Word) []string {
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
	text, known := canonical.Literal(&rest)
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

// Base is the name of a program without its folder.
func Base(w Word) string {
	if !w.Known {
		return ""
	}
	return w.Text[strings.LastIndexByte(w.Text, '/')+1:]
}

// unusual says whether a character may mean something to a shell.
func unusual(r rune) bool {
	return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("_-./,:@%+", r))
}
