package shellcmd

import (
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/emendo-dev/emendo/internal/shellcmd/canonical"
	"github.com/emendo-dev/emendo/internal/shellcmd/destructive"
	"github.com/emendo-dev/emendo/internal/shellcmd/program"
	"github.com/emendo-dev/emendo/internal/visible"
)

// numeral is what bash takes for a descriptor right before a redirection.
var numeral = regexp.MustCompile(`^(?:[0-9]+|\{[A-Za-z_][A-Za-z0-9_]*\})$`)

// redirect tells what a part's redirections read and write. What is inert (the
// null device, copies of descriptors, text) is not spoken of.
func (a *analyzer) redirect(p *Part, l []*syntax.Redirect, s program.Scope) {
	for _, r := range l {
		w := program.Words([]*syntax.Word{r.Word}, s.Source)[0]
		if end := int(w.From) + len(w.Source); numeral.MatchString(w.Source) && end < len(s.Source) && strings.IndexByte("<>", s.Source[end]) >= 0 {
			a.misread = true // to bash it is the descriptor of what follows
			a.construct("a redirection whose file is a descriptor's number")
		}
		if r.N != nil && (strings.HasPrefix(r.N.Value, "{") || len(r.N.Value) > canonical.MaxDigits) {
			p.MarkUnknown("a redirection of what is no plain number")
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
			if r.Op == syntax.DplIn || w.Known && strings.HasPrefix(w.Text, "-") { // bash ends it at the dash
				p.MarkUnknown("a descriptor that cannot be told")
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
			p.MarkUnknown("a redirection that is not known here")
		}
	}
}

// read tells of a file that a redirection reads.
func (a *analyzer) read(p *Part, w program.Word, s program.Scope) {
	switch {
	case !w.Known:
		p.MarkUnknown("a redirection whose file is not literal")
		if w.Home != "" {
			p.Reads = append(p.Reads, w.Home)
		}
	case w.Text == "/dev/null":
	case socket(w.Text):
		p.Network = true
		p.MarkUnknown("a connection to the network, " + visible.Escape(w.Text))
	default:
		p.Reads = append(p.Reads, s.In.Paths(w.Text)...)
		if at := a.Reach(w.Text, s.In); at != program.InsideWorkspace {
			p.MarkUnknown("it reads " + visible.Escape(w.Text) + ", " + at.String())
		}
	}
}

// written tells of a file that a redirection writes, cutting off what was in
// it or not.
func (a *analyzer) written(p *Part, w program.Word, s program.Scope, cut bool) {
	switch {
	case !w.Known:
		p.MarkUnknown("a redirection whose file is not literal")
		if w.Home != "" {
			p.Writes = append(p.Writes, w.Home)
		}
	case w.Text == "/dev/null":
		return
	case socket(w.Text):
		p.Network = true
		p.MarkUnknown("a connection to the network, " + visible.Escape(w.Text))
	default:
		paths := s.In.Paths(w.Text)
		if len(paths) == 0 {
			p.MarkUnknown("it writes a file whose folder cannot be told")
		}
		p.Writes = append(p.Writes, paths...)
		a.NoteWritten(paths)
	}
	if cut && p.Destructive == "" {
		p.Destructive = destructive.Judge{Dir: s.In.Only()}.Overwrites("a redirection", w)
	}
}

// descriptor says whether a target is a number, which may be moved by a dash,
// or the dash that closes.
func descriptor(target string) bool {
	number := strings.TrimSuffix(target, "-")
	return target != "" && strings.Trim(number, "0123456789") == ""
}

// socket says whether bash takes a file for a connection.
func socket(target string) bool {
	return strings.HasPrefix(target, "/dev/tcp/") || strings.HasPrefix(target, "/dev/udp/")
}

// input is the text that a command reads from a here-document or a here-string,
// if that is literal.
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

// span is where a statement's command and redirections are in the source. The
// text of a here-document is left out.
func span(st *syntax.Stmt) (from, to uint) {
	from, to = redirections(st.Redirs)
	if st.Cmd != nil {
		from, to = min(from, st.Cmd.Pos().Offset()), max(to, st.Cmd.End().Offset())
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
