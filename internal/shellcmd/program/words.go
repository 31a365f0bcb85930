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

// A Word is a word of a command line, as far as it is known.
type Word struct {
	Text    string       // the text, or its literal beginning
	Source  string       // as it is written
	From    uint         // offset of Source in the text that it is part of
	Known   bool         // Text is complete, and it is one word
	Home    string       // if not Known: the file in a home directory that it most likely means
	pattern bool         // not known, but it can only expand to names of files
	plain   bool         // known, and any shell would read it unchanged
	Node    *syntax.Word // as it was parsed; nil for a part of a word
	run     []string     // the known words from this one on
}

// Is reports whether the word is known and one of l.
func (w Word) Is(l ...string) bool {
	return w.Known && slices.Contains(l, w.Text)
}

// Pattern reports whether the word is not known, but can only expand to names of files.
func (w Word) Pattern() bool { return w.pattern }

// Words returns the arguments of a call, which are written in source.
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
	end := len(l) // the runs share one array: a line may be thousands of wrappers long
	for i := len(l) - 1; i >= 0; i-- {
		if !l[i].Known {
			end = i
		}
		l[i].run = texts[i:end:end]
	}
	return l
}

// Leading returns the literal words that l begins with.
func Leading(l []Word) []string {
	if len(l) == 0 {
		return nil
	}
	run := l[0].run
	return run[:min(len(run), len(l))]
}

// beginning returns the literal text that an unknown word begins with.
func beginning(w *syntax.Word) string {
	lit, ok := w.Parts[0].(*syntax.Lit)
	if !ok {
		return ""
	}
	text, _, _ := strings.Cut(lit.Value, "\\")
	return text
}

// isPattern reports whether a word can only expand to names of files.
func isPattern(w *syntax.Word) bool {
	lit, ok := w.Parts[0].(*syntax.Lit)
	return ok && len(w.Parts) == 1 && !strings.ContainsAny(lit.Value, `\~{`)
}

// atHome returns the file that a word means if it begins with a home directory,
// as ~/x, ~root/x and "$HOME/x" do; else the empty string.
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

// isHome reports whether a part of a word is $HOME or ${HOME}.
func isHome(p syntax.WordPart) bool {
	e, ok := p.(*syntax.ParamExp)
	return ok && e.Param.Value == "HOME" && (e.Short || e.End().Offset()-e.Pos().Offset() == uint(len("${HOME}")))
}

// homeOf returns the home directory of a user; of the current one for an empty
// name.
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

// Base returns the name of a program without its directory.
func Base(w Word) string {
	if !w.Known {
		return ""
	}
	return w.Text[strings.LastIndexByte(w.Text, '/')+1:]
}

// unusual reports whether r may have a meaning for a shell.
func unusual(r rune) bool {
	return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("_-./,:@%+", r))
}
