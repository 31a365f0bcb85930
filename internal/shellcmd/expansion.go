package shellcmd

import (
	"fmt"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/emendo-dev/emendo/internal/shellcmd/canonical"
	"github.com/emendo-dev/emendo/internal/shellcmd/program"
	"github.com/emendo-dev/emendo/internal/visible"
)

// expansions describes the words of a call that contain variables: variables
// set earlier in the command are replaced by their values, others are taken as
// unset. It is shown to users who decide about a destructive command; nothing
// else uses it.
func (a *analyzer) expansions(l []program.Word) string {
	var said []string
	for _, w := range l {
		if w.Known || w.Node == nil || len(said) == mostExpansions {
			continue
		}
		if text, unset, ok := a.expansion(w.Node); ok {
			s := fmt.Sprintf("%s is %s", visible.Escape(w.Source), visible.Escape(text))
			if text == "" {
				s = visible.Escape(w.Source) + " is nothing"
			}
			if len(unset) > 0 {
				s += " where " + strings.Join(unset, " and ") + " is not set"
			}
			said = append(said, s)
		}
	}
	return strings.Join(said, "; ")
}

// mostExpansions limits how many words are described.
const mostExpansions = 5

// expansion returns what a word expands to, and which of its variables are
// taken as unset. It handles only words of text and plain variables, with at
// least one variable.
func (a *analyzer) expansion(w *syntax.Word) (text string, unset []string, ok bool) {
	var b strings.Builder
	variables := false
	var add func(parts []syntax.WordPart, quoted bool) bool
	add = func(parts []syntax.WordPart, quoted bool) bool {
		for _, p := range parts {
			switch p := p.(type) {
			case *syntax.Lit:
				if quoted {
					b.WriteString(canonical.Unquote(p.Value))
				} else {
					b.WriteString(strings.ReplaceAll(p.Value, `\`, ""))
				}
			case *syntax.SglQuoted:
				b.WriteString(p.Value)
			case *syntax.DblQuoted:
				if !add(p.Parts, true) {
					return false
				}
			case *syntax.ParamExp:
				if p.Param == nil || p.Excl || p.Length || p.Width || p.Index != nil || p.Slice != nil || p.Repl != nil || p.Exp != nil {
					return false
				}
				variables = true
				name := p.Param.Value
				switch value, set := a.values[name]; {
				case !set && !slices.Contains(unset, name):
					unset = append(unset, name)
				case set && value == nil: // known only when it runs
					return false
				case set:
					b.WriteString(*value)
				}
			default:
				return false
			}
		}
		return true
	}
	ok = add(w.Parts, false) && variables
	return b.String(), unset, ok
}

// remember keeps the values of variables that a command sets for those after
// it.
func (a *analyzer) remember(l []*syntax.Assign) {
	for _, n := range l {
		if n.Name == nil {
			continue
		}
		value, known := "", n.Value == nil && n.Index == nil && n.Array == nil
		if n.Value != nil && !n.Append && n.Index == nil {
			value, known = canonical.Literal(n.Value)
		}
		if a.values == nil {
			a.values = map[string]*string{}
		}
		if a.values[n.Name.Value] = nil; known {
			a.values[n.Name.Value] = &value
		}
	}
}
