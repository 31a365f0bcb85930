package canonical

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Form prints a command again from its syntax tree, in the one form that the
// shell gets instead of the original: literal words bare or in single quotes,
// statements on lines of their own, here-documents with a quoted delimiter of
// ours, no continued lines, no comments. So what was parsed is what runs, even
// where the shell would have read the original differently. The empty string
// means that the command has no such form.
//
// The text is parsed again. It has to contain the same words, redirections and
// control flow, and to be its own canonical form.
func Form(file *syntax.File, source string) string {
	text, ok := printed(file.Stmts, source)
	if !ok || text == "" {
		return ""
	}
	again, err := syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(true)).Parse(strings.NewReader(text), "")
	if err != nil || shapeOf(again.Stmts, text) != shapeOf(file.Stmts, source) {
		return ""
	}
	if same, ok := printed(again.Stmts, text); !ok || same != text {
		return ""
	}
	return text
}

// printed prints statements whose positions refer to source.
func printed(l []*syntax.Stmt, source string) (string, bool) {
	p := &printer{source: source}
	p.list(l)
	return strings.TrimSuffix(p.b.String(), "\n"), !p.failed
}

// A printer prints statements. It fails on constructs that it does not know.
type printer struct {
	b       strings.Builder
	source  string
	pending []string // bodies of here-documents with their delimiters, to write after the next newline
	inline  bool     // inside a substitution, which stays on one line
	failed  bool
}

func (p *printer) fail()            { p.failed = true }
func (p *printer) write(s string)   { p.b.WriteString(s) }
func (p *printer) require(ok bool)  { p.failed = p.failed || !ok }
func (p *printer) keyword(s string) { p.write(s); p.open() }

// open separates a keyword from the list after it.
func (p *printer) open() {
	if p.inline {
		p.write(" ")
	} else {
		p.endLine()
	}
}

// endLine ends the line and writes the here-documents that begin on it.
func (p *printer) endLine() {
	p.write("\n")
	for _, body := range p.pending {
		p.write(body)
	}
	p.pending = nil
}

// list prints statements, each with its terminator.
func (p *printer) list(l []*syntax.Stmt) {
	for _, st := range l {
		p.statement(st)
		switch {
		case st.Background && p.inline:
			p.write(" & ")
		case st.Background:
			p.write(" &")
			p.endLine()
		case p.inline:
			p.write("; ")
		default:
			p.endLine()
		}
	}
}

// statement prints one statement without its terminator.
func (p *printer) statement(st *syntax.Stmt) {
	p.require(!st.Coprocess && !st.Disown)
	if st.Negated {
		p.write("! ")
	}
	switch c := st.Cmd.(type) {
	case nil:
	case *syntax.CallExpr:
		p.call(c)
	case *syntax.BinaryCmd:
		pipe := c.Op == syntax.Pipe || c.Op == syntax.PipeAll
		p.require(!c.X.Background && !c.Y.Background && len(st.Redirs) == 0 && (pipe || !st.Negated))
		p.statement(c.X)
		p.write(" " + c.Op.String() + " ")
		p.statement(c.Y)
	case *syntax.TimeClause:
		p.timed(c)
	default:
		p.compound(c)
	}
	for i, r := range st.Redirs {
		if i > 0 || st.Cmd != nil {
			p.write(" ")
		}
		p.redirect(r)
	}
}

// call prints a simple command.
func (p *printer) call(c *syntax.CallExpr) {
	for i, a := range c.Assigns {
		if i > 0 {
			p.write(" ")
		}
		p.assign(a)
	}
	for i, w := range c.Args {
		if i > 0 || len(c.Assigns) > 0 {
			p.write(" ")
		}
		p.word(w, i == 0)
	}
	if len(c.Args) == 0 {
		return
	}
	// These change how later lines are parsed.
	name := builtinOf(c.Args)
	p.require(name != "alias" && name != "unalias" && name != "shopt")
}

