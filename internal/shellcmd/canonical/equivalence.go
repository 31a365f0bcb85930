package canonical

import (
	"fmt"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// shapeOf describes what statements do: their words, redirections and control
// flow, but not how they are written. Texts with the same shape are the same
// commands. Unknown constructs are described by their type and text, which is
// stricter.
func shapeOf(l []*syntax.Stmt, source string) string {
	s := &shape{source: source}
	s.list(l)
	return s.b.String()
}

type shape struct {
	b      strings.Builder
	source string
}

// put writes the name of a construct and its content.
func (s *shape) put(name string, inside func()) {
	s.b.WriteString("(" + name)
	inside()
	s.b.WriteString(")")
}

func (s *shape) list(l []*syntax.Stmt) {
	s.put("list", func() {
		for _, st := range l {
			s.statement(st)
		}
	})
}

func (s *shape) statement(st *syntax.Stmt) {
	s.put(fmt.Sprintf("do negated=%v background=%v coprocess=%v disowned=%v", st.Negated, st.Background, st.Coprocess, st.Disown), func() {
		if st.Cmd != nil {
			s.command(st.Cmd)
		}
		for _, r := range st.Redirs {
			s.redirect(r)
		}
	})
}

func (s *shape) command(c syntax.Command) {
	switch c := c.(type) {
	case *syntax.CallExpr:
		s.put("call", func() { s.assigns(c.Assigns); s.words(c.Args) })
	case *syntax.BinaryCmd:
		s.put(c.Op.String(), func() { s.statement(c.X); s.statement(c.Y) })
	case *syntax.TimeClause:
		s.put(fmt.Sprintf("time posix=%v", c.PosixFormat), func() {
			if c.Stmt != nil {
				s.statement(c.Stmt)
			}
		})
	case *syntax.Block:
		s.put("block", func() { s.list(c.Stmts) })
	case *syntax.Subshell:
		s.put("subshell", func() { s.list(c.Stmts) })
	case *syntax.IfClause:
		for ; c != nil; c = c.Else {
			s.put("if", func() { s.list(c.Cond); s.list(c.Then) })
		}
	case *syntax.WhileClause:
		s.put(fmt.Sprintf("while until=%v", c.Until), func() { s.list(c.Cond); s.list(c.Do) })
	case *syntax.ForClause:
		s.put(fmt.Sprintf("for select=%v", c.Select), func() { s.loop(c.Loop); s.list(c.Do) })
	case *syntax.CaseClause:
		s.put("case", func() {
			s.word(c.Word)
			for _, item := range c.Items {
				s.put(item.Op.String(), func() { s.words(item.Patterns); s.list(item.Stmts) })
			}
		})
	case *syntax.FuncDecl:
		s.put("function "+c.Name.Value, func() { s.statement(c.Body) })
	case *syntax.TestClause:
		s.put("test", func() { s.test(c.X) })
	case *syntax.DeclClause:
		s.put("declare "+c.Variant.Value, func() { s.assigns(c.Args) })
	default:
		s.verbatim(c)
	}
}

func (s *shape) loop(l syntax.Loop) {
	if w, ok := l.(*syntax.WordIter); ok {
		s.put(fmt.Sprintf("over %s in=%v", w.Name.Value, w.InPos.IsValid()), func() { s.words(w.Items) })
		return
	}
	s.verbatim(l)
}

func (s *shape) test(x syntax.TestExpr) {
	switch x := x.(type) {
	case *syntax.Word:
		s.word(x)
	case *syntax.ParenTest:
		s.put("parens", func() { s.test(x.X) })
	case *syntax.UnaryTest:
		s.put(x.Op.String(), func() { s.test(x.X) })
	case *syntax.BinaryTest:
		s.put("binary "+x.Op.String(), func() { s.test(x.X); s.test(x.Y) })
	default:
		s.verbatim(x)
	}
}

func (s *shape) assigns(l []*syntax.Assign) {
	for _, a := range l {
		name := ""
		if a.Name != nil {
			name = a.Name.Value
		}
		s.put(fmt.Sprintf("assign %s naked=%v append=%v", name, a.Naked, a.Append), func() {
			if a.Index != nil {
				s.verbatim(a.Index)
			}
			if a.Value != nil {
				s.word(a.Value)
			}
			if a.Array == nil {
				return
			}
			s.put("array", func() {
				for _, e := range a.Array.Elems {
					if e.Index != nil {
						s.verbatim(e.Index)
					}
					if e.Value != nil {
						s.word(e.Value)
					}
				}
			})
		})
	}
}

func (s *shape) redirect(r *syntax.Redirect) {
	n, op := "", r.Op.String()
	if r.N != nil {
		n = r.N.Value
	}
	if r.Op != syntax.Hdoc && r.Op != syntax.DashHdoc {
		s.put("redirect "+n+op, func() { s.word(r.Word) })
		return
	}
	s.put("document "+n, func() {
		d, ok := DocumentOf(r, s.source)
		if !ok {
			s.verbatim(r)
			return
		}
		s.pieces(joinedPieces(d.pieces))
	})
}

func (s *shape) words(l []*syntax.Word) {
	for _, w := range l {
		s.word(w)
	}
}

// word describes a literal word by its text, and any other by its pieces.
func (s *shape) word(w *syntax.Word) {
	if text, ok := Literal(w); ok {
		s.put("word", func() { fmt.Fprintf(&s.b, " %q", text) })
		return
	}
	l, ok := piecesOf(w, s.source)
	if !ok {
		s.verbatim(w)
		return
	}
	s.put("expanded word", func() { s.pieces(l) })
}

func (s *shape) pieces(l []piece) {
	for _, p := range l {
		if p.node == nil {
			fmt.Fprintf(&s.b, " %d:%q", p.kind, p.text)
			continue
		}
		s.put(fmt.Sprintf("expansion %d", p.kind), func() { s.expansion(p.node) })
	}
}

func (s *shape) expansion(part syntax.WordPart) {
	switch part := part.(type) {
	case *syntax.ParamExp:
		if text, ok := simpleParameter(part, s.source); ok {
			fmt.Fprintf(&s.b, " %q", text)
		} else {
			s.verbatim(part)
		}
	case *syntax.CmdSubst:
		s.put("substitution", func() { s.list(part.Stmts) })
	case *syntax.ProcSubst:
		s.put("process "+part.Op.String(), func() { s.list(part.Stmts) })
	default:
		s.verbatim(part)
	}
}

// verbatim describes syntax by its type and its text.
func (s *shape) verbatim(n syntax.Node) { fmt.Fprintf(&s.b, " %T %q", n, TextOf(n, s.source)) }
