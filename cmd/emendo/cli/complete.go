package cli

import (
	"fmt"
	"slices"
	"strings"
)

// A Candidate is a word that completes what was typed.
type Candidate struct{ Text, Help string }

// A Completion is what may be typed at the end of a command line.
type Completion struct {
	Candidates []Candidate
	Paths      Paths // to be completed by the shell
}

// Paths are the files that complete a word.
type Paths string

// The kinds of [Paths].
const (
	NoPaths Paths = "none"
	Files   Paths = "files"
	Folders Paths = "folders"
)

// String returns the completion as the scripts read it: the kind of paths, then a
// candidate a line, with a tab before its help.
func (c Completion) String() string {
	var b strings.Builder
	fmt.Fprintln(&b, c.Paths)
	for _, w := range c.Candidates {
		fmt.Fprintf(&b, "%s\t%s\n", w.Text, w.Help)
	}
	return b.String()
}

// Complete completes the last of the words that follow the program's name. The word
// for a value or an argument decides how that is completed: words to choose from like
// a|b by those, FILE and FOLDER by the shell, any other one by what values returns for
// it, such as the stored sessions for SESSION.
func (c Command) Complete(words []string, values func(kind string) []Candidate) Completion {
	if len(words) == 0 {
		words = []string{""}
	}
	line := typedLine{command: c, values: values}
	last := len(words) - 1
	for _, w := range words[:last] {
		line.add(w)
	}
	found := line.candidates(words[last])
	found.Candidates = slices.DeleteFunc(found.Candidates, func(w Candidate) bool { return !strings.HasPrefix(w.Text, words[last]) })
	return found
}

// typedLine is the part of a command line before the word to complete.
type typedLine struct {
	command Command // the innermost one
	values  func(kind string) []Candidate
	flag    *Flag // the one whose value comes next
	plain   bool  // no more flags are read
	args    int   // arguments read
}

// add reads a word.
func (l *typedLine) add(word string) {
	switch {
	case l.flag != nil:
		l.flag = nil
	case word == "--" && !l.plain:
		l.plain = true
	case strings.HasPrefix(word, "-") && !l.plain:
		if f := l.named(word); f != nil && f.Value != "" {
			l.flag = f
		}
	case len(l.command.Subcommands) > 0:
		if sub, ok := l.command.Subcommand(word); ok {
			l.command = sub
		}
	default:
		l.args++
		l.plain = l.plain || l.command.FlagsFirst
	}
}

// named returns the flag of a name as it is typed.
func (l *typedLine) named(word string) *Flag {
	for _, f := range l.command.Flags() {
		if slices.ContainsFunc(f.Names, func(n string) bool { return strings.TrimLeft(n, "-") == strings.TrimLeft(word, "-") }) {
			return &f
		}
	}
	return nil
}

// candidates returns what may follow, whatever of it was typed.
func (l *typedLine) candidates(word string) Completion {
	name, _, assigned := strings.Cut(word, "=")
	switch {
	case l.flag != nil:
		return l.ofKind(l.flag.Value)
	case l.plain || !strings.HasPrefix(word, "-"):
		return l.arguments()
	case assigned:
		f := l.named(name)
		if f == nil || f.Value == "" {
			return Completion{Paths: NoPaths}
		}
		found := l.ofKind(f.Value)
		for i := range found.Candidates {
			found.Candidates[i].Text = name + "=" + found.Candidates[i].Text
		}
		return found
	}
	found := Completion{Paths: NoPaths}
	for _, f := range l.command.Flags() {
		for _, n := range f.Names {
			found.Candidates = append(found.Candidates, Candidate{n, f.text()})
		}
	}
	found.Candidates = append(found.Candidates, Candidate{"--help", "print help"})
	return found
}

// arguments returns what completes a subcommand or an argument.
func (l *typedLine) arguments() Completion {
	found := Completion{Paths: NoPaths}
	if len(l.command.Subcommands) > 0 {
		for _, s := range l.command.visible() {
			found.Candidates = append(found.Candidates, Candidate{s.Name, s.Summary})
		}
		return found
	}
	want := l.command.arguments()
	switch n := len(want); {
	case l.args < n:
		return l.ofKind(want[l.args].name)
	case n > 0 && want[n-1].repeats:
		return l.ofKind(want[n-1].name)
	}
	return found
}

// ofKind returns what completes a value.
func (l *typedLine) ofKind(kind string) Completion {
	switch kind, _, _ = strings.Cut(kind, ","); {
	case kind == "FILE":
		return Completion{Paths: Files}
	case kind == "FOLDER":
		return Completion{Paths: Folders}
	case strings.Contains(kind, "|") && kind == strings.ToLower(kind):
		found := Completion{Paths: NoPaths}
		for w := range strings.SplitSeq(kind, "|") {
			found.Candidates = append(found.Candidates, Candidate{Text: w})
		}
		return found
	}
	return Completion{Candidates: l.values(kind), Paths: NoPaths}
}
