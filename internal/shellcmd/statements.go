package shellcmd

import (
	"fmt"
	"runtime"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/emendo-dev/emendo/internal/shellcmd/canonical"
	"github.com/emendo-dev/emendo/internal/shellcmd/program"
	"github.com/emendo-dev/emendo/internal/visible"
)

// Analyze returns what a command would run in dir, a directory whose path
// contains no links. roots are the directories that it may read, the
// workspace's first, also without links.
func Analyze(command, dir string, roots []string) Analysis {
	r, _ := analyze(runtime.GOOS, command, dir, roots)
	r.Git = gitUse(r.Parts, dir)
	return r
}

// analyze also returns how many words and bytes of nested text it read.
func analyze(goos, command, dir string, roots []string) (r Analysis, steps int) {
	r = Analysis{Command: command, Dir: dir, Disguised: canonical.Disguised(command)}
	a := newAnalyzer(roots)
	if goos == "windows" { // PowerShell is not parsed
		a.opaque(command, program.WhyUntold)
	} else if file, why := canonical.Parse(command); file == nil {
		a.opaque(command, program.WhyUntold+": "+why)
	} else {
		a.statements(file.Stmts, program.Scope{Source: command, In: program.Folders{dir}, Evaluable: evaluable(file)})
		if len(a.parts) == 0 {
			a.beyond = "there is nothing to run in it"
		}
		if r.Canonical = canonical.Form(file, command); r.Canonical == "" {
			a.construct(unprinted)
		}
	}
	r.Parts, r.Known, r.Why = a.parts, a.why == "" && a.beyond == "", a.why
	if a.beyond != "" {
		a.doubt()
		r.Why = a.beyond
	}
	r.Destructive = dangers(r.Parts)
	return r, a.steps
}