// builtinOf returns the name of the builtin that a call runs, also after
// builtin and command. For other calls it returns the program's name or the
// empty string.
func builtinOf(words []*syntax.Word) string {
	wraps := false
	for _, w := range words {
		name, known := Literal(w)
		switch {
		case !known:
			return ""
		case name == "builtin" || name == "command":
			wraps = true
		case wraps && (name == "-p" || name == "--"):
		default:
			return name
		}
	}
	return ""
}

// timed prints a time clause. Bash takes options after the keyword that the
// parser reads as words.
func (p *printer) timed(c *syntax.TimeClause) {
	p.write("time")
	if c.PosixFormat {
		p.write(" -p")
	}
	if c.Stmt == nil {
		return
	}
	p.require(!c.Stmt.Background)
	first := c.Stmt
	for {
		pipe, ok := first.Cmd.(*syntax.BinaryCmd)
		if !ok {
			break
		}
		first = pipe.X
	}
	if call, ok := first.Cmd.(*syntax.CallExpr); ok && len(call.Args) > 0 {
		p.require(!strings.HasPrefix(p.source[call.Args[0].Pos().Offset():], "-"))
	}
	p.write(" ")
	p.statement(c.Stmt)
}

// compound prints everything except simple commands, pipelines and lists.
func (p *printer) compound(c syntax.Command) {
	switch c := c.(type) {
	case *syntax.Block:
		p.keyword("{")
		p.list(c.Stmts)
		p.write("}")
	case *syntax.Subshell:
		p.keyword("(")
		p.list(c.Stmts)
		p.write(")")
	case *syntax.IfClause:
		p.branches(c)
	case *syntax.WhileClause:
		name := "while"
		if c.Until {
			name = "until"
		}
		p.keyword(name)
		p.list(c.Cond)
		p.keyword("do")
		p.list(c.Do)
		p.write("done")
	case *syntax.ForClause:
		p.loop(c)
	case *syntax.CaseClause:
		p.choice(c)
	case *syntax.FuncDecl:
		p.require(c.Name != nil && name.MatchString(c.Name.Value) && !Reserved[c.Name.Value] && c.Body != nil && !c.Body.Background)
		if !p.failed {
			p.write(c.Name.Value + "() ")
			p.statement(c.Body)
		}
	case *syntax.TestClause:
		p.write("[[ ")
		p.test(c.X)
		p.write(" ]]")
	case *syntax.ArithmCmd:
		p.raw(c, arithmetic)
	case *syntax.DeclClause:
		p.write(c.Variant.Value)
		for _, a := range c.Args {
			p.write(" ")
			p.assign(a)
		}
	default:
		p.fail()
	}
}

// branches prints an if clause.
func (p *printer) branches(c *syntax.IfClause) {
	p.keyword("if")
	for ; c != nil; c = c.Else {
		if p.list(c.Cond); len(c.Cond) > 0 {
			p.keyword("then")
		}
		p.list(c.Then)
		switch {
		case c.Else == nil:
		case len(c.Else.Cond) > 0:
			p.keyword("elif")
		default:
			p.keyword("else")
		}
	}
	p.write("fi")
}

// loop prints a for clause.
func (p *printer) loop(c *syntax.ForClause) {
	kind := "for "
	if c.Select {
		kind = "select "
	}
	p.write(kind)
	switch l := c.Loop.(type) {
	case *syntax.WordIter:
		p.require(name.MatchString(l.Name.Value))
		if p.write(l.Name.Value); l.InPos.IsValid() {
			p.write(" in")
		}
		for _, w := range l.Items {
			p.write(" ")
			p.word(w, false)
		}
	case *syntax.CStyleLoop:
		p.raw(l, counting)
	default:
		p.fail()
	}
	if p.inline {
		p.write(";")
	}
	p.open()
	p.keyword("do")
	p.list(c.Do)
	p.write("done")
}

