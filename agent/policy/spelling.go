package policy

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/internal/shellcmd"
)

// spellings returns the texts that an expression which denies or asks is
// matched against: the part as written, word by word, and with its program's
// bare name.
func spellings(p shellcmd.Part) []string {
	l := []string{p.Text}
	for _, words := range append([][]string{p.Words}, p.Aliases...) {
		if len(words) == 0 {
			continue
		}
		l = append(l, strings.Join(words, " "))
		if name := strings.ToLower(path.Base(words[0])); name != words[0] {
			l = append(l, strings.Join(append([]string{name}, words[1:]...), " "))
		}
	}
	return l
}

// begins reports whether an expression about commands matches a text or, as in
// Gemini CLI, its form in the JSON arguments.
func begins(e *regexp.Regexp, text string) bool {
	return e.MatchString(text) || e.MatchString(inJSON(text)+`"`)
}

// operators matches what separates simple commands, and redirections.
const operators = "|&;<>()"

// joins reports whether a rule's words span several simple commands or
// redirections.
func joins(prefix []string) bool {
	return slices.ContainsFunc(prefix, func(w string) bool { return strings.ContainsAny(w, operators) })
}

// spelled reports whether one of the texts begins with these words as written.
func spelled(prefix []string, texts ...string) bool {
	return slices.ContainsFunc(texts, func(s string) bool {
		words, ok := split(s)
		return ok && shellcmd.Part{Words: words}.Named(prefix)
	})
}

// names reports whether the first n bytes of a part's text are as many words as
// a rule that allows must name, and end at the end of a word.
func names(p shellcmd.Part, n int) bool {
	text, rest := p.Text[:n], p.Text[n:]
	if p.Least == 0 {
		return rest == ""
	}
	if rest != "" && rest[0] != ' ' && rest[0] != '\t' && !strings.HasSuffix(text, " ") {
		return false
	}
	words, ok := split(text)
	return ok && p.Names(len(words)) && len(p.Words) >= p.Least && slices.Equal(words[:p.Least], p.Words[:p.Least])
}

// commandNames is names for the match of an expression about a command.
func commandNames(e *regexp.Regexp, p shellcmd.Part) bool {
	at := e.FindStringIndex(p.Text)
	return at != nil && names(p, at[1])
}

// argumentsName is names for the match of an expression about all arguments,
// with the part's text as the command.
func argumentsName(e *regexp.Regexp, a argumentText, p shellcmd.Part) bool {
	at := e.FindStringIndex(a.JSON)
	if a.To == 0 || at == nil || at[0] > a.From || at[1] <= a.From {
		return false
	}
	if at[1] >= a.To {
		return names(p, len(p.Text))
	}
	n := 0 // bytes of the text before the end of the match
	for left := at[1] - a.From; n < len(p.Text); {
		next := n + 1
		for next < len(p.Text) && p.Text[next]&0xC0 == 0x80 {
			next++
		}
		if left -= len(inJSON(p.Text[n:next])); left < 0 {
			break
		}
		n = next
	}
	return names(p, n)
}

// widens reports whether a part has words that expand to file names when it
// runs.
func widens(p shellcmd.Part) bool {
	if !strings.ContainsAny(p.Text, "*?[") {
		return false
	}
	words, ok := split(p.Text)
	return !ok || !slices.Equal(words, p.Words)
}

// mayMean reports whether a rule that denies may apply to a part that is not
// fully known: its program, or a word that matters, is known only when it runs.
func (r *Rule) mayMean(p shellcmd.Part) bool {
	if len(r.Prefixes) == 0 && !r.opened {
		return false
	}
	if len(p.Words) == 0 || slices.ContainsFunc(r.Prefixes, func(prefix []string) bool { return begun(p, prefix) }) {
		return true
	}
	return r.opened && slices.ContainsFunc(spellings(p)[1:], func(s string) bool { return r.opens.admits(s+" ") || r.opens.admits(inJSON(s)+" ") })
}

// mostRead limits how many words of a part's input are tried.
const mostRead = 4096

// mostLaunched limits how many words of a part are tried as a program that it
// launches.
const mostLaunched = 64

// mayBeLaunched reports whether a rule that denies may apply to a program that
// an unknown program launches, named in its words or its input.
func (r *Rule) mayBeLaunched(p shellcmd.Part) bool {
	means := func(words []string) bool {
		return slices.ContainsFunc(r.Prefixes, func(prefix []string) bool { return shellcmd.Part{Words: words}.Named(prefix) }) ||
			r.Command != nil && begins(r.Command, strings.Join(words, " "))
	}
	for _, words := range [][]string{p.Words, strings.FieldsFunc(p.Text, parts)} {
		for i := 1; i < len(words) && i < mostLaunched; i++ {
			if means(words[i:]) {
				return true
			}
		}
	}
	input := strings.FieldsFunc(p.Input, parts)
	for i := range input[:min(len(input), mostRead)] {
		if means(input[i:]) {
			return true
		}
	}
	return false
}

// parts reports whether r separates words or the names of programs.
func parts(r rune) bool {
	return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("_-./+", r))
}

// begun reports whether the known words of a part are the first words of a
// rule's prefix.
func begun(p shellcmd.Part, prefix []string) bool {
	n := len(p.Words)
	return n < len(prefix) && p.Named(prefix[:n])
}
