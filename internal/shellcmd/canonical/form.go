package canonical

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Form prints a command again from its syntax tree, in the one form that the
// shell gets instead of the original: literal words bare or in single quotes,
// here-documents with a delimiter of ours, no continued lines, no comments, and
// on one line, or on several where the printer would lose a part of it on one.
// So what was parsed is what runs, even where the shell would have read the
// original differently. The empty string means that the command has no such
// form. The words of the tree are replaced.
//
// The text is its own canonical form.
func Form(file *syntax.File, source string) string {
	if !rewritten(file, source) {
		return ""
	}
	for _, oneLine := range []bool{true, false} { // on one line the printer leaves out the semicolon behind (a &)
		text := printed(file, oneLine)
		again, err := newParser().Parse(strings.NewReader(text), "")
		if err == nil && text != "" && rewritten(again, text) && printed(again, oneLine) == text {
			return text
		}
	}
	return ""
}

// rewritten brings a file whose positions refer to source into the one form, and reports
// whether it has one.
func rewritten(file *syntax.File, source string) bool {
	f := former{source: source, first: map[*syntax.Word]bool{}, kept: map[*syntax.Word]bool{}}
	syntax.Walk(file, f.visit)
	return !f.failed
}

// printed prints a file; the result is empty if the printer does not know a part of it.
func printed(file *syntax.File, oneLine bool) string {
	var b strings.Builder
	if syntax.NewPrinter(syntax.SingleLine(oneLine)).Print(&b, file) != nil {
		return ""
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// A former rewrites what could be read in more than one way. It fails on
// constructs that it does not know.
type former struct {
	source string
	first  map[*syntax.Word]bool // stand where the shell expects keywords or assignments
	kept   map[*syntax.Word]bool // are kept as written
	nested int                   // substitutions around the node
	path   []syntax.Node
	failed bool
}

func (f *former) require(ok bool) { f.failed = f.failed || !ok }

// visit rewrites a node, and reports whether those inside it are to be visited.
func (f *former) visit(n syntax.Node) bool {
	if n == nil {
		last := len(f.path) - 1
		if substitutes(f.path[last]) {
			f.nested--
		}
		f.path = f.path[:last]
		return true
	}
	if f.failed || !f.rewrite(n) {
		return false
	}
	if f.path = append(f.path, n); substitutes(n) {
		f.nested++
	}
	return true
}

func substitutes(n syntax.Node) bool {
	switch n.(type) {
	case *syntax.CmdSubst, *syntax.ProcSubst:
		return true
	}
	return false
}

func (f *former) rewrite(n syntax.Node) (inside bool) {
	switch n := n.(type) {
	case *syntax.File, *syntax.Block, *syntax.Subshell, *syntax.IfClause, *syntax.WhileClause, *syntax.DeclClause,
		*syntax.CaseItem, *syntax.ArrayExpr, *syntax.TestClause, *syntax.ParenTest, *syntax.Lit, *syntax.SglQuoted, *syntax.DblQuoted:
	case *syntax.Stmt:
		f.require(!n.Coprocess && !n.Disown)
	case *syntax.BinaryCmd:
		_, timed := n.Y.Cmd.(*syntax.TimeClause) // behind a pipe bash takes it for a program
		f.require(!timed || n.Op == syntax.AndStmt || n.Op == syntax.OrStmt)
	case *syntax.CallExpr:
		if len(n.Args) > 0 {
			f.first[n.Args[0]] = true
			name := builtinOf(n.Args) // these change how later lines are parsed
			f.require(name != "alias" && name != "unalias" && name != "shopt")
		}
	case *syntax.TimeClause: // bash takes options after the keyword that the parser reads as words
		if first := firstOf(n.Stmt); first != nil {
			f.require(!n.Stmt.Background && !strings.HasPrefix(f.source[first.Pos().Offset():], "-"))
		}
	case *syntax.FuncDecl:
		n.RsrvWord = false
		f.require(n.Name != nil && name.MatchString(n.Name.Value) && !Reserved[n.Name.Value])
	case *syntax.ForClause:
		f.require(!n.Braces)
	case *syntax.WordIter:
		f.require(name.MatchString(n.Name.Value))
	case *syntax.CaseClause:
		f.require(!n.Braces && f.nested == 0) // some versions of bash end a substitution at its bracket
		f.first[n.Word] = true
		for _, item := range n.Items {
			for _, w := range item.Patterns {
				f.first[w] = true
			}
		}
	case *syntax.UnaryTest:
		f.compared(n.X)
	case *syntax.BinaryTest:
		f.compared(n.X)
		f.compared(n.Y)
		if w, ok := n.Y.(*syntax.Word); ok && n.Op == syntax.TsReMatch { // quotes would turn it into plain text
			f.require(expression().MatchString(TextOf(w, f.source)))
			f.kept[w] = true
		}
	case *syntax.Assign:
		f.require(n.Index == nil && (n.Name == nil && n.Naked || n.Name != nil && name.MatchString(n.Name.Value)))
	case *syntax.ArrayElem:
		f.require(n.Index == nil && n.Value != nil)
	case *syntax.Redirect:
		return f.redirect(n)
	case *syntax.Word:
		f.rewriteWord(n)
	case *syntax.CmdSubst:
		f.require(!n.TempFile && !n.ReplyVar && (!n.Backquotes || !strings.Contains(TextOf(n, f.source), `\`)))
		n.Backquotes = false
	case *syntax.ProcSubst:
		f.require(n.Op == syntax.CmdIn || n.Op == syntax.CmdOut)
	case *syntax.ParamExp:
		if _, simple := simpleParameter(n, f.source); simple {
			n.Short = false
		} else {
			f.require(parameter().MatchString(TextOf(n, f.source)))
		}
		return false
	case *syntax.ArithmExp:
		f.require(!n.Bracket && !n.Unsigned && arithmetic().MatchString(TextOf(n, f.source)))
		return false
	case *syntax.ArithmCmd:
		f.require(!n.Unsigned && arithmetic().MatchString(TextOf(n, f.source)))
		return false
	case *syntax.CStyleLoop:
		f.require(counting().MatchString(TextOf(n, f.source)))
		return false
	default:
		f.failed = true
	}
	return !f.failed
}

func (f *former) compared(x syntax.TestExpr) {
	if w, ok := x.(*syntax.Word); ok {
		f.first[w] = true
	}
}

// firstOf returns the first word of a pipeline's first command, if it has one.
func firstOf(st *syntax.Stmt) *syntax.Word {
	for st != nil {
		switch c := st.Cmd.(type) {
		case *syntax.BinaryCmd:
			st = c.X
		case *syntax.CallExpr:
			if len(c.Args) == 0 {
				return nil
			}
			return c.Args[0]
		default:
			return nil
		}
	}
	return nil
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

// redirect rewrites a redirection. The delimiter of a here-document is quoted
// unless something in the text is expanded.
func (f *former) redirect(r *syntax.Redirect) (inside bool) {
	f.require(r.N == nil || r.N.Value != "" && strings.Trim(r.N.Value, "0123456789") == "" && len(r.N.Value) <= MaxDigits)
	if end := r.Word.End().Offset(); end < uint(len(f.source)) && strings.IndexByte("<>", f.source[end]) >= 0 {
		f.require(!descriptor().MatchString(TextOf(r.Word, f.source))) // bash takes it for that of the next redirection
	}
	switch r.Op {
	case syntax.DplIn, syntax.DplOut, syntax.RdrIn, syntax.RdrOut, syntax.AppOut, syntax.RdrInOut, syntax.RdrClob, syntax.RdrAll, syntax.AppAll, syntax.WordHdoc:
		return !f.failed
	case syntax.Hdoc, syntax.DashHdoc:
	default:
		f.failed = true
	}
	d, ok := DocumentOf(r, f.source)
	if f.require(ok && f.nested == 0); f.failed {
		return false
	}
	body := &syntax.Word{}
	for _, p := range d.pieces {
		switch {
		case p.node != nil:
			syntax.Walk(p.node, f.visit)
			body.Parts = append(body.Parts, p.node)
		case d.Expands:
			body.Parts = append(body.Parts, &syntax.Lit{Value: escapeDocument.Replace(p.text)})
		default:
			body.Parts = append(body.Parts, &syntax.Lit{Value: p.text})
		}
	}
	delimiter := "EOF"
	for lines := strings.Split(d.Text(), "\n"); slices.Contains(lines, delimiter); {
		delimiter += "_"
	}
	end := syntax.WordPart(&syntax.SglQuoted{Left: r.Word.Pos(), Right: r.Word.End(), Value: delimiter})
	if d.Expands {
		end = litIn(r.Word, delimiter)
	}
	r.Op, r.Word.Parts, r.Hdoc = syntax.Hdoc, []syntax.WordPart{end}, nil
	if len(body.Parts) > 0 {
		r.Hdoc = body
	}
	return false
}

var escapeDocument = strings.NewReplacer(`\`, `\\`, "$", `\$`, "`", "\\`")

// MaxDigits limits the length of a file descriptor's number. Bash takes a
// number that is too large for a word of the command.
const MaxDigits = 9

// rewriteWord rewrites a word. Where the shell expects keywords, a word that looks
// like one is quoted.
func (f *former) rewriteWord(w *syntax.Word) {
	if f.kept[w] {
		return
	}
	l, ok := piecesOf(w)
	if f.require(ok); f.failed {
		return
	}
	var parts []syntax.WordPart
	for _, p := range l {
		switch p.kind {
		case literally:
			safe := bare
			if f.first[w] {
				safe = bareName // an equals sign would make it an assignment
			}
			if !safe.MatchString(p.text) || f.first[w] && len(l) == 1 && Reserved[p.text] {
				p.text = Quote(p.text)
			}
			parts = append(parts, litIn(w, p.text))
		case asWritten:
			parts = append(parts, litIn(w, p.text))
		case expanded:
			parts = append(parts, p.node)
		case expandedInQuotes:
			parts = append(parts, &syntax.DblQuoted{Left: p.node.Pos(), Right: p.node.End(), Parts: []syntax.WordPart{p.node}})
		}
	}
	w.Parts = parts
}

// litIn returns text that is printed as it is, in the place of a word.
func litIn(w *syntax.Word, text string) *syntax.Lit {
	return &syntax.Lit{ValuePos: w.Pos(), ValueEnd: w.End(), Value: text}
}

// Quote returns s in single quotes.
func Quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
