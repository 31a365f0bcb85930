package program

import (
	"strings"
)

// Some calls run more than their words show: they evaluate text in another
// language, or launch programs that a setting, an option or their input names.
// Such a part is opaque: a rule that denies may apply to it, whatever its words
// are. A program that runs the workspace's own files (make, npm test, a script)
// is not opaque: its name says what it does.

// Evaluates marks the call as opaque, for the given reason.
func (c *Call) Evaluates(why string) {
	if c.p.Opaque == "" {
		c.p.Opaque = why
	}
}

// Reasons why a part is opaque.
const (
	WhyRunsInput  = "it runs what it reads"
	whyRunsNamed  = "it launches a program that its words name"
	whyRunsLater  = "it runs commands later"
	WhyRunsFilled = "what it runs is filled in when it runs"
	WhySubscripts = "it evaluates the subscript in the name of a variable"
	WhyRenames    = "it gives a variable a second name"
	whyAnywhere   = "it turns words of later commands into variables"
)

// isDevice reports whether a word names the input of the call instead of a
// file, or is not known.
func (w Word) isDevice() bool {
	return !w.Known || strings.HasPrefix(w.Text, "/dev/") || strings.HasPrefix(w.Text, "/proc/")
}

// Names handles the words of a builtin that are names of variables: bash
// evaluates a subscript in them, and some variables decide what runs.
func (c *Call) Names(l []Word) {
	for _, w := range l {
		switch {
		case !w.Known || strings.ContainsAny(w.Text, "[$`"):
			c.Evaluates(WhySubscripts)
		case VariableDecides(w.Text) || VariableNamesProgram(w.Text):
			c.Evaluates("it sets " + w.Text + ", which decides what runs")
		}
	}
}

// builtins handles the builtins of bash that run more than their words say.
func (c *Call) builtins() {
	l := c.words[1:]
	switch c.name {
	case ".", "source":
		for len(l) > 0 && l[0].Is("--") {
			l = l[1:]
		}
		switch {
		case len(l) == 0 || !l[0].isDevice():
		case l[0].Known && c.s.Quoted:
			c.walker.Script(c.p, c.s.Input, c.s, nil)
		default:
			c.Evaluates(WhyRunsInput)
		}
	case "set":
		c.sets(l)
	case "shopt":
		c.Flagged(l, "o", whyAnywhere)
	case "hash":
		c.Flagged(l, "p", whyRunsNamed)
	case "enable":
		c.Flagged(l, "f", whyRunsNamed)
	case "bind", "fc":
		if len(l) > 0 {
			c.Evaluates(whyRunsNamed)
		}
	case "complete", "compgen":
		c.Flagged(l, "CFW", "it evaluates its words")
	case "jobs":
		if len(l) > 1 && strings.HasPrefix(l[0].Text, "-x") {
			c.walker.Inner(l[1:], c.s, false)
		}
	case "read":
		c.Names(namesAmong(l, "ptnNdui"))
	case "mapfile", "readarray":
		c.Names(namesAmong(l, "dnOsucC"))
	case "getopts":
		c.Names(Operands(l[min(1, len(l)):]))
	case "declare", "typeset", "local":
		c.Flagged(l, "n", WhyRenames)
		c.Names(Operands(l))
	case "unset", "export", "readonly", "let":
		c.Names(Operands(l))
	case "wait":
		if len(l) > 1 && strings.HasPrefix(l[0].Text, "-") {
			c.Names(l[1:2])
		}
	case "printf", "test", "[":
		for i, w := range l {
			if w.Known && (strings.HasPrefix(w.Text, "-v") || w.Text == "-R") {
				rest := l[i:min(i+2, len(l))]
				if attached := strings.TrimPrefix(w.Text, "-v"); w.Text != "-R" && attached != "" {
					rest = []Word{{Text: attached, Known: true}}
				}
				c.Names(Operands(rest))
			}
		}
	}
}

// sets handles the options of set. With -k, bash takes each word with an equals
// sign for a variable of the command.
func (c *Call) sets(l []Word) {
	for i, w := range l {
		switch {
		case !w.Known, w.Text == "keyword" && i > 0 && strings.HasSuffix(l[i-1].Text, "o"):
			c.Evaluates(whyAnywhere)
		case w.Is("-", "--"), !strings.HasPrefix(w.Text, "-") && !strings.HasPrefix(w.Text, "+") && (i == 0 || !strings.HasSuffix(l[i-1].Text, "o")):
			return // the rest sets the positional parameters
		case strings.HasPrefix(w.Text, "-") && strings.Contains(w.Text, "k"):
			c.Evaluates(whyAnywhere)
		}
	}
}

// namesAmong returns the operands of a builtin. Options with one of the valued
// letters take the next word.
func namesAmong(l []Word, valued string) []Word {
	var names []Word
	for i := 0; i < len(l); i++ {
		text := l[i].Text
		switch {
		case l[i].Known && len(text) > 1 && text[0] == '-':
			if strings.IndexByte(valued, text[len(text)-1]) >= 0 {
				i++
			}
		default:
			names = append(names, l[i])
		}
	}
	return names
}

// Flagged marks the call as opaque if one of the letters is among its options.
func (c *Call) Flagged(l []Word, letters, why string) {
	for _, w := range l {
		if !w.Known || strings.HasPrefix(w.Text, "-") && strings.ContainsAny(w.Text, letters) {
			c.Evaluates(why)
		}
	}
}

// WhyUntold is the reason for what cannot be judged before it runs.
const WhyUntold = "what it would run is not known in advance"
