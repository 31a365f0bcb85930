package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/emendo-dev/emendo/tools"
)

// redirect tells what a part's redirections read and write. What is inert (the
// null device, copies of descriptors, text) is not spoken of.
func (a *analysis) redirect(p *tools.Part, l []*syntax.Redirect, s scope) {
	for _, r := range l {
		target, known := literal(r.Word)
		if r.N != nil && strings.HasPrefix(r.N.Value, "{") {
			cannot(p, "a redirection that sets a variable")
			continue
		}
		switch r.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			if !known || !plain(r.Hdoc) {
				cannot(p, "a here-document that is not plain text")
			}
		case syntax.WordHdoc:
			if !known {
				cannot(p, "a here-string that is not literal")
			}
		case syntax.DplIn, syntax.DplOut:
			if known && descriptor(target) {
				continue
			}
			if r.Op == syntax.DplIn || strings.HasPrefix(target, "-") { // bash ends it at the dash
				cannot(p, "a descriptor that cannot be told")
				continue
			}
			a.written(p, words([]*syntax.Word{r.Word}, s.source)[0], s, true)
		case syntax.RdrIn:
			a.read(p, target, known, s)
		case syntax.RdrInOut:
			cannot(p, "a file that is both read and written, <>")
			a.written(p, words([]*syntax.Word{r.Word}, s.source)[0], s, false)
		case syntax.RdrOut, syntax.RdrClob, syntax.RdrAll, syntax.RdrAllClob:
			a.written(p, words([]*syntax.Word{r.Word}, s.source)[0], s, true)
		case syntax.AppOut, syntax.AppAll, syntax.AppClob, syntax.AppAllClob:
			a.written(p, words([]*syntax.Word{r.Word}, s.source)[0], s, false)
		default:
			cannot(p, "a redirection that is not known here")
		}
	}
}

// read tells of a file that a redirection reads.
func (a *analysis) read(p *tools.Part, target string, known bool, s scope) {
	switch {
	case !known:
		cannot(p, "a redirection whose file is not literal")
	case target == "/dev/null":
	case socket(target):
		p.Network = true
		cannot(p, "a connection to the network, "+escaped(target))
	default:
		p.Reads = append(p.Reads, s.in.paths(target)...)
		if at := a.reach(target, s.in); at != inside {
			cannot(p, "it reads "+escaped(target)+", "+at.String())
		}
	}
}

// written tells of a file that a redirection writes, cutting off what was in
// it or not.
func (a *analysis) written(p *tools.Part, w word, s scope, cut bool) {
	switch {
	case !w.known:
		cannot(p, "a redirection whose file is not literal")
	case w.text == "/dev/null":
		return
	case socket(w.text):
		p.Network = true
		cannot(p, "a connection to the network, "+escaped(w.text))
	default:
		paths := s.in.paths(w.text)
		if len(paths) == 0 {
			cannot(p, "it writes a file whose folder cannot be told")
		}
		p.Writes = append(p.Writes, paths...)
	}
	if cut && p.Destructive == "" {
		p.Destructive = judge{place{s.in.only()}}.overwrites("a redirection", w)
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

// plain says whether a here-document is only text.
func plain(w *syntax.Word) bool {
	return w == nil || !slices.ContainsFunc(w.Parts, func(p syntax.WordPart) bool {
		_, text := p.(*syntax.Lit)
		return !text
	})
}

// document is the text that a command reads from a here-document, if that is
// literal.
func document(l []*syntax.Redirect) (string, bool) {
	for _, r := range slices.Backward(l) {
		if (r.Op == syntax.Hdoc || r.Op == syntax.DashHdoc) && r.N == nil {
			if r.Hdoc == nil {
				return "", true
			}
			var b strings.Builder
			for _, p := range r.Hdoc.Parts {
				if lit, ok := p.(*syntax.Lit); ok {
					b.WriteString(lit.Value)
				}
			}
			return b.String(), plain(r.Hdoc)
		}
		if r.Op == syntax.WordHdoc {
			return literal(r.Word)
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
