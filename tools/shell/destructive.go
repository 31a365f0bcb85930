package shell

import (
	"os"
	"path/filepath"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// untold is said of what cannot be judged before it runs.
const untold = "what it would run cannot be told beforehand"

// maxUnwrapped is how many commands inside commands are looked through.
const maxUnwrapped = 8

// A place says what a command that runs in dir would find there.
type place struct{ dir string }

// holds says whether a path leads to something that writing to it would lose:
// a file that is not empty. A path that is not known may do so.
func (p place) holds(name string) bool {
	if !filepath.IsAbs(name) {
		if p.dir == "" {
			return true
		}
		name = filepath.Join(p.dir, name)
	}
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular() && info.Size() > 0
}

func (p place) isFolder(name string) bool {
	if !filepath.IsAbs(name) {
		name = filepath.Join(p.dir, name)
	}
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// destructive says why what the file runs could destroy something that cannot
// be brought back, or that this cannot be told; it is empty when neither is
// known. It looks through the programs that run others. It is there to warn:
// a program may always do more than its name says.
func destructive(file *syntax.File, p place) string {
	j := judge{place: p}
	return j.all(file, 0)
}

// A judge looks for the first reason.
type judge struct{ place place }

func (j judge) all(node syntax.Node, depth int) (reason string) {
	if moves(node) {
		j.place.dir = "" // paths lead elsewhere after it
	}
	syntax.Walk(node, func(n syntax.Node) bool {
		if reason != "" {
			return false
		}
		switch n := n.(type) {
		case *syntax.CallExpr:
			if len(n.Args) > 0 {
				reason = j.call(words(n.Args), depth)
			}
		case *syntax.Redirect:
			reason = j.redirect(n)
		case *syntax.BinaryCmd:
			if n.Op == syntax.Pipe || n.Op == syntax.PipeAll {
				reason = feeds(n.Y)
			}
		}
		return reason == ""
	})
	return reason
}

// moves says whether a command changes its folder on the way.
func moves(node syntax.Node) (found bool) {
	syntax.Walk(node, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.CallExpr); ok && len(c.Args) > 0 {
			name, known := literal(c.Args[0])
			found = found || !known || name == "cd" || name == "pushd" || name == "popd" || name == "builtin"
		}
		return !found
	})
	return found
}

// feeds says whether a pipe leads into a shell, which runs what it reads.
func feeds(s *syntax.Stmt) string {
	c, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(c.Args) == 0 {
		return ""
	}
	args := words(c.Args)
	if name := base(args[0]); shells[name] && (len(args) == 1 || args[1].is("-s", "-")) {
		return untold + ": " + name + " runs what is piped into it"
	}
	return ""
}

func (j judge) redirect(r *syntax.Redirect) string {
	switch r.Op {
	case syntax.RdrOut, syntax.RdrClob, syntax.RdrAll, syntax.RdrAllClob:
	case syntax.DplOut: // >&2 copies, >&name writes
		if t, ok := literal(r.Word); ok && strings.Trim(t, "0123456789-") == "" {
			return ""
		}
	default:
		return ""
	}
	return j.overwrites("a redirection", words([]*syntax.Word{r.Word})[0])
}

// overwrites says whether writing to that file would lose what is in it.
func (j judge) overwrites(who string, w word) string {
	switch {
	case !w.known:
		return who + " may write over a file that cannot be told beforehand"
	case j.place.holds(w.text):
		return who + " writes over " + escaped(w.text)
	}
	return ""
}

// base is the name of a program without its folder.
func base(w word) string {
	if !w.known {
		return ""
	}
	return w.text[strings.LastIndexByte(w.text, '/')+1:]
}

// call judges one command line.
func (j judge) call(args []word, depth int) string {
	if len(args) == 0 {
		return ""
	}
	if depth > maxUnwrapped || !args[0].known {
		return untold
	}
	name := base(args[0])
	if why, ok := always[name]; ok {
		return name + " " + why
	}
	if strings.HasPrefix(name, "mkfs") {
		return name + " formats a disk"
	}
	if f, ok := programs[name]; ok {
		return f(j, name, args[1:])
	}
	if w, ok := wrappers[name]; ok {
		if w.text {
			return j.text(w.inner(args[1:]), depth)
		}
		if name == "env" && option(args[1:], "S", "split-string") {
			return untold
		}
		return j.call(w.inner(args[1:]), depth+1)
	}
	switch {
	case name == "find":
		return j.find(args[1:], depth)
	case shells[name]:
		return j.shell(name, args[1:], depth)
	case name == "eval":
		return j.text(args[1:], depth)
	case name == "trap" && len(args) > 1:
		return j.text(args[1:2], depth)
	case name == "." || name == "source":
		if len(args) < 2 || !args[1].known {
			return untold
		}
	}
	return ""
}

// text judges words that are run as a command line.
func (j judge) text(args []word, depth int) string {
	var l []string
	for _, a := range args {
		if !a.known {
			return untold
		}
		l = append(l, a.text)
	}
	file, why := parse(strings.Join(l, " "))
	switch {
	case file == nil:
		return untold + ": " + why
	case depth >= maxUnwrapped:
		return untold
	}
	return j.all(file, depth+1)
}

// shell judges sh -c 'text'. A script in a file is a program like others.
func (j judge) shell(name string, args []word, depth int) string {
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case !a.known:
			return untold
		case a.is("-o", "+o", "-O", "+O", "--rcfile", "--init-file"):
			i++ // its value
		case strings.HasPrefix(a.text, "--"):
		case strings.HasPrefix(a.text, "-") && strings.Contains(a.text, "c"):
			rest := args[i+1:]
			for len(rest) > 0 && rest[0].known && strings.HasPrefix(rest[0].text, "-") {
				rest = rest[1:]
			}
			if len(rest) == 0 {
				return ""
			}
			return j.text(rest[:1], depth)
		case strings.HasPrefix(a.text, "-"), strings.HasPrefix(a.text, "+"):
		default:
			return ""
		}
	}
	return ""
}

// find judges what a search does to what it finds.
func (j judge) find(args []word, depth int) string {
	for i, a := range args {
		switch {
		case !a.known && !strings.HasPrefix(a.text, "-") && a.text != "":
		case !a.known:
			return "find has an option that cannot be told beforehand"
		case a.text == "-delete":
			return "find -delete deletes files for good"
		case a.is("-fprint", "-fprint0", "-fprintf", "-fls") && i+1 < len(args):
			if why := j.overwrites("find "+a.text, args[i+1]); why != "" {
				return why
			}
		case a.is("-exec", "-execdir", "-ok", "-okdir"):
			inner := args[i+1:]
			for n, b := range inner {
				if b.is(";", "+") {
					inner = inner[:n]
					break
				}
			}
			if why := j.call(inner, depth+1); why != "" {
				return why
			}
		}
	}
	return ""
}
