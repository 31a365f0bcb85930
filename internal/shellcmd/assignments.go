package shellcmd

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/emendo-dev/emendo/internal/shellcmd/program"
)

// assignments handles the variables before a command, or after declare.
func (a *analyzer) assignments(p *Part, l []*syntax.Assign, s program.Scope) {
	c := a.line.NewCall(p, s)
	for _, n := range l {
		switch {
		case n.Name == nil && n.Value != nil: // a word of declare
			w := program.Words([]*syntax.Word{n.Value}, s.Source)[0]
			if len(p.Words) > 0 && program.HasName("declare typeset local", p.Words[0]) {
				c.Flagged([]program.Word{w}, "n", program.WhyRenames)
			}
			name, value, _ := strings.Cut(w.Text, "=")
			if !strings.HasPrefix(w.Text, "-") || w.Text == "-" {
				c.Names([]program.Word{{Text: strings.TrimSuffix(name, "+"), Known: w.Known}})
				a.line.Assign(p, name, program.Word{Text: value, Source: w.Source, Known: w.Known}, s)
			}
		case n.Name == nil:
		case n.Index != nil && evaluable(n.Index), n.Array != nil && evaluable(n.Array) && s.Evaluable:
			c.Evaluates(program.WhySubscripts)
		case n.Index != nil || n.Array != nil || n.Naked:
			if program.VariableDecides(n.Name.Value) || program.VariableNamesProgram(n.Name.Value) && !n.Naked {
				c.Evaluates("it sets " + n.Name.Value + ", which decides what runs")
			}
		case n.Value == nil:
		default:
			w := program.Words([]*syntax.Word{n.Value}, s.Source)[0]
			a.line.Assign(p, n.Name.Value, w, s)
		}
	}
}
