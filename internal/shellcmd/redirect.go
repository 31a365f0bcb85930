package shellcmd

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/emendo-dev/emendo/internal/shellcmd/canonical"
	"github.com/emendo-dev/emendo/internal/shellcmd/destructive"
	"github.com/emendo-dev/emendo/internal/shellcmd/program"
	"github.com/emendo-dev/emendo/internal/visible"
)

// redirect records what a part's redirections read and write. Harmless ones
// (the null device, copies of descriptors, text) are left out.
func (a *analyzer) redirect(p *Part, l []*syntax.Redirect, s program.Scope) {
	for _, r := range l {
		w := program.Words([]*syntax.Word{r.Word}, s.Source)[0]
		if r.N != nil && (strings.HasPrefix(r.N.Value, "{") || len(r.N.Value) > canonical.MaxDigits) {
			p.MarkUnknown("a redirection of a descriptor that is not a plain number")
			continue
		}
		switch r.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			if d, ok := canonical.DocumentOf(r, s.Source); !ok || d.Expands || d.Tricky {
				p.MarkUnknown("a here-document that is not plain text")
			}
		case syntax.WordHdoc:
			if !w.Known {
				p.MarkUnknown("a here-string that is not literal")
			}
		case syntax.DplIn, syntax.DplOut:
			if w.Known && descriptor(w.Text) {
				continue
			}
			if r.Op == syntax.DplIn || w.Known && strings.HasPrefix(w.Text, "-") { // bash ends the word at the dash
				p.MarkUnknown("a file descriptor that is not known")
				continue
			}
			a.written(p, w, s, true)
		case syntax.RdrIn:
			a.read(p, w, s)
		case syntax.RdrInOut:
			p.MarkUnknown("a file that is both read and written, <>")
			a.written(p, w, s, false)
		case syntax.RdrOut, syntax.RdrClob, syntax.RdrAll, syntax.RdrAllClob:
			a.written(p, w, s, true)
		case syntax.AppOut, syntax.AppAll, syntax.AppClob, syntax.AppAllClob:
			a.written(p, w, s, false)
		default:
			p.MarkUnknown("an unknown redirection")
		}
	}
}

// read handles a file that a redirection reads.
func (a *analyzer) read(p *Part, w program.Word, s program.Scope) {
	p.Reads = append(p.Reads, a.redirected(p, w, s, "reads")...)
	if at := a.line.Reach(w.Text, s.In); w.Known && at != program.InsideWorkspace {
		p.MarkUnknown("it reads " + visible.Escape(w.Text) + ", " + at.String())
	}
}

// written handles a file that a redirection writes; cut reports that it is
// truncated.
func (a *analyzer) written(p *Part, w program.Word, s program.Scope, cut bool) {
	paths := a.redirected(p, w, s, "writes")
	p.Writes = append(p.Writes, paths...)
	a.line.NoteWritten(paths)
	if cut && p.Destructive == "" {
		p.Destructive = destructive.Judge{Dir: s.In.Single()}.Overwrites("a redirection", w)
	}
}

// redirected returns the files that the target of a redirection means, which it reads or
// writes.
func (a *analyzer) redirected(p *Part, w program.Word, s program.Scope, does string) []string {
	switch {
	case !w.Known:
		p.MarkUnknown("a redirection whose file is not literal")
		if w.Home != "" {
			return []string{w.Home}
		}
	case w.Text == "/dev/null":
	case socket(w.Text):
		p.ConnectsTo(w.Text)
		p.MarkUnknown("a connection to the network, " + visible.Escape(w.Text))
	case s.In.Paths(w.Text) == nil:
		p.MarkUnknown("it " + does + " a file in a directory that is not known")
	default:
		return s.In.Paths(w.Text)
	}
	return nil
}

// descriptor reports whether a target is a number, which a dash may follow, or
// the dash that closes a descriptor.
func descriptor(target string) bool {
	number := strings.TrimSuffix(target, "-")
	return target != "" && strings.Trim(number, "0123456789") == ""
}

// socket reports whether bash takes a file for a network connection.
func socket(target string) bool {
	return strings.HasPrefix(target, "/dev/tcp/") || strings.HasPrefix(target, "/dev/udp/")
}

// input returns the text that a command reads from a here-document or a
// here-string, if it is literal.
func input(l []*syntax.Redirect, source string) (string, bool) {
	for _, r := range slices.Backward(l) {
		if (r.Op == syntax.Hdoc || r.Op == syntax.DashHdoc) && r.N == nil {
			d, ok := canonical.DocumentOf(r, source)
			return d.Text(), ok && !d.Expands
		}
		if r.Op == syntax.WordHdoc {
			return canonical.Literal(r.Word)
		}
	}
	return "", false
}

// span returns where a statement's command and redirections are in the source,
// without the text of here-documents.
func span(st *syntax.Stmt) (from, to uint) {
	from, to = redirections(st.Redirs)
	if st.Cmd != nil {
		from, to = min(from, st.Cmd.Pos().Offset()), max(to, st.Cmd.End().Offset())
	}
	if c, ok := st.Cmd.(*syntax.CallExpr); ok && len(c.Args) > 0 && len(c.Assigns) > 0 { // of "coproc a b=c" the program comes first
		from, to = min(from, c.Args[0].Pos().Offset()), max(to, c.Assigns[len(c.Assigns)-1].End().Offset())
	}
	return from, to
}

func redirections(l []*syntax.Redirect) (from, to uint) {
	from = ^uint(0)
	for _, r := range l {
		from, to = min(from, r.Pos().Offset()), max(to, r.Word.End().Offset())
	}
	return from, to
}