// dangers returns why parts could destroy something: each reason once, in the
// order of the parts, and how many there are besides the first few.
func dangers(parts []Part) string {
	const most = 8
	var l []string
	for _, p := range parts {
		if p.Destructive != "" && !slices.Contains(l, p.Destructive) {
			l = append(l, p.Destructive)
		}
	}
	if more := len(l) - most; more > 0 {
		l = append(l[:most], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(l, "; ")
}

// unprinted is the reason for a command without a canonical form.
const unprinted = "it cannot be rewritten in a form that every shell reads in the same way"

// maxNested limits how many bytes of text inside commands (sh -c, eval) are
// read. Nested text is read again for each layer, so deep nesting would be
// costly.
const maxNested = 1 << 20

// An analyzer collects the parts of one command line.
type analyzer struct {
	line   *program.CommandLine
	parts  []Part
	why    string // the first reason why a part is not known
	beyond string // the first construct beyond a plain list of simple commands
	work   int    // bytes of nested text that may still be read
	steps  int    // words and bytes of nested text read
}

func newAnalyzer(roots []string) *analyzer {
	a := &analyzer{work: maxNested}
	a.line = program.NewLine(roots, a)
	return a
}

// PartAt returns the part that Add put at an index.
func (a *analyzer) PartAt(i int) *Part { return &a.parts[i] }

// construct records that the command is more than a list of simple commands:
// which of its parts run, and what their names mean by then, is not known.
func (a *analyzer) construct(why string) {
	if a.beyond == "" {
		a.beyond = why
	}
}

// doubt excludes all parts of the command from rules that allow.
func (a *analyzer) doubt() {
	for i := range a.parts {
		p := &a.parts[i]
		p.MarkUnknown(a.beyond)
		p.Least, p.Offer, p.ReadOnly, p.Passes = 0, nil, false, false
	}
}

// opaque adds a part for text that is not understood.
func (a *analyzer) opaque(text, why string) {
	a.construct(why)
	a.parts = append(a.parts, Part{Text: visible.Escape(text), Why: why, Destructive: why})
}

// Add appends a part and returns its index. An outer part comes before the
// parts inside it.
func (a *analyzer) Add(p Part) int {
	a.parts = append(a.parts, p)
	return len(a.parts) - 1
}

// statements analyzes a list and returns where the next one may run.
func (a *analyzer) statements(l []*syntax.Stmt, s program.Scope) program.Folders {
	for _, st := range l {
		yes, no := a.statement(st, s)
		s.In = yes.Union(no)
	}
	return s.In
}

// statement analyzes one statement. It returns where the shell may be
// afterwards: if it succeeds, and if it fails.
func (a *analyzer) statement(st *syntax.Stmt, s program.Scope) (yes, no program.Folders) {
	switch {
	case st.Background:
		a.construct("a command in the background")
	case st.Coprocess, st.Disown:
		a.construct("a construct of other shells")
	}
	yes, no = s.In, s.In
	switch c := st.Cmd.(type) {
	case *syntax.CallExpr:
		yes, no = a.simple(st, c, s)
	case *syntax.BinaryCmd:
		yes, no = a.joined(c, s)
	case *syntax.TimeClause:
		if a.Add(Part{Text: a.sourceOf(st, s), Words: []string{"time"}, Inside: s.Inside, Known: true, Passes: true, Least: 1}); c.Stmt != nil {
			s.Inside = true
			yes, no = a.statement(c.Stmt, s)
		}
	default:
		yes = a.compound(st, s)
		no = yes
	}
	if st.Negated {
		return no, yes
	}
	return yes, no
}

// joined analyzes two statements joined by an operator.
func (a *analyzer) joined(c *syntax.BinaryCmd, s program.Scope) (yes, no program.Folders) {
	switch c.Op {
	case syntax.AndStmt:
		first, failed := a.statement(c.X, s)
		s.In = first
		yes, no = a.statement(c.Y, s)
		return yes, no.Union(failed)
	case syntax.OrStmt:
		first, failed := a.statement(c.X, s)
		s.In = failed
		yes, no = a.statement(c.Y, s)
		return yes.Union(first), no
	case syntax.PipeAll:
		a.construct("|&, which also joins the errors")
	}
	a.statement(c.X, s) // each side of a pipe runs in a shell of its own
	s.Input, s.Quoted = "", false
	if c.Op == syntax.Pipe || c.Op == syntax.PipeAll {
		if s.Piped = wordsOf(c.X, s.Source, maxStages) + s.Piped; len(s.Piped) > canonical.MaxParsed {
			s.Piped = s.Piped[:canonical.MaxParsed]
		}
	}
	a.statement(c.Y, s)
	return s.In, s.In
}

// maxStages limits how many commands in front of a pipe are read to find the
// input behind it.
const maxStages = 32

// wordsOf returns the words and here-documents of a statement, without quotes
// where they are literal: its output is often among them.
func wordsOf(st *syntax.Stmt, source string, stages int) string {
	if stages == 0 {
		return ""
	}
	if pipe, ok := st.Cmd.(*syntax.BinaryCmd); ok {
		return wordsOf(pipe.X, source, stages-1) + wordsOf(pipe.Y, source, stages-1)
	}
	var b strings.Builder
	syntax.Walk(st, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Redirect:
			if n.Hdoc != nil {
				b.WriteString(canonical.TextOf(n.Hdoc, source) + " ")
			}
			if n.Op != syntax.WordHdoc {
				return false
			}
		case *syntax.Word:
			text, ok := canonical.Literal(n)
			if !ok {
				text = canonical.TextOf(n, source)
			}
			b.WriteString(text + " ")
			return false
		}
		return true
	})
	return b.String()
}

// compound analyzes anything beyond simple commands. Which of its parts run,
// how often and with what, is not known, but everything it could run is among
// the parts.
func (a *analyzer) compound(st *syntax.Stmt, s program.Scope) program.Folders {
	name, own := constructed(st.Cmd)
	a.construct(name)
	if st.Cmd != nil && moves(st.Cmd) {
		s.In = nil
	}
	if f, ok := st.Cmd.(*syntax.ForClause); ok {
		a.loopVariable(st, f, s)
	}
	if own || len(st.Redirs) > 0 {
		p := Part{Text: a.sourceOf(st, s), Inside: s.Inside, Why: name, NoProgram: true}
		if !own && st.Cmd != nil {
			from, to := redirections(st.Redirs)
			p.Text = s.Source[from:to]
		}
		if d, ok := st.Cmd.(*syntax.DeclClause); ok {
			p.Words = []string{d.Variant.Value}
			a.assignments(&p, d.Args, s)
		}
		if own && st.Cmd != nil && s.Evaluable && p.Opaque == "" {
			p.Opaque = name
		}
		a.redirect(&p, st.Redirs, s)
		a.Add(p)
	}
	inner := s
	switch st.Cmd.(type) {
	case *syntax.FuncDecl, *syntax.CoprocClause, *syntax.TestClause, *syntax.ArithmCmd, *syntax.DeclClause, *syntax.LetClause:
		inner.Inside = true
	}
	if st.Cmd != nil {
		a.nested(st.Cmd, inner)
	}
	s.Inside = true
	for _, r := range st.Redirs {
		a.nested(r, s)
	}
	return s.In
}

