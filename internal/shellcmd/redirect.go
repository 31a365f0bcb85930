package shellcmd

import (
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/emendo-dev/emendo/internal/visible"
)

// maxDigits is how long a descriptor's number may be. A number that is too large
// for one is a word of the command to bash.
const maxDigits = 9

// numeral is what bash takes for a descriptor right before a redirection.
var numeral = regexp.MustCompile(`^(?:[0-9]+|\{[A-Za-z_][A-Za-z0-9_]*\})$`)

// redirect tells what a part's redirections read and write. What is inert (the
// null device, copies of descriptors, text) is not spoken of.
func (a *analyzer) redirect(p *Part, l []*syntax.Redirect, s scope) {
	for _, r := range l {
		w := words([]*syntax.Word{r.Word}, s.source)[0]
		if end := int(w.from) + len(w.source); numeral.MatchString(w.source) && end < len(s.source) && strings.IndexByte("<>", s.source[end]) >= 0 {
			a.misread = true // to bash it is the descriptor of what follows
			a.construct("a redirection whose file is a descriptor's number")
		}
		if r.N != nil && (strings.HasPrefix(r.N.Value, "{") || len(r.N.Value) > maxDigits) {
			cannot(p, "a redirection of what is no plain number")
			continue
		}
		switch r.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			if d, ok := documentOf(r, s.source); !ok || d.expands || d.tricky {
				cannot(p, "a here-document that is not plain text")
			}
		case syntax.WordHdoc:
			if !w.known {
				cannot(p, "a here-string that is not literal")
			}
		case syntax.DplIn, syntax.DplOut:
			if w.known && descriptor(w.text) {
				continue
			}
			if r.Op == syntax.DplIn || w.known && strings.HasPrefix(w.text, "-") { // bash ends it at the dash
				cannot(p, "a descriptor that cannot be told")
				continue
			}
			a.written(p, w, s, true)
		case syntax.RdrIn:
			a.read(p, w, s)
		case syntax.RdrInOut:
			cannot(p, "a file that is both read and written, <>")
			a.written(p, w, s, false)
		case syntax.RdrOut, syntax.RdrClob, syntax.RdrAll, syntax.RdrAllClob:
			a.written(p, w, s, true)
		case syntax.AppOut, syntax.AppAll, syntax.AppClob, syntax.AppAllClob:
			a.written(p, w, s, false)
		default:
			cannot(p, "a redirection that is not known here")
		}
	}
}

// read tells of a file that a redirection reads.
func (a *analyzer) read(p *Part, w word, s scope) {
	switch {
	case !w.known:
		cannot(p, "a redirection whose file is not literal")
		if w.home != "" {
			p.Reads = append(p.Reads, w.home)
		}
	case w.text == "/dev/null":
	case socket(w.text):
		p.Network = true
		cannot(p, "a connection to the network, "+visible.Escape(w.text))
	default:
		p.Reads = append(p.Reads, s.in.paths(w.text)...)
		if at := a.reach(w.text, s.in); at != inside {
			cannot(p, "it reads "+visible.Escape(w.text)+", "+at.String())
		}
	}
}

// written tells of a file that a redirection writes, cutting off what was in
// it or not.
func (a *analyzer) written(p *Part, w word, s scope, cut bool) {
	switch {
	case !w.known:
		cannot(p, "a redirection whose file is not literal")
		if w.home != "" {
			p.Writes = append(p.Writes, w.home)
		}
	case w.text == "/dev/null":
		return
	case socket(w.text):
		p.Network = true
		cannot(p, "a connection to the network, "+visible.Escape(w.text))
	default:
		paths := s.in.paths(w.text)
		if len(paths) == 0 {
			cannot(p, "it writes a file whose folder cannot be told")
		}
		p.Writes = append(p.Writes, paths...)
		a.makes(paths)
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

// input is the text that a command reads from a here-document or a here-string,
// if that is literal.
func input(l []*syntax.Redirect, source string) (string, bool) {
	for _, r := range slices.Backward(l) {
		if (r.Op == syntax.Hdoc || r.Op == syntax.DashHdoc) && r.N == nil {
			d, ok := documentOf(r, source)
			return d.text(), ok && !d.expands
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
