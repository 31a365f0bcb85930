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

// flagged holds the builtins with options that make them run more than their words say.
var flagged = map[string]struct{ letters, why string }{
	"shopt": {"o", whyAnywhere}, "hash": {"p", whyRunsNamed}, "enable": {"f", whyRunsNamed}, "jobs": {"x", whyRunsNamed},
	"complete": {"CFW", "it evaluates its words"}, "compgen": {"CFW", "it evaluates its words"},
	"declare": {"n", WhyRenames}, "typeset": {"n", WhyRenames}, "local": {"n", WhyRenames},
}

// builtins handles the builtins of bash that run more than their words say.
func (c *Call) builtins() {
	l := c.words[1:]
	if f, is := flagged[c.name]; is {
		c.Flagged(l, f.letters, f.why)
	}
	switch c.name {
	case ".", "source":
		for len(l) > 0 && l[0].Is("--") {
			l = l[1:]
		}
		switch {
		case len(l) == 0 || !l[0].isDevice():
		case l[0].Known && c.s.Quoted:
			c.line.walker.Script(c.p, c.s.Input, c.s, nil)
		default:
			c.Evaluates(WhyRunsInput)
		}
	case "set": // with -k, bash takes each word with an equals sign for a variable of the command
		for _, w := range l {
			if w.Is("-", "--") {
				break
			}
			if !w.Known || w.Text == "keyword" || strings.HasPrefix(w.Text, "-") && strings.Contains(w.Text, "k") {
				c.Evaluates(whyAnywhere)
			}
		}
	case "bind", "fc":
		if len(l) > 0 {
			c.Evaluates(whyRunsNamed)
		}
	case "read", "mapfile", "readarray", "getopts", "declare", "typeset", "local", "unset", "export", "readonly", "let":
		c.Names(Operands(l))
	case "wait", "printf", "test", "[":
		option := "-v"
		if c.name == "wait" {
			option = "-p"
		}
		for i, w := range l {
			if attached, is := strings.CutPrefix(w.Text, option); w.Known && is && attached != "" {
				c.Names([]Word{{Text: attached, Known: true}})
			} else if w.Is(option, "-R") {
				c.Names(l[i+1 : min(i+2, len(l))])
			}
		}
	}
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
