package shell

import (
	"path"
	"runtime"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/emendo-dev/emendo/tools"
)

// effect says what a command would do when it runs in dir.
func effect(command, dir string) tools.Runs {
	r := tools.Runs{Command: command, Dir: dir}
	if runtime.GOOS == "windows" { // PowerShell's grammar is not known here
		r.Parts, r.Why, r.Destructive = []tools.Part{{Text: escaped(command), Why: untold}}, untold, untold
		return r
	}
	file, why := parse(command)
	if file == nil {
		r.Why = untold + ": " + why
		r.Parts, r.Destructive = []tools.Part{{Text: escaped(command), Why: r.Why}}, r.Why
		return r
	}
	r.Known = static(file)
	for _, text := range simple(file, command) {
		p := tools.Part{Text: escaped(text), Known: r.Known}
		if p.Known {
			p.Words, p.Least = strings.Fields(text), 1
		}
		r.Parts = append(r.Parts, p)
	}
	r.Destructive = destructive(file, place{dir})
	return r
}

// parse reads a command as bash does. Without a file it says why not.
func parse(command string) (*syntax.File, string) {
	if why := suspicious(command); why != "" {
		return nil, why
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(command), "")
	if err != nil {
		return nil, "bash would not understand it: " + err.Error()
	}
	return file, ""
}

// simple is the source of each simple command with its redirections, also of
// those inside others, in the order in which they begin. The text of a
// here-document is left out.
func simple(file *syntax.File, source string) []string {
	var l []string
	syntax.Walk(file, func(n syntax.Node) bool {
		s, ok := n.(*syntax.Stmt)
		if !ok {
			return true
		}
		switch s.Cmd.(type) {
		case nil, *syntax.CallExpr, *syntax.DeclClause, *syntax.LetClause, *syntax.ArithmCmd, *syntax.TestClause:
			from, to := span(s)
			l = append(l, source[from:to])
		}
		return true
	})
	return l
}

// span is where a statement's command and redirections are in the source.
func span(s *syntax.Stmt) (from, to uint) {
	from = ^uint(0)
	if s.Cmd != nil {
		from, to = s.Cmd.Pos().Offset(), s.Cmd.End().Offset()
	}
	for _, r := range s.Redirs {
		from, to = min(from, r.Pos().Offset()), max(to, r.Word.End().Offset())
	}
	return from, to
}

// static says whether the simple commands of the file are all that it would
// run, with exactly the arguments that are written: simple commands of
// literal words, joined by ; && || | or a newline, perhaps negated, writing
// to no file. Everything else is not known well enough.
func static(file *syntax.File) bool {
	return len(file.Stmts) > 0 && !slices.ContainsFunc(file.Stmts, func(s *syntax.Stmt) bool { return !staticStmt(s) })
}

func staticStmt(s *syntax.Stmt) bool {
	if s.Background || s.Coprocess || s.Disown || slices.ContainsFunc(s.Redirs, func(r *syntax.Redirect) bool { return !inert(r) }) {
		return false
	}
	switch c := s.Cmd.(type) {
	case *syntax.BinaryCmd:
		return c.Op != syntax.PipeAll && staticStmt(c.X) && staticStmt(c.Y)
	case *syntax.CallExpr:
		return staticCall(c)
	default:
		return false
	}
}

// inert says whether a redirection can touch no file.
func inert(r *syntax.Redirect) bool {
	if r.N != nil && strings.HasPrefix(r.N.Value, "{") {
		return false
	}
	target, ok := literal(r.Word)
	switch r.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		return ok && plain(r.Hdoc)
	case syntax.WordHdoc:
		return ok
	case syntax.DplIn, syntax.DplOut:
		return ok && target != "" && strings.Trim(target, "0123456789-") == ""
	default:
		return ok && target == "/dev/null"
	}
}

// plain says whether a here-document is only text.
func plain(w *syntax.Word) bool {
	return w == nil || !slices.ContainsFunc(w.Parts, func(p syntax.WordPart) bool {
		_, text := p.(*syntax.Lit)
		return !text
	})
}

func staticCall(c *syntax.CallExpr) bool {
	if len(c.Assigns) > 0 || len(c.Args) == 0 { // a variable can change what a name runs
		return false
	}
	var args []string
	for _, w := range c.Args {
		if text, ok := literal(w); ok {
			args = append(args, text)
		} else if len(args) > 0 && names(w, slices.Contains(args, "--")) {
			args = append(args, "")
		} else {
			return false
		}
	}
	return args[0] != "" && !runsOthers(args)
}

// names says whether a word can only stand for names of files, none of them
// an option: a pattern that begins with a letter, a dot or a slash, or comes
// after "--".
func names(w *syntax.Word, afterDashes bool) bool {
	if len(w.Parts) != 1 {
		return false
	}
	lit, ok := w.Parts[0].(*syntax.Lit)
	if !ok || strings.ContainsAny(lit.Value, `\~{`) {
		return false
	}
	return afterDashes || !strings.ContainsAny(lit.Value[:1], "-*?[+")
}

// others are programs and builtins that run what their arguments, a file or
// their input say, or change what later names mean.
var others = strings.Fields(`
	. source eval exec trap alias unalias command builtin enable hash bind complete compgen compopt mapfile readarray
	read unset getopts wait let set shopt fc jobs coproc export declare local readonly typeset time
	sh bash zsh dash ksh mksh ash fish csh tcsh pwsh powershell cmd busybox toybox rbash
	env xargs sudo doas su pkexec runuser nohup nice ionice chrt taskset timeout stdbuf unbuffer setsid setpriv chroot unshare nsenter
	flock watch parallel script strace ltrace gdb xvfb-run systemd-run ssh at batch crontab entr caffeinate`)

// runsOthers says whether a call runs more than the program it names.
func runsOthers(args []string) bool {
	name := path.Base(args[0])
	switch name {
	case "find":
		return slices.ContainsFunc(args, func(a string) bool {
			return strings.HasPrefix(a, "-exec") || strings.HasPrefix(a, "-ok")
		})
	case "printf", "test", "[": // -v evaluates its argument, subscript and all
		return slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, "-v") })
	}
	return slices.Contains(others, name)
}
