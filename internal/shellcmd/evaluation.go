package shellcmd

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/emendo-dev/emendo/internal/shellcmd/canonical"
	"github.com/emendo-dev/emendo/internal/shellcmd/program"
)

// evaluable reports whether a piece of syntax contains text that would run
// something if it were evaluated again, as a subscript that is compared or
// assigned is.
func evaluable(node syntax.Node) (found bool) {
	syntax.Walk(node, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.SglQuoted:
			found = found || runsSomething(n.Value) || n.Dollar && strings.Contains(n.Value, `\`)
		case *syntax.Lit:
			found = found || runsSomething(canonical.Unescape(n.Value))
		}
		return !found
	})
	return found
}

func runsSomething(text string) bool {
	return strings.Contains(text, "$(") || strings.Contains(text, "`") || strings.Contains(text, "${")
}

// reevaluates returns why the words of a statement evaluate the values of
// variables again; empty if they do not.
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
				why = program.WhySubscripts
			}
		}
		return why == ""
	})
	return why
}

// moves reports whether a command changes the shell's directory.
func moves(node syntax.Node) (found bool) {
	syntax.Walk(node, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.CallExpr); ok && len(c.Args) > 0 {
			name, known := canonical.Literal(c.Args[0])
			found = found || !known || program.MovesFolder[name]
		}
		return !found
	})
	return found
}