// loopVariable handles the variable of a loop, which may decide what runs.
func (a *analyzer) loopVariable(st *syntax.Stmt, f *syntax.ForClause, s program.Scope) {
	if l, ok := f.Loop.(*syntax.WordIter); ok && l.Name != nil && (program.VariableDecides(l.Name.Value) || program.VariableNamesProgram(l.Name.Value)) {
		a.Add(Part{Text: a.sourceOf(st, s), Inside: s.Inside, Why: "a loop", Opaque: "it sets " + l.Name.Value + ", which decides what runs"})
	}
}

// constructed returns the name of a construct, and whether it needs a part of
// its own.
func constructed(c syntax.Command) (name string, own bool) {
	switch c := c.(type) {
	case nil:
		return "a redirection without a command", true
	case *syntax.Subshell:
		return "a subshell, ( )", false
	case *syntax.Block:
		return "a group, { }", false
	case *syntax.IfClause:
		return "if", false
	case *syntax.WhileClause:
		return "a loop", false
	case *syntax.ForClause:
		return "a loop", false
	case *syntax.CaseClause:
		return "case", false
	case *syntax.FuncDecl:
		return "a function", false
	case *syntax.CoprocClause:
		return "coproc", false
	case *syntax.TestClause:
		return "[[ ]], which may evaluate what it compares", true
	case *syntax.ArithmCmd:
		return "arithmetic, which may evaluate what variables hold", true
	case *syntax.LetClause:
		return "let, which evaluates its words", true
	case *syntax.DeclClause:
		return c.Variant.Value + ", which sets variables", true
	}
	return "an unknown construct", true
}

// nested analyzes the statements inside a piece of syntax.
func (a *analyzer) nested(node syntax.Node, s program.Scope) {
	syntax.Walk(node, func(n syntax.Node) bool {
		if st, ok := n.(*syntax.Stmt); ok {
			a.statement(st, s)
			return false
		}
		return true
	})
}

// Script analyzes text that a part passes to a shell, and returns where that
// shell may be afterwards. If the shell reads text as bash does, the word in is
// replaced by the canonical form. Other text is kept, so it must not contain
// anything that a shell could read differently.
func (a *analyzer) Script(p *Part, text string, s program.Scope, in *syntax.Word) program.Folders {
	file, why := (*syntax.File)(nil), "it is nested too deeply"
	a.steps += len(text)
	if a.work -= len(text); a.work >= 0 {
		file, why = canonical.Parse(text)
	}
	if file == nil {
		p.MarkUnknown(program.WhyUntold + ": " + why)
		p.Destructive = p.Why
		a.Add(Part{Text: visible.Escape(text), Inside: true, Why: p.Why, Destructive: p.Why})
		return nil
	}
	at := a.statements(file.Stmts, program.Scope{Source: text, In: s.In, Inside: true, Fed: s.Fed, Filled: s.Filled, Handed: s.Handed, Evaluable: evaluable(file)})
	again := canonical.Form(file, text)
	switch {
	case again != "" && in != nil:
		end := in.End()
		in.Parts = []syntax.WordPart{&syntax.SglQuoted{Left: in.Pos(), Right: syntax.NewPos(end.Offset()-1, end.Line(), max(end.Col(), 2)-1), Value: again}}
	case again == "" && len(file.Stmts) > 0, canonical.Ambiguous(text):
		a.construct(unprinted)
		a.Add(Part{Text: text, Inside: true, Why: unprinted})
	}
	return at
}

// sourceOf returns the source of a statement's command and redirections. It
// contains no hidden characters: Parse refuses them.
func (a *analyzer) sourceOf(st *syntax.Stmt, s program.Scope) string {
	from, to := span(st)
	return s.Source[from:to]
}
