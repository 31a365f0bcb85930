package shellcmd

import (
	"maps"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/emendo-dev/emendo/internal/shellcmd/canonical"
	"github.com/emendo-dev/emendo/internal/shellcmd/program"
)

// Indirect returns why a command may run programs that its words do not name,
// so that nobody can inspect them in advance. It returns the empty string if
// the words name everything: programs of the system, code, and files by their
// paths. What such a file runs in turn does not count. dir is where the command
// runs, and env the environment set for it.
func Indirect(command, dir string, env map[string]string) string {
	return indirect(runtime.GOOS, command, dir, env)
}

// IndirectProgram is [Indirect] for a program and its arguments, which no shell reads.
func IndirectProgram(argv []string, dir string, env map[string]string) string {
	words := make([]string, len(argv))
	for i, w := range argv {
		quoted, err := syntax.Quote(w, syntax.LangBash)
		if err != nil {
			return "its words cannot be read"
		}
		words[i] = quoted
	}
	return Indirect(strings.Join(words, " "), dir, env)
}

// RunsProject returns why a command runs what files of the folder dir say, such as make
// and npx; empty if it does not, or if that is not known.
func RunsProject(command, dir string) string {
	file, _ := canonical.Parse(command)
	if file == nil {
		return ""
	}
	a := newAnalyzer(nil)
	a.line.Unsearched = true
	a.statements(file.Stmts, program.Scope{Source: command, In: program.Folders{dir}, Evaluable: evaluable(file)})
	for _, c := range a.line.Calls() {
		if why := c.RunsProject(); why != "" {
			return why
		}
	}
	return ""
}

func indirect(goos, command, dir string, env map[string]string) string {
	if goos == "windows" { // PowerShell is not parsed
		return program.WhyUntold
	}
	command = regexp.MustCompile(projectFolder).ReplaceAllString(command, ".")
	file, why := canonical.Parse(command)
	if file == nil {
		return why
	}
	a := newAnalyzer(nil)
	a.line.Unsearched = true
	s := program.Scope{Source: command, In: program.Folders{dir}, Evaluable: evaluable(file)}
	for _, name := range slices.Sorted(maps.Keys(env)) {
		p := Part{NoProgram: true}
		a.line.Assign(&p, name, program.Word{Text: env[name], Source: env[name], Known: true}, s)
		a.Add(p)
	}
	a.statements(file.Stmts, s)
	for _, c := range a.line.Calls() {
		if why := c.RunsUnnamed(); why != "" {
			return why
		}
	}
	for _, p := range a.parts {
		switch {
		case p.Opaque != "" && p.Opaque != program.WhyInterprets:
			return p.Opaque
		case len(p.Words) == 0 && !p.NoProgram && p.Why != "":
			return p.Why
		}
	}
	return ""
}

// projectFolder matches the ways in which hooks name the directory they run in.
const projectFolder = `\$(?:(?:GEMINI|CLAUDE|EMENDO)_(?:PROJECT_DIR|CWD)\b|PWD\b|\{(?:(?:GEMINI|CLAUDE|EMENDO)_(?:PROJECT_DIR|CWD)|PWD)(?::-\.)?\}|\(pwd\)|\(git rev-parse --show-toplevel\))`