// choice prints a case clause.
func (p *printer) choice(c *syntax.CaseClause) {
	p.write("case ")
	p.word(c.Word, true)
	p.keyword(" in")
	for _, item := range c.Items {
		for i, w := range item.Patterns {
			if i == 0 {
				p.write("(")
			} else {
				p.write(" | ")
			}
			p.word(w, true)
		}
		p.keyword(")")
		p.list(item.Stmts)
		p.keyword(item.Op.String())
	}
	p.write("esac")
}

// test prints an expression of a test clause.
func (p *printer) test(x syntax.TestExpr) {
	switch x := x.(type) {
	case *syntax.Word:
		p.word(x, true)
	case *syntax.ParenTest:
		p.write("( ")
		p.test(x.X)
		p.write(" )")
	case *syntax.UnaryTest:
		p.write(x.Op.String() + " ")
		p.test(x.X)
	case *syntax.BinaryTest:
		p.test(x.X)
		p.write(" " + x.Op.String() + " ")
		if x.Op == syntax.TsReMatch { // quotes would turn it into plain text
			p.raw(x.Y, expression)
			return
		}
		p.test(x.Y)
	default:
		p.fail()
	}
}

// assign prints an assignment, or a word in the place of one.
func (p *printer) assign(a *syntax.Assign) {
	p.require(a.Index == nil)
	if a.Naked && a.Name == nil && a.Value != nil {
		p.word(a.Value, false)
		return
	}
	if a.Name == nil || !name.MatchString(a.Name.Value) {
		p.fail()
		return
	}
	p.write(a.Name.Value)
	switch {
	case a.Naked:
		return
	case a.Append:
		p.write("+=")
	default:
		p.write("=")
	}
	switch {
	case a.Array != nil:
		p.write("(")
		for i, e := range a.Array.Elems {
			if e.Index != nil || e.Value == nil {
				p.fail()
				return
			}
			if i > 0 {
				p.write(" ")
			}
			p.word(e.Value, false)
		}
		p.write(")")
	case a.Value != nil:
		p.word(a.Value, false)
	}
}

// redirect prints a redirection.
func (p *printer) redirect(r *syntax.Redirect) {
	if r.N != nil {
		p.require(r.N.Value != "" && strings.Trim(r.N.Value, "0123456789") == "" && len(r.N.Value) <= MaxDigits)
		p.write(r.N.Value)
	}
	switch r.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		p.document(r)
		return
	case syntax.DplIn, syntax.DplOut:
		p.write(r.Op.String())
	case syntax.RdrIn, syntax.RdrOut, syntax.AppOut, syntax.RdrInOut, syntax.RdrClob, syntax.RdrAll, syntax.AppAll, syntax.WordHdoc:
		p.write(r.Op.String() + " ")
	default:
		p.fail()
	}
	p.word(r.Word, false)
}

// document prints the start of a here-document and keeps its text for the next
// newline. The delimiter is quoted unless something in the text is expanded.
func (p *printer) document(r *syntax.Redirect) {
	d, ok := DocumentOf(r, p.source)
	if p.require(ok && !p.inline); p.failed {
		return
	}
	var body strings.Builder
	for _, piece := range d.pieces {
		switch {
		case piece.node != nil:
			inner := &printer{source: p.source}
			inner.expansion(piece.node)
			p.require(!inner.failed)
			body.WriteString(inner.b.String())
		case d.Expands:
			body.WriteString(escapeDocument.Replace(piece.text))
		default:
			body.WriteString(piece.text)
		}
	}
	text := body.String()
	delimiter := "EOF"
	for lines := strings.Split(text, "\n"); slices.Contains(lines, delimiter); {
		delimiter += "_"
	}
	if p.write("<<"); d.Expands {
		p.write(delimiter)
	} else {
		p.write("'" + delimiter + "'")
	}
	p.pending = append(p.pending, text+delimiter+"\n")
}

var escapeDocument = strings.NewReplacer(`\`, `\\`, "$", `\$`, "`", "\\`")

// MaxDigits limits the length of a file descriptor's number. Bash takes a
// number that is too large for a word of the command.
const MaxDigits = 9
