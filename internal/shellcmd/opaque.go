package shellcmd

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Some calls run what cannot be read off them: they evaluate text in another
// language, or launch programs that a setting, an option or their input names. Such
// a part is opaque: a rule that denies may mean it, whatever its words are. A
// program that does what the workspace says (make, npm test, a script) is not:
// its name stands for what it does.

// evaluates marks a call as opaque, for the reason given.
func (c *call) evaluates(why string) {
	if c.p.Opaque == "" {
		c.p.Opaque = why
	}
}

// Reasons for which a part is opaque.
const (
	runsInput  = "it runs what it reads"
	runsNamed  = "it launches a program that its words name"
	runsLater  = "it runs commands later"
	runsFilled = "what it runs is filled in when it runs"
	subscripts = "it evaluates the subscript in the name of a variable"
	renames    = "it gives a variable a second name"
	anywhere   = "it turns words of later commands into variables"
)

// isDevice reports whether a word names no file of its own, but what a call is
// given to read, or is not known.
func (w word) isDevice() bool {
	return !w.known || strings.HasPrefix(w.text, "/dev/") || strings.HasPrefix(w.text, "/proc/")
}

// evaluable reports whether some text in a piece of syntax would run something if
// it were evaluated again: a subscript that is compared or assigned is.
func evaluable(node syntax.Node) (found bool) {
	syntax.Walk(node, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.SglQuoted:
			found = found || runsSomething(n.Value) || n.Dollar && strings.Contains(n.Value, `\`)
		case *syntax.Lit:
			text, _ := unescape(n.Value)
			found = found || runsSomething(text)
		}
		return !found
	})
	return found
}

func runsSomething(text string) bool {
	return strings.Contains(text, "$(") || strings.Contains(text, "`") || strings.Contains(text, "${")
}

// reevaluates reports why the words of a statement evaluate the values of variables
// once more; empty when they do not.
func reevaluates(st *syntax.Stmt, evaluable bool) (why string) {
	syntax.Walk(st, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst, *syntax.ProcSubst:
			return false // parts of their own
		case *syntax.ArithmExp:
			if evaluable {
				why = "arithmetic evaluates what variables hold"
			}
		case *syntax.ParamExp:
			switch {
			case n.Exp != nil && n.Exp.Op == syntax.OtherParamOps && n.Exp.Word != nil && n.Exp.Word.Lit() == "P":
				why = "a prompt is evaluated"
			case evaluable && (n.Excl || n.Index != nil || n.Slice != nil):
				why = subscripts
			}
		}
		return why == ""
	})
	return why
}

// names sees to the words of a builtin that are names of variables: bash evaluates
// a subscript in them, and to set some variables decides what runs.
func (c *call) names(l []word) {
	for _, w := range l {
		switch {
		case !w.known || strings.ContainsAny(w.text, "[$`"):
			c.evaluates(subscripts)
		case decides(w.text) || namesProgram(w.text):
			c.evaluates("it sets " + w.text + ", which decides what runs")
		}
	}
}

// builtins sees to the builtins of bash that run more than their words say.
func (c *call) builtins() {
	l := c.words[1:]
	switch c.name {
	case ".", "source":
		for len(l) > 0 && l[0].is("--") {
			l = l[1:]
		}
		switch {
		case len(l) == 0 || !l[0].isDevice():
		case l[0].known && c.s.quoted:
			c.script(c.p, c.s.input, c.s, nil)
		default:
			c.evaluates(runsInput)
		}
	case "set":
		c.sets(l)
	case "shopt":
		c.flagged(l, "o", anywhere)
	case "hash":
		c.flagged(l, "p", runsNamed)
	case "enable":
		c.flagged(l, "f", runsNamed)
	case "bind", "fc":
		if len(l) > 0 {
			c.evaluates(runsNamed)
		}
	case "complete", "compgen":
		c.flagged(l, "CFW", "it evaluates its words")
	case "jobs":
		if len(l) > 1 && strings.HasPrefix(l[0].text, "-x") {
			c.inner(l[1:], c.s, false)
		}
	case "read":
		c.names(namesAmong(l, "ptnNdui"))
	case "mapfile", "readarray":
		c.names(namesAmong(l, "dnOsucC"))
	case "getopts":
		c.names(operands(l[min(1, len(l)):]))
	case "declare", "typeset", "local":
		c.flagged(l, "n", renames)
		c.names(operands(l))
	case "unset", "export", "readonly", "let":
		c.names(operands(l))
	case "wait":
		if len(l) > 1 && strings.HasPrefix(l[0].text, "-") {
			c.names(l[1:2])
		}
	case "printf", "test", "[":
		for i, w := range l {
			if w.known && (strings.HasPrefix(w.text, "-v") || w.text == "-R") {
				rest := l[i:min(i+2, len(l))]
				if attached := strings.TrimPrefix(w.text, "-v"); w.text != "-R" && attached != "" {
					rest = []word{{text: attached, known: true}}
				}
				c.names(operands(rest))
			}
		}
	}
}

// sets sees to the options of set. With -k, bash takes each word with an equals
// sign in it for a variable of the command.
func (c *call) sets(l []word) {
	for i, w := range l {
		switch {
		case !w.known, w.text == "keyword" && i > 0 && strings.HasSuffix(l[i-1].text, "o"):
			c.evaluates(anywhere)
		case w.is("-", "--"), !strings.HasPrefix(w.text, "-") && !strings.HasPrefix(w.text, "+") && (i == 0 || !strings.HasSuffix(l[i-1].text, "o")):
			return // what follows are the shell's own words
		case strings.HasPrefix(w.text, "-") && strings.Contains(w.text, "k"):
			c.evaluates(anywhere)
		}
	}
}

// namesAmong are the operands of a builtin whose options with these letters take
// the next word.
func namesAmong(l []word, valued string) []word {
	var names []word
	for i := 0; i < len(l); i++ {
		text := l[i].text
		switch {
		case l[i].known && len(text) > 1 && text[0] == '-':
			if strings.IndexByte(valued, text[len(text)-1]) >= 0 {
				i++
			}
		default:
			names = append(names, l[i])
		}
	}
	return names
}

// flagged marks a call as opaque that has one of the letters among its options.
func (c *call) flagged(l []word, letters, why string) {
	for _, w := range l {
		if !w.known || strings.HasPrefix(w.text, "-") && strings.ContainsAny(w.text, letters) {
			c.evaluates(why)
		}
	}
}
